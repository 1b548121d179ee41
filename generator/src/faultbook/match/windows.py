"""The parts of a big log worth reading, found at the speed of `bytes.find`.

A log of 100 MB is mostly healthy lines. `interesting` passes over them and yields windows of lines around
triggers; each window then gets the full treatment:

    for first, piece in interesting(chunks, TRIGGERS, CONTEXT_BEFORE, CONTEXT_AFTER):
        records += read(name, piece, first_line=first)

Windows never overlap and come in order, so the records of all windows of a file can simply be chained.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from .decode import CHUNK, chunks_of, utf8
from .prefilter import Prefilter

LONGEST_LINE = 2 * CHUNK
WIDEST = 16 * CHUNK  # bytes of a window; what goes on beyond that is another one


class _Windows:
    """Lines go in, closed windows come out: the state between two lines."""

    def __init__(self, before: int, after: int) -> None:
        self.after = after
        self.number = 1  # of the next line
        self.passed: deque[bytes] = deque(maxlen=before)  # lines just passed, in case a trigger follows
        self.held: list[bytes] = []  # the open window
        self.start = 1
        self.size = 0
        self.open = 0  # lines the open window still takes

    def line(self, text: bytes, hit: bool) -> Iterator[tuple[int, bytes]]:
        if (hit or self.open) and not self.held:
            self.start = self.number - len(self.passed)
            self.held.extend(self.passed)
            self.passed.clear()
        if hit or self.open:
            self.held.append(text)
            self.size += len(text) + 1
            self.open = self.after if hit else self.open - 1
        else:
            self.passed.append(text)
        self.number += 1
        if self.held and (not self.open or self.size > WIDEST):
            yield from self.close()

    def skip(self, piece: bytes) -> None:
        """Whole lines without a trigger, none of them wanted by an open window."""
        wanted = self.passed.maxlen or 0
        self.passed.extend(piece.rsplit(b"\n", wanted + 1)[-wanted - 1 : -1] if wanted else ())
        self.number += piece.count(b"\n")

    def close(self) -> Iterator[tuple[int, bytes]]:
        if self.held:
            yield self.start, b"\n".join(self.held) + b"\n"
            self.held, self.size = [], 0


def interesting(
    chunks: bytes | Iterable[bytes], triggers: Iterable[str] | Prefilter, before: int, after: int
) -> Iterator[tuple[int, bytes]]:
    """Windows (number of the first line, UTF-8 bytes) around every line that holds a trigger.

    A window reaches from `before` lines ahead of a trigger to `after` lines behind it; windows that overlap
    are one. Line numbers are those of the whole input. Memory: a few chunks and a window of `WIDEST`.
    Of trigger lines that differ only in digits, those beyond `prefilter.COMMON` open no window; give a Prefilter
    to learn how many those were.
    """
    prefilter = triggers if isinstance(triggers, Prefilter) else Prefilter(triggers)
    windows = _Windows(before, after)
    for piece in _whole_lines(utf8(chunks_of(chunks))):
        hits = prefilter.lines(piece)
        if hits:
            for index, line in enumerate(piece[:-1].split(b"\n")):
                yield from windows.line(line, index in hits)
            continue
        while windows.open and piece:
            line, _, piece = piece.partition(b"\n")
            yield from windows.line(line, False)
        if piece:
            windows.skip(piece)
    yield from windows.close()


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces that end with a line end. An endless line is given out at `LONGEST_LINE`, as if it had ended."""
    rest: list[bytes] = []
    size = 0
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, chunk[:cut]])
            rest, size = [], 0
        rest.append(chunk[cut:])
        size += len(chunk) - cut
        if size > LONGEST_LINE:
            yield b"".join(rest) + b"\n"
            rest, size = [], 0
    if size:
        yield b"".join(rest) + b"\n"
