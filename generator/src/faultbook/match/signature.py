"""What an entry declares: clauses over records, events and frames, parsed once and evaluated purely."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from .condition import Condition, parse_condition
from .frozen import Frozen
from .template import SignatureError, Template, parse_template
from .types import KINDS, Event, Frame, Record, Value

STRENGTHS: Mapping[str, float] = {"decisive": 0.95, "strong": 0.8, "suggestive": 0.5}
_GROUPS = ("all", "any", "none", "against")


def _is_mention(event: Event) -> bool:
    """Whether a program only tells of an error, as one that caught it does; other kinds are context by nature."""
    return not event.failure and event.kind in ("exception", "memory-report", "cuda-error")


class Glob(Frozen):
    """`*` any run, `?` one character, `|` between alternatives; the whole text must match. Linear."""

    source: str

    def matches(self, text: str) -> bool:
        return self._regex.fullmatch(text) is not None

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile("|".join(_glob_pattern(one.strip()) for one in self.source.split("|")), re.DOTALL)


def _glob_pattern(glob: str) -> str:
    first, *rest = [re.escape(piece).replace(r"\?", ".") for piece in glob.split("*")]
    if not rest:
        return first
    # A piece between two stars is taken at its first place and never tried again: atomic, hence linear.
    between = "".join(f"(?>.*?{piece})" for piece in rest[:-1])
    return f"{first}{between}.*{rest[-1]}"


class FramePattern(Frozen):
    """Every given key must hold for one frame. `file` is a glob over the end of the path."""

    file: Glob | None = None
    function: Glob | None = None
    code: Template | None = None

    def matches(self, frame: Frame) -> bool:
        return (
            (self.file is None or self.file.matches("/" + frame.file.replace("\\", "/")))
            and (self.function is None or self.function.matches(frame.function))
            and (self.code is None or self.code.search(frame.code) is not None)
        )


class Hit(Frozen):
    """A clause held here: the record to show, the facts it was judged by, the rank it happened on."""

    __slots__ = ()

    record: Record
    facts: Mapping[str, Value]
    rank: int | None


class Clause(Frozen):
    """Exactly one of: `message` alone, `event` (with optional conditions), `frame`."""

    message: Template | None = None
    event: str | None = None
    type: Glob | None = None
    where: tuple[Condition, ...] = ()
    frames: tuple[FramePattern, ...] = ()
    frame: FramePattern | None = None
    note: str = ""

    @property
    def templates(self) -> tuple[Template, ...]:
        """Templates of which each must be found somewhere in the log for the clause to hold."""
        patterns = (*self.frames, *([self.frame] if self.frame else []))
        found = [self.message, *(pattern.code for pattern in patterns)]
        return tuple(template for template in found if template)

    def hits(self, records: Sequence[Record], events: Iterable[Event]) -> Iterator[Hit]:
        """Where the clause holds, in log order."""
        if self.event:
            return self._event_hits(events)
        return self._frame_hits(events) if self.frame else self._message_hits(records)

    def _message_hits(self, records: Sequence[Record]) -> Iterator[Hit]:
        template = self.message
        assert template is not None
        for record in records:
            if (
                template.needle in record.text
                and (facts := template.search(record.text)) is not None
                and self._holds(facts)
            ):
                yield Hit(record, facts, record.rank)

    def _event_hits(self, events: Iterable[Event]) -> Iterator[Hit]:
        for event in events:
            if event.kind != self.event or not self._type_matches(event) or _is_mention(event):
                continue
            captured = self.message.search(event.message) if self.message else {}
            if captured is None or not self._holds(facts := {**event.fields, **captured}):
                continue
            if all(any(pattern.matches(frame) for frame in event.frames) for pattern in self.frames):
                yield Hit(event.record, facts, rank_of(event))

    def _frame_hits(self, events: Iterable[Event]) -> Iterator[Hit]:
        for event in events:
            for frame in event.frames:
                if self.frame and self.frame.matches(frame):
                    yield Hit(frame.record, {"function": frame.function, "file": frame.file}, frame.record.rank)

    def _type_matches(self, event: Event) -> bool:
        if self.type is None:
            return True
        name = str(event.fields.get("type", ""))
        return self.type.matches(name) or self.type.matches(name.rpartition(".")[2])

    def _holds(self, facts: Mapping[str, Value]) -> bool:
        return all(condition.holds(facts) for condition in self.where)


class Signature(Frozen):
    id: str
    entry_id: str
    strength: str
    says: str
    all: tuple[Clause, ...] = ()
    any: tuple[Clause, ...] = ()
    none: tuple[Clause, ...] = ()
    against: tuple[Clause, ...] = ()
    disjoint_ranks: bool = False

    @cached_property
    def required(self) -> tuple[Template, ...]:
        """Templates without which the signature cannot hold; looked for before anything is evaluated."""
        return tuple(template for clause in self.all for template in clause.templates)


def rank_of(event: Event) -> int | None:
    """The rank an event happened on: the one it names itself, else the one whose log shows it."""
    named = event.fields.get("rank")
    return named if isinstance(named, int) else event.record.rank


def parse_signature(data: Mapping, entry_id: str) -> Signature:
    """A Signature from its YAML mapping (examples are ignored). Raises SignatureError with the pointer."""
    if data.get("strength") not in STRENGTHS:
        raise SignatureError(("strength",), f"choose from {', '.join(STRENGTHS)}")
    groups = {
        name: tuple(_located(_clause, one, name, place) for place, one in enumerate(data.get(name, ())))
        for name in _GROUPS
    }
    if not groups["all"] and not groups["any"]:
        raise SignatureError((), "a signature needs `all` or `any`")
    return Signature(
        id=data["id"], entry_id=entry_id, strength=data["strength"], says=data.get("says", ""),
        disjoint_ranks=data.get("ranks") == "disjoint", **groups,
    )  # fmt: skip


def _located(parse, data, *pointer):
    try:
        return parse(data)
    except SignatureError as error:
        raise error.below(*pointer) from None


def _clause(data: Mapping) -> Clause:
    kinds = [key for key in ("event", "frame", "message") if key in data]
    if not kinds or ("frame" in kinds and len(kinds) > 1):
        raise SignatureError((), "a clause is exactly one of message, event, frame")
    if "event" in data and data["event"] not in KINDS:
        raise SignatureError(("event",), f"no event kind '{data['event']}': choose from {', '.join(KINDS)}")
    clause = Clause(
        message=_located(parse_template, data["message"], "message") if "message" in data else None,
        event=data.get("event"),
        type=Glob(data["type"]) if "type" in data else None,
        where=tuple(_located(parse_condition, one, "where", n) for n, one in enumerate(data.get("where", ()))),
        frames=tuple(_located(_frame, one, "frames", n) for n, one in enumerate(data.get("frames", ()))),
        frame=_located(_frame, data["frame"], "frame") if "frame" in data else None,
        note=data.get("note", ""),
    )
    _refuse_unknown_names(clause)
    return clause


def _frame(data: Mapping) -> FramePattern:
    file = data.get("file")
    return FramePattern(
        file=Glob("|".join(f"*/{one.strip().lstrip('/')}" for one in file.split("|"))) if file else None,
        function=Glob(data["function"]) if "function" in data else None,
        code=_located(parse_template, data["code"], "code") if "code" in data else None,
    )


def _refuse_unknown_names(clause: Clause) -> None:
    """A misspelt fact would make its comparison silently false."""
    holes = {part.name for part in clause.message.parts if not isinstance(part, str)} if clause.message else set()
    known = holes | set(KINDS[clause.event] if clause.event else ())
    for place, condition in enumerate(clause.where):
        for name in sorted(condition.names - known):
            raise SignatureError(
                ("where", place), f"no fact '{name}' here: choose from {', '.join(sorted(filter(None, known)))}"
            )
