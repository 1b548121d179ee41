"""Stage 1, parse: YAML text to plain data with a mark for every node. The package's only use of PyYAML.

A strict subset is read: one document, text keys, no anchors, aliases, merges or tags, bounded size and
depth. Plain scalars follow YAML 1.2's core schema, so `yes`, `on` and `2026-12-01` stay text, as in editors.

The parser's events are read directly rather than composed nodes: libyaml's composer recurses and resolves
aliases before anybody can refuse them, and nodes do not tell anchors.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from .document import Document, Place
from .problem import Mark, Problem

CODES = (
    "alias", "complex-key", "duplicate-key", "not-utf-8", "syntax-error", "tag", "too-deep", "too-large",
)  # fmt: skip
MAX_BYTES = 1 << 20
MAX_DEPTH = 24

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where libyaml is there
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
          "null": None, "Null": None, "NULL": None, "~": None, "": None}  # fmt: skip
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")  # what libyaml counts as a line
_INT = re.compile(r"[-+]?[0-9]{1,40}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,4})?")


def parse(source: bytes | str, path: str) -> tuple[Document, list[Problem]]:
    """Read one YAML document. With a fatal fault the document holds what came before it, or None."""
    if len(source) > MAX_BYTES:
        return _nothing(path, "too-large", f"{len(source)} bytes, more than {MAX_BYTES}", "split the file")
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return _nothing(
            path, "not-utf-8", f"byte {error.start} is no UTF-8", "save the file as UTF-8",
            _place_of(source[: error.start].decode("utf-8", "replace")),
        )  # fmt: skip
    builder, whole = _Builder(path, text), False
    try:
        builder.run()
        whole = True
    except _Stop:
        pass
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        builder.problems.append(_syntax_error(error, path, text))
    return Document(path, builder.data, builder.place or Place(0, 0, None, {}), whole), builder.problems


def syntax_problem(text: str, path: str) -> Problem | None:
    """The first YAML syntax error of a stream of any number of documents, whatever they hold."""
    try:
        for _ in yaml.parse(text, Loader=_LOADER):
            pass
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        return _syntax_error(error, path, text)
    return None


class _Stop(Exception):
    """Nothing after this fault can be read sensibly."""


@dataclass
class _Open:
    """A collection whose end has not come; in a mapping `key` waits for its value."""

    data: dict[str, Any] | list[Any]
    place: Place
    key: tuple[str, tuple[int, int]] | None = None


@dataclass
class _Builder:
    """Turns events into data and places, with an explicit stack: depth is bounded, nothing recurses."""

    path: str
    text: str
    data: Any = None
    place: Place | None = None
    problems: list[Problem] = field(default_factory=list)
    _stack: list[_Open] = field(default_factory=list)

    def run(self) -> None:
        self._lines = _LINE_BREAK.split(self.text)
        handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: lambda event: self._open(event, {}),
            yaml.SequenceStartEvent: lambda event: self._open(event, []),
            yaml.MappingEndEvent: lambda _: self._stack.pop(),
            yaml.SequenceEndEvent: lambda _: self._stack.pop(),
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        for event in yaml.parse(self.text, Loader=_LOADER):
            handler = handlers.get(type(event))
            if handler:
                handler(event)

    def _document(self, event: yaml.Event) -> None:
        if self.place:
            self._report(event, "syntax-error", "a second document starts here", "keep one document a file")
            raise _Stop

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        self._refuse_properties(event)
        top = self._stack[-1] if self._stack else None
        if top and isinstance(top.data, dict) and top.key is None:
            self._key(event, top)
            return
        value = _resolve(event.value) if event.implicit[0] else event.value
        indent = self._indent(event) if event.style == "|" else None
        self._add(event, value, indent)

    def _key(self, event: yaml.ScalarEvent, top: _Open) -> None:
        if event.value in top.data:
            first = top.place.children[event.value]
            line = first.key[0] if first.key else first.line
            self._report(
                event, "duplicate-key", f"'{event.value}' is given twice in one mapping",
                f"the first is in line {line + 1}: keep one of them",
            )  # fmt: skip
        top.key = (event.value, (event.start_mark.line, event.start_mark.column))

    def _open(self, event: yaml.CollectionStartEvent, data: dict[str, Any] | list[Any]) -> None:
        self._refuse_properties(event)
        if len(self._stack) >= MAX_DEPTH:
            self._report(event, "too-deep", f"nested more than {MAX_DEPTH} levels", "flatten the structure")
            raise _Stop
        top = self._stack[-1] if self._stack else None
        if top and isinstance(top.data, dict) and top.key is None:
            self._report(event, "complex-key", "a collection serves as a key", "use text as the key; quote { and [")
            raise _Stop
        self._stack.append(_Open(data, self._add(event, data, None)))

    def _add(self, event: yaml.Event, value: Any, indent: int | None) -> Place:
        top = self._stack[-1] if self._stack else None
        key = top.key[1] if top and top.key else None
        place = Place(event.start_mark.line, event.start_mark.column, key, {}, indent)
        if top is None:
            self.data, self.place = value, place
        elif isinstance(top.data, list):
            top.place.children[len(top.data)] = place
            top.data.append(value)
        elif top.key:
            name, top.key = top.key[0], None
            top.data[name], top.place.children[name] = value, place
        return place

    def _alias(self, event: yaml.AliasEvent) -> None:
        self._report(event, "alias", f"'*{event.anchor}' is an alias", "write the value out where it is needed")
        if self._stack and isinstance(self._stack[-1].data, dict) and self._stack[-1].key is None:
            raise _Stop
        self._add(event, None, None)

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor:
            self._report(event, "alias", f"'&{event.anchor}' is an anchor", "remove it; entries have no aliases")
        if event.tag:
            self._report(event, "tag", f"'{event.tag}' is a YAML tag", "remove it; quote a text that starts with !")

    def _indent(self, event: yaml.ScalarEvent) -> int | None:
        """The column where a literal block's text starts: measured at its first line that is not blank."""
        for number, content in enumerate(_LINE_BREAK.split(event.value), event.start_mark.line + 1):
            if content.strip() and number < len(self._lines):
                raw = self._lines[number]
                return len(raw) - len(raw.lstrip(" ")) - (len(content) - len(content.lstrip(" ")))
        return None

    def _report(self, event: yaml.Event, code: str, message: str, hint: str) -> None:
        mark = Mark(self.path, event.start_mark.line + 1, event.start_mark.column + 1)
        self.problems.append(Problem(mark, code, message, hint))


