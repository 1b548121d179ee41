"""Bytes to physical lines: UTF-8 or UTF-16, with or without a byte order mark, never an error.

Works a chunk at a time, so a file of any size streams in bounded memory; a line longer than `LONGEST` is
given out in pieces with the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

CHUNK = 1 << 20
LONGEST = 1 << 18


def chunks_of(data: bytes | Iterable[bytes], size: int = CHUNK) -> Iterator[bytes]:
    """`data` in pieces of at most `size` bytes, whatever pieces it came in."""
    for piece in (data,) if isinstance(data, (bytes, bytearray, memoryview)) else data:
        for start in range(0, len(piece), size):
            yield bytes(piece[start : start + size])


def encoding(head: bytes) -> str:
    """`utf-8`, `utf-16-le` or `utf-16-be`, told from the first bytes of a file."""
    if head[:2] == b"\xff\xfe":
        return "utf-16-le"
    if head[:2] == b"\xfe\xff":
        return "utf-16-be"
    head = head[:4096]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > len(head) * 0.3 and even <= odd * 0.1:  # PowerShell's redirect, with the mark cut off
        return "utf-16-le"
    if even > len(head) * 0.3 and odd <= even * 0.1:
        return "utf-16-be"
    return "utf-8"


def utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same text as UTF-8 bytes without a byte order mark; UTF-8 input passes through untouched."""
    pieces = iter(chunks)
    head = next(pieces, b"")
    for more in pieces:  # a stream may start with tiny pieces
        if len(head) >= 4:
            yield from _recode(head, more, pieces)
            return
        head += more
    yield from _recode(head, b"", pieces)


def _recode(head: bytes, second: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    name = encoding(head)
    if name == "utf-8":
        yield head.removeprefix(b"\xef\xbb\xbf")
        yield second
        yield from rest
        return
    carry = b""
    high = slice(-1, None) if name == "utf-16-le" else slice(-2, -1)
    for chunk in _chain(head, second, rest):
        whole = carry + chunk
        cut = len(whole) & ~1
        # a surrogate pair may straddle two chunks
        if cut and 0xD8 <= whole[:cut][high][0] <= 0xDB:
            cut -= 2
        carry = whole[cut:]
        yield whole[:cut].decode(name, "replace").lstrip("\ufeff").encode("utf-8", "replace")
    yield carry.decode(name, "replace").encode("utf-8", "replace")


def _chain(head: bytes, second: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield second
    yield from rest


def physical_lines(data: bytes | Iterable[bytes], first_line: int = 1) -> Iterator[tuple[int, str]]:
    """(number, text without its line end) for every physical line, numbered from `first_line`."""
    number = first_line
    rest = b""
    for chunk in utf8(chunks_of(data)):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield from _pieces(number, line)
            number += 1
        while len(rest) > LONGEST:
            yield number, rest[:LONGEST].decode("utf-8", "replace")
            rest = rest[LONGEST:]
    if rest:
        yield from _pieces(number, rest)


def _pieces(number: int, line: bytes) -> Iterator[tuple[int, str]]:
    if len(line) <= LONGEST:
        yield number, line.decode("utf-8", "replace")
        return
    for start in range(0, len(line), LONGEST):
        yield number, line[start : start + LONGEST].decode("utf-8", "replace")
