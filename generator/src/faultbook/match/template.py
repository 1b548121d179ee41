"""Message templates: literal text with typed holes, safe by construction.

    CUDA out of memory. Tried to allocate {requested:size}. GPU {device:int} has a total capacity of {total:size}

A template becomes one regular expression whose every part is bounded and, together with the literal after
it, atomic: no part is tried again once passed, so a search costs at most a constant for each place where the
first literal occurs. One space in a literal matches any run of white space, as wrapped lines need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

from .frozen import Frozen
from .lazy import Lazy
from .types import Value
from .units import DURATION, SIZE, to_bytes, to_milliseconds

SPACE = r"\s{1,80}"
SHORTEST = 4  # characters without white space that some literal word must have, for the prefilter


class SignatureError(ValueError):
    """A signature that cannot be used. `pointer` leads from the signature to the faulty node."""

    def __init__(self, pointer: tuple[str | int, ...], text: str) -> None:
        super().__init__(f"{'.'.join(map(str, pointer))}: {text}" if pointer else text)
        self.pointer, self.text = pointer, text

    def below(self, *pointer: str | int) -> SignatureError:
        return SignatureError((*pointer, *self.pointer), self.text)


class HoleType(Frozen):
    """`pattern` for Python, `extended` for grep -E, `convert` from the text found to the value captured."""

    __slots__ = ()

    pattern: str
    extended: str
    convert: Callable[[str], Value] = str


def _number(text: str) -> Value:
    return float(text) if any(mark in text for mark in ".eEni") else int(text)


HOLES: Mapping[str, HoleType] = {
    "size": HoleType(SIZE, r"[0-9]+(\.[0-9]+)? ?([KMGTPE]i?B|[kKMGT]B|bytes|B)", to_bytes),
    "int": HoleType(r"-?\d{1,20}", r"-?[0-9]+", int),
    "number": HoleType(
        r"[-+]?(?:\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?|nan|inf)",
        r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?",
        _number,
    ),
    "hex": HoleType(r"(?:0x)?[0-9a-fA-F]{1,40}", r"(0x)?[0-9a-fA-F]+"),
    "word": HoleType(r"\S{1,300}", r"[^[:space:]]+"),
    "ident": HoleType(r"[A-Za-z_][\w.]{0,200}", r"[A-Za-z_][A-Za-z0-9_.]*"),
    "path": HoleType(r"[^\s\"'`<>|]{1,400}", r"[^[:space:]\"'`<>|]+"),
    "quoted": HoleType(r"(?:\"[^\"]{0,300}\"|'[^']{0,300}'|`[^`]{0,300}`)", r"(\"[^\"]*\"|'[^']*'|`[^`]*`)"),
    "device": HoleType(r"(?:cuda|cpu|meta|mps|xpu|hip|npu)(?::\d{1,4})?", r"(cuda|cpu|meta|mps|xpu|hip|npu)(:[0-9]+)?"),
    "duration": HoleType(DURATION, r"[0-9]+(\.[0-9]+)? ?[a-z]+", to_milliseconds),
    "text": HoleType(r"(?s:.){0,300}?", r".*"),
}
# A hole at the start of a template begins where its text begins, not at each of its characters.
_STARTS: Mapping[str, str] = {
    "word": r"(?<!\S)", "path": r"(?<![^\s\"'`<>|])", "ident": r"(?<![\w.])", "hex": r"(?<!\w)",
    "int": r"(?<![\w.])", "number": r"(?<![\w.])", "size": r"(?<![\w.])", "duration": r"(?<![\w.])",
}  # fmt: skip
_OPEN_ENDED = ("text", "word", "path")  # between two of these nothing tells where one ends


class Hole(Frozen):
    __slots__ = ()

    name: str | None
    type: str


class Template(Frozen):
    source: str
    parts: tuple[str | Hole, ...]

    def search(self, text: str) -> dict[str, Value] | None:
        """Captures of the first occurrence in `text` (sizes in bytes, durations in ms), None if there is none."""
        found = self._regex.search(text) if self.needle in text else None
        if not found:
            return None
        holes = [part for part in self.parts if isinstance(part, Hole) and part.name]
        return {hole.name: HOLES[hole.type].convert(found[hole.name]) for hole in holes}  # type: ignore[misc]

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The literal parts without outer white space, the longest first."""
        found = [part.strip() for part in self.parts if isinstance(part, str) and part.strip()]
        return tuple(sorted(found, key=len, reverse=True))

    @cached_property
    def needle(self) -> str:
        """The longest piece without white space: every text that the template is found in contains it."""
        return max((piece for literal in self.literals for piece in literal.split()), key=len)

    @cached_property
    def word(self) -> str | None:
        """The longest piece that has white space on both sides, so that it is in `set(text.split())`; or None."""
        pieces = [piece for part in self.parts if isinstance(part, str) for piece in _inner_words(part)]
        return max(pieces, key=len, default=None)

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile("".join(_compiled(self.parts)))


