"""`faultbook new --from-log`: the first failure of a log as the start of an entry.

log -> the failure's own lines, private data out (excerpt) -> its message with holes for what varies (template)
-> a clause that is found again in the excerpt. A draft says what was printed, never why: the rest stays to be
written, and `faultbook check` names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .match.evaluate import Log, hits_of
from .match.ranks import initiating_of
from .match.signature import parse_signature
from .match.sources import Source, read_sources
from .match.template import SignatureError, parse_template
from .match.types import Event, Frame, Record
from .private import without_private

MOST_LINES = 40  # of an excerpt
_HEAD = 2  # lines kept from the top of a traceback that is longer
_LONGEST = 280  # characters of a message that a template is made of
_TITLE, _ID = 140, 60

Clause = dict[str, object]


class NothingToDraft(ValueError):
    """The log shows no failure that an entry could start from; str() says so."""


@dataclass(frozen=True)
class Draft:
    """`excerpt`: the failure's lines as an example; `clause`: as a signature has it; `file`, `line`: where it was."""

    id: str
    title: str
    excerpt: str
    clause: Clause
    file: str
    line: int


def draft(sources: Iterable[Source]) -> Draft:
    """The start of an entry for the failure that came first. Raises NothingToDraft."""
    read = read_sources(sources, ())
    event = _first_failure(read.events)
    if event is None:
        raise NothingToDraft("no failure is seen in this log: nothing to start an entry from")
    for excerpt in _excerpts(event, read.records):
        again = read_sources([("log", excerpt.encode())], ())
        if same := _first_failure(again.events):
            break
    else:
        raise NothingToDraft(
            f"{event.record.file}:{event.record.line}: this failure's own lines are too few to tell it"
        )
    clause = next((one for one in _clauses(same) if _found(one, Log(again.records, again.events))), None)
    if clause is None:
        raise NothingToDraft(
            f"{event.record.file}:{event.record.line}: this failure's message has no word to know it by"
        )
    title = _title(same)
    return Draft(_id(title), title, excerpt, clause, event.record.file, event.record.line)


def _first_failure(events: Sequence[Event]) -> Event | None:
    """The initiating failure; of several events on its line the exception, which has the frames."""
    first = initiating_of(events)
    here = [e for e in events if first and e.failure and (e.record.file, e.record.line) == (first.file, first.line)]
    return max(here, key=lambda event: event.kind == "exception", default=None)


# --- excerpt ----------------------------------------------------------------------------------------


