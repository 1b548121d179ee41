"""Which lines of a big log hold one of many literals, at a cost that hardly depends on how many there are.

Logs repeat themselves: without their digits, most lines are equal to one seen before. So digits are deleted,
equal lines merged, and only lines of a new shape are searched, first their new words, then they themselves.
The literals found so are then looked for in the log as it stands. Nothing is missed: where a literal occurs,
the literal without its digits occurs in the line without its digits.

`faultbook.native` has one that looks at every byte and gives the same lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

DIGITS = b"0123456789"
HELD = 32 << 20  # bytes of lines learnt, beyond which all is forgotten and learnt again
COMMON = 10_000  # lines of one shape, after which another one is no news


class Prefilter:
    """Literals to look for, and what is known about the lines seen so far. Feed it the pieces of one log in order.

    `passed` counts lines that hold a literal and were passed over, since `COMMON` like them came before.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        self._literals: dict[bytes, list[bytes]] = {}  # without digits -> as they stand
        for literal in dict.fromkeys(literal.encode() for literal in literals):
            self._literals.setdefault(literal.translate(None, DIGITS), []).append(literal)
        # the longest part without white space: some word of a line with the literal contains it
        self._parts = {bare: max(bare.split() or [b""], key=len) for bare in self._literals}
        self.passed = 0
        self._forget()

    def _forget(self) -> None:
        self._held = 0
        self._counts: Counter[bytes] = Counter()  # hits of each shape
        self._telling: dict[bytes, tuple[bytes, ...]] = {}  # shape of a line -> literals it may hold
        self._silent: set[bytes] = set()
        self._words: set[bytes] = set()  # words that contain no part of any literal

    def lines(self, piece: bytes) -> set[int]:
        """Indices of the lines of `piece` (whole lines) that hold a literal."""
        hits = self.hits(piece)
        return self._news(hits, piece) if hits else hits

    def hits(self, piece: bytes) -> set[int]:
        """As `lines`, those included that repeat others."""
        fresh = set(piece.translate(None, DIGITS).split(b"\n")) - self._silent
        if not fresh:
            return set()
        new = fresh - self._telling.keys()
        found = {bare for shape in fresh - new for bare in self._telling[shape]} | self._learn(new)
        return lines_with(piece, [literal for bare in found for literal in self._literals[bare]])

    def _news(self, hits: set[int], piece: bytes) -> set[int]:
        """`hits` without those whose shape has come too often already."""
        lines = piece.split(b"\n")
        shapes = {at: lines[at].translate(None, DIGITS) for at in hits}
        news = {at for at, shape in shapes.items() if self._counts[shape] < COMMON}
        self._counts.update(shapes[at] for at in news)
        self.passed += len(hits) - len(news)
        return news

    def _learn(self, lines: set[bytes]) -> set[bytes]:
        """Remember which of these new lines hold what; returns all that was found in them."""
        text = b"\n".join(lines)
        if self._held + len(text) > HELD:
            self._forget()
        self._held += len(text)
        bares = self._possible(text)
        telling = {}
        if bares:
            telling = {line: held for line in lines if (held := tuple(bare for bare in bares if bare in line))}
        self._telling |= telling
        self._silent |= lines - telling.keys()
        return {bare for held in telling.values() for bare in held}

    def _possible(self, text: bytes) -> list[bytes]:
        """Literals that may be in `text`: it has a word with their longest part."""
        new = set(text.split()) - self._words
        joined = b"\n".join(new)
        parts = {part for part in self._parts.values() if part in joined}
        self._words |= {word for word in new if not any(part in word for part in parts)} if parts else new
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
    return lines_at(piece, places)


def lines_at(piece: bytes, places: Iterable[int]) -> set[int]:
    """Indices of the lines of `piece` in which these offsets lie."""
    hits: set[int] = set()
    line = last = 0
    for at in sorted(places):
        line += piece.count(b"\n", last, at)
        last = at
        hits.add(line)
    return hits
