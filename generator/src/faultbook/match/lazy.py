"""Regular expressions that are compiled when a text comes that they may match.

A short log needs a few of some two hundred, and compiling all of them takes longer than Python's start. So each
knows literals of which one is in every text that it matches; where none of them is, the answer is known without it.
"""

from __future__ import annotations

import re
from functools import cached_property

_CLOSED = ("(?!", "(?<", "(?i", "(?s", "(?x")  # groups whose text a match need not contain as it stands
Marks = tuple[str, ...]  # one of them is in every text that matches; empty: nothing is known


class Lazy:
    """As `re.compile` returns it. Its methods check the literals until the first text that may match."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        return self._ready().match(text, *span) if self._possible(text) else None

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        return self._ready().search(text, *span) if self._possible(text) else None

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        return self._ready().fullmatch(text, *span) if self._possible(text) else None

    def sub(self, by, text: str, count: int = 0) -> str:
        return self._ready().sub(by, text, count) if self._possible(text) else text

    def __getattr__(self, name: str):  # finditer, split, groupindex …
        return getattr(self._ready(), name)

    def __reduce__(self):
        return Lazy, (self.pattern, self.flags)

    @cached_property
    def marks(self) -> Marks:
        return () if self.flags & (re.IGNORECASE | re.VERBOSE) else required(self.pattern)

    def _possible(self, text: str) -> bool:
        marks = self.marks
        return not marks or any(mark in text for mark in marks)

    def _ready(self) -> re.Pattern[str]:
        """The compiled one, whose methods stand in front of ours from now on."""
        compiled = re.compile(self.pattern, self.flags)
        for name in ("match", "search", "fullmatch", "sub", "findall", "finditer", "split"):
            self.__dict__[name] = getattr(compiled, name)
        return compiled


def required(pattern: str) -> Marks:
    """Literals of which every match of `pattern` contains one, the most telling ones that a quick look finds."""
    branches, rest = _branches(pattern, 0)
    return _united(branches) if rest == len(pattern) else ()


def _united(branches: list[Marks]) -> Marks:
    return tuple(dict.fromkeys(mark for marks in branches for mark in marks)) if all(branches) else ()


def _branches(pattern: str, at: int) -> tuple[list[Marks], int]:
    """The best literals of each alternative from `at` on, and where the closing parenthesis or the end is."""
    branches: list[Marks] = []
    best: Marks = ()
    run = ""
    while at < len(pattern) and pattern[at] != ")":
        character = pattern[at]
        if character == "\\" and not pattern[at + 1].isalnum():
            run, at = run + pattern[at + 1], at + 2
        elif character not in "\\([|?*+{.^$":
            run, at = run + character, at + 1
        else:
            last = run[:-1] if character in "?*+{" else run
            best, run = _better(best, (last,) if last else ()), ""
            if character == "|":
                branches.append(best)
                best = ()
            found, at = _special(pattern, at)
            best = _better(best, found)
    return [*branches, _better(best, (run,) if run else ())], at


def _special(pattern: str, at: int) -> tuple[Marks, int]:
    """What the group or other special part at `at` requires, and where it ends."""
    character = pattern[at]
    if character == "[":
        return (), _behind_class(pattern, at)
    if character == "\\":
        return (), at + 2
    if character == "{":
        return (), pattern.index("}", at) + 1
    if character != "(":
        return (), at + 1
    start = at + 1
    if pattern[start : start + 1] == "?":
        named = pattern.startswith("(?P<", at)
        start = pattern.index(">", at) + 1 if named else at + 3
    branches, end = _branches(pattern, start)
    optional = pattern[end + 1 : end + 2] in ("?", "*", "{") or pattern.startswith(_CLOSED, at)
    return (() if optional else _united(branches)), end + 1


def _behind_class(pattern: str, at: int) -> int:
    at += 2 if pattern.startswith("[^", at) else 1
    at += pattern[at] == "]"  # right at the start it is one of the characters
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _better(one: Marks, other: Marks) -> Marks:
    """Those whose shortest is longer; fewer where that is equal."""

    def worth(marks: Marks) -> tuple[int, int]:
        return min(map(len, marks), default=0), -len(marks)

    return max(one, other, key=worth)
