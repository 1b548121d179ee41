"""Which lines of a big log hold one of many literals, at a cost that hardly depends on how many there are.

Logs repeat themselves: without their digits, most lines are equal to one seen before. So digits are deleted,
equal lines merged, and only lines of a new shape are searched, first their new words, then they themselves.
The literals found so are then looked for in the log as it stands. Nothing is missed: where a literal occurs,
the literal without its digits occurs in the line without its digits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

DIGITS = b"0123456789"
HELD = 1 << 16  # shapes and words remembered; beyond that all are forgotten and learnt again
LONG = 1000  # bytes of a line beyond which its shape is not remembered


class Prefilter:
    """Literals to look for, and what is known about the lines seen so far. Feed it the pieces of one log in order."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._literals: dict[bytes, list[bytes]] = {}  # without digits -> as they stand
        for literal in dict.fromkeys(literal.encode() for literal in literals):
            self._literals.setdefault(literal.translate(None, DIGITS), []).append(literal)
        self._always = self._literals.pop(b"", [])
        # the longest part without white space: some word of a line with the literal contains it
        self._parts = {bare: max(bare.split() or [b""], key=len) for bare in self._literals}
        self._telling: dict[bytes, tuple[bytes, ...]] = {}
        self._silent: set[bytes] = set()
        self._words: set[bytes] = set()  # words that contain no part of any literal

    def lines(self, piece: bytes) -> set[int]:
        """Indices of the lines of `piece` (whole lines) that hold a literal."""
        fresh = set(piece.translate(None, DIGITS).split(b"\n")) - self._silent
        if not fresh and not self._always:
            return set()
        found = {bare for line in fresh & self._telling.keys() for bare in self._telling[line]}
        found.update(self._learn(fresh - self._telling.keys()))
        return lines_with(piece, [*self._always, *(literal for bare in found for literal in self._literals[bare])])

    def _learn(self, lines: set[bytes]) -> set[bytes]:
        """Remember which of these new lines hold what; returns all that was found in them."""
        if len(self._silent) + len(self._telling) + len(self._words) > HELD:
            self._silent, self._telling, self._words = set(), {}, set()
        text = b"\n".join(lines)
        bares = self._possible(text)
        found: set[bytes] = set()
        for line in lines:
            held = tuple(bare for bare in bares if bare in line)
            found.update(held)
            if len(line) <= LONG:
                if held:
                    self._telling[line] = held
                else:
                    self._silent.add(line)
        return found

    def _possible(self, text: bytes) -> list[bytes]:
        """Literals that may be in `text`: it has a word with their longest part."""
        new = set(text.split()) - self._words
        joined = b"\n".join(new)
        parts = {part for part in self._parts.values() if part in joined}
        known = {word for word in new if len(word) <= LONG and not any(part in word for part in parts)}
        self._words |= known
        return [bare for bare, part in self._parts.items() if part in parts and bare in text]


def lines_with(piece: bytes, literals: Collection[bytes]) -> set[int]:
    """Indices of the lines of `piece` that hold one of `literals`."""
    places: set[int] = set()
    for literal in literals:
        at = piece.find(literal)
        while at >= 0:
            places.add(at)
            end = piece.find(b"\n", at)
            at = piece.find(literal, end) if end >= 0 else -1
    hits: set[int] = set()
    line = last = 0
    for at in sorted(places):
        line += piece.count(b"\n", last, at)
        last = at
        hits.add(line)
    return hits