def parse_template(source: str) -> Template:
    """Parse `source`. Raises SignatureError with the place (counted from 1) of what cannot be parsed."""
    template = Template(source, tuple(_parts(source)))
    _refuse_unsafe(template)
    return template


_TOKEN = Lazy(r"\{\{|\}\}|\{(?P<name>[A-Za-z_]\w{0,40})?:(?P<type>[a-z]{1,20})\}|[{}]|[^{}]+")


def _parts(source: str):
    literal = ""
    for token in _TOKEN.finditer(source):
        text = token[0]
        if text in ("{", "}"):
            raise SignatureError(
                (),
                f"column {token.start() + 1}: a lone '{text}': write {{name:type}}, or '{text * 2}' for the character",
            )
        if token["type"] is None:
            literal += text[0] if text in ("{{", "}}") else text
            continue
        if literal:
            yield literal
        literal = ""
        yield _hole(token)
    if literal:
        yield literal


def _hole(token: re.Match[str]) -> Hole:
    name, kind = token["name"], token["type"]
    if kind not in HOLES:
        raise SignatureError((), f"column {token.start() + 1}: no hole type '{kind}': choose from {', '.join(HOLES)}")
    return Hole(None if name in (None, "_") else name, kind)


def _refuse_unsafe(template: Template) -> None:
    words = [piece for literal in template.literals for piece in literal.split()]
    if max(map(len, words), default=0) < SHORTEST:
        raise SignatureError((), f"no word of {SHORTEST} literal characters: a template must say something itself")
    if isinstance(first := template.parts[0], Hole) and first.type == "text":
        raise SignatureError((), "a template cannot start with {:text}: it is searched anywhere as it is")
    names = [part.name for part in template.parts if isinstance(part, Hole) and part.name]
    if len(set(names)) < len(names):
        raise SignatureError((), f"the hole '{next(n for n in names if names.count(n) > 1)}' is there twice")
    for one, other in zip(template.parts, template.parts[1:], strict=False):
        if isinstance(one, Hole) and isinstance(other, Hole) and (one.type in _OPEN_ENDED or other.type in _OPEN_ENDED):
            raise SignatureError((), f"nothing tells where {{:{one.type}}} ends and {{:{other.type}}} starts")


def _inner_words(part: str) -> list[str]:
    """Words of a literal that cannot continue outside of it."""
    pieces = part.split()
    if pieces and not part[0].isspace():
        pieces = pieces[1:]
    if pieces and not part[-1].isspace():
        pieces = pieces[:-1]
    return [piece for piece in pieces if len(piece) >= SHORTEST]


def _literal(text: str) -> str:
    """Escaped literal in which a run of white space matches any run of white space."""
    return SPACE.join(re.escape(piece) for piece in re.split(r"\s+", text))


def _compiled(parts: tuple[str | Hole, ...]):
    holes: list[str] = []
    trimmed = _trimmed(parts)
    for place, part in enumerate(trimmed):
        if isinstance(part, str):
            yield f"(?>{''.join(holes)}{_literal(part)})"
            holes = []
            continue
        last = place == len(trimmed) - 1
        pattern = r"(?s:.){0,300}" if last and part.type == "text" else HOLES[part.type].pattern
        start = "" if place else _STARTS.get(part.type, "")
        holes.append(start + (f"(?P<{part.name}>{pattern})" if part.name else f"(?:{pattern})"))
    yield "".join(holes)


def _trimmed(parts: tuple[str | Hole, ...]) -> list[str | Hole]:
    """Without white space at the very ends, where it would only make the template miss."""
    out = list(parts)
    if isinstance(out[0], str):
        out[0] = out[0].lstrip()
    if isinstance(out[-1], str):
        out[-1] = out[-1].rstrip()
    return [part for part in out if part != ""]


def to_regex(source: str) -> str:
    """The template as a plain regular expression that common engines take, for other tools and by hand."""
    rows = []
    for part in _trimmed(parse_template(source).parts):
        if isinstance(part, str):
            rows.append(r"\s+".join(_plain_escape(piece) for piece in re.split(r"\s+", part)))
        else:
            pattern = r".{0,300}?" if part.type == "text" else HOLES[part.type].pattern
            rows.append(f"({pattern})")
    return "".join(rows)


def to_grep(source: str) -> str:
    """The template as a pattern for `grep -E` (POSIX extended), on one line."""
    rows = []
    for part in _trimmed(parse_template(source).parts):
        if isinstance(part, str):
            rows.append("[[:space:]]+".join(_plain_escape(piece) for piece in re.split(r"\s+", part)))
        else:
            rows.append(HOLES[part.type].extended)
    return "".join(rows)


def _plain_escape(text: str) -> str:
    return re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", text)