def _resolve(text: str) -> Any:
    """The value of a plain scalar in YAML 1.2's core schema, without octal, hexadecimal, .inf and .nan."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _syntax_error(error: Exception, path: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        place = (mark.line, mark.column)
    else:  # libyaml's reader tells a byte offset only
        offset = getattr(error, "position", getattr(error, "start", 0)) or 0
        place = _place_of(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace"))
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error).partition("\n")[0]
    return Problem(Mark(path, place[0] + 1, place[1] + 1), "syntax-error", str(said), _syntax_hint(str(said)))


def _syntax_hint(said: str) -> str:
    for part, hint in _SYNTAX_HINTS:
        if part in said:
            return hint
    return "look at this line and the one above: indentation, a missing colon, an unclosed quote"


_SYNTAX_HINTS = (
    ("cannot start any token", "quote a text that starts with a character YAML reserves; indent with spaces"),
    ("mapping values are not allowed", "quote the text, or write it as a block with |: it contains ': '"),
    ("unknown escape", "in double quotes a backslash starts an escape; use single quotes or a block with |"),
    ("control characters", "remove the control character; write colour codes of a log without ESC"),
    ("surrogates", "remove the lone surrogate character"),
)  # fmt: skip


def _place_of(before: str) -> tuple[int, int]:
    return before.count("\n"), len(before) - (before.rfind("\n") + 1)


def _nothing(
    path: str, code: str, message: str, hint: str, place: tuple[int, int] = (0, 0)
) -> tuple[Document, list[Problem]]:
    mark = Mark(path, place[0] + 1, place[1] + 1)
    return Document(path, None, Place(0, 0, None, {}), False), [Problem(mark, code, message, hint)]