def _excerpts(event: Event, records: Sequence[Record]) -> Iterator[str]:
    """The failure's lines without prefixes; then, as they stand, its line and the lines around it.

    Some reports are known by a prefix, some only as a block.
    """
    yield _excerpt(event, records)
    yield without_private(event.record.raw.strip()) + "\n"
    place = next(place for place, one in enumerate(records) if one is event.record)
    around = records[max(0, place - MOST_LINES // 2) : place + MOST_LINES // 2]
    yield without_private("\n".join(one.raw for one in around).strip()) + "\n"


def _excerpt(event: Event, records: Sequence[Record]) -> str:
    """The lines of the failure, at most MOST_LINES, without private data."""
    mine = [one for one in records if _stream(one) == _stream(event.record)]
    end = next(place for place, one in enumerate(mine) if one is event.record or one.line >= event.record.line)
    start = end
    if event.frames:
        top = event.frames[0].record.line
        start = next((place for place, one in enumerate(mine) if one.line >= top), end)
        start -= start > 0 and "Traceback (most recent call last)" in mine[start - 1].text
    lines = [one.text for one in mine[start:end]]
    kept = lines if len(lines) < MOST_LINES else [*lines[:_HEAD], *lines[_HEAD - MOST_LINES + 1 :]]
    message = mine[end].text if event.kind != "exception" else event.message.split("\n")[0] or mine[end].text
    return without_private("\n".join([*kept, message]).strip()) + "\n"


def _stream(record: Record) -> tuple:
    return record.file, record.rank, record.node, record.pid


# --- template ---------------------------------------------------------------------------------------

_UNIT = r"(?:[KMGTPE]i?B|[kKMGT]B|bytes|B)"
_VARIES = re.compile(
    r"`[^`\n]{0,200}`"  # code, such as an assertion: says which failure it is, so it stays
    r"|(?P<quoted>(?<!\w)(?:\"[^\"\n]{0,120}\"|'[^'\n]{0,120}')(?!\w))"
    r"|(?P<path>https?://[^\s\"'`<>|]{1,300}|(?<=<)/[\w.@+-]{1,120}(?=>)"
    r"|(?<![\w/.])(?:[A-Za-z]:)?[/\\][\w.@+-]{1,80}[/\\][^\s\"'`<>|:,;)]{1,300})"
    r"|(?P<device>\b(?:cuda|mps|xpu|hip|npu):\d{1,4}\b)"
    r"|(?P<hex>\b0x[0-9a-fA-F]{1,16}\b)"
    rf"|(?P<size>(?<![\w.])\d{{1,18}}(?:\.\d{{1,6}})? {_UNIT}\b)"
    r"|(?P<duration>(?<![\w.])\d{1,18}(?:\.\d{1,9})? ?(?:ms|milliseconds|seconds)\b)"
    r"|(?P<number>(?<![\w.])(?<![A-Za-z]-)[-+]?\d{1,18}\.\d{1,18}(?:[eE][-+]?\d{1,3})?(?!\w|\.\d))"
    r"|(?P<int>(?<![\w.])(?<![A-Za-z]-)-?\d{1,18}(?!\w|\.\d))"
)
_PLACE = re.compile(r"^\S{1,300}[/\\]\S{1,200}:\d{1,9}: ")  # of the source that printed it: moves with every version


def template_of(message: str) -> str | None:
    """`message` with holes for what differs from run to run, or as it stands; None if neither can be a template."""
    text = _PLACE.sub("", " ".join(message.split()), count=1)
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rpartition(" ")[0]
    with_holes = "".join(_pieces(text))
    return next((one for one in (with_holes, _escaped(text)) if _usable(one, text)), None)


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for found in _VARIES.finditer(text):
        yield _escaped(text[at : found.start()])
        yield f"{{:{found.lastgroup}}}" if found.lastgroup else _escaped(found[0])
        at = found.end()
    yield _escaped(text[at:])


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _usable(source: str, text: str) -> bool:
    try:
        return parse_template(source).search(text) is not None
    except (SignatureError, IndexError):
        return False


# --- clause -----------------------------------------------------------------------------------------


def _clauses(event: Event) -> Iterator[Clause]:
    """Ways to know the failure again, the most particular first."""
    if event.kind != "exception":
        message = template_of(event.record.text)
        if message:
            yield {"message": message}
        return
    name, text = _name(event), _said(event)
    kind: Clause = {"event": "exception", **({"type": f"*{name}"} if name else {})}
    said: Clause = {"message": message} if (message := template_of(text)) else {}
    frames: Clause = {"frames": found} if (found := _library_frames(event.frames)) else {}
    yield from (kind | said | frames, kind | said, kind | frames)


def _name(event: Event) -> str:
    return str(event.fields.get("type", "")).rpartition(".")[2]


def _said(event: Event) -> str:
    """The first line of the message, without the exception's name."""
    line = event.message.split("\n")[0]
    return line.partition(": ")[2] if line.startswith(str(event.fields.get("type", "")) + ": ") else line


_INSTALLED = re.compile(r"(?:site|dist)-packages[/\\](?P<tail>.+)")
_ANYWHERE = {"_call_impl", "_wrapped_call_impl", "decorate_context", "wrapper", "wrapped", "inner", "reraise"}


def _library_frames(frames: Sequence[Frame]) -> list[dict[str, str]]:
    """The innermost frame of installed code: the reader's own files are nobody else's."""
    own = [frame for frame in frames if frame.function and frame.function not in _ANYWHERE]
    found = [(frame, at) for frame in own if (at := _INSTALLED.search(frame.file))]
    return [{"file": at["tail"].replace("\\", "/"), "function": frame.function} for frame, at in found[-1:]
            if not set("*?|") & set(at["tail"] + frame.function)]  # fmt: skip


def _found(clause: Clause, log: Log) -> bool:
    bare = set(clause) == {"event"}
    try:
        parsed = parse_signature({"id": "draft", "strength": "suggestive", "all": [clause]}, "draft")
    except SignatureError:
        return False
    return not bare and bool(hits_of(parsed.all[0], log))


# --- names ------------------------------------------------------------------------------------------


def _title(event: Event) -> str:
    name, text = _name(event), _said(event) if event.kind == "exception" else _PLACE.sub("", event.record.text)
    whole = f"{name}: {text}" if name and text else name or text
    line = " ".join(re.sub("[<>]", "", whole).split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 2].rpartition(' ')[0] or line[: _TITLE - 2]} …"


def _id(title: str) -> str:
    """Words of the title joined by hyphens; what varies is left out."""
    words = re.findall(r"[a-z0-9]+", _VARIES.sub(lambda found: " " if found.lastgroup else found[0], title).lower())
    id = ""
    for word in words:
        if len(id) + len(word) >= _ID:
            break
        id = f"{id}-{word}" if id else word
    return id or "new-failure"
