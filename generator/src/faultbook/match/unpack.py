"""Stage 5, first step: what is inside a file. gzip, zip and tar are told by their first bytes, never by name.

Everything is bounded, because a crash log may come from anybody: at most `MEMBERS` files and `LIMIT` bytes
leave here, as streams, so that a bomb never stands in memory; what was cut or could not be opened is said in
the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from .decode import chunks_of

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
TAR = (257, b"ustar")
LIMIT = 1 << 30
HELD = 64 << 20  # bytes of an archive within another one, which must be held whole
MEMBERS = 500  # files and archives, those inside of archives included
NOTES = 20
DEPTH = 3
OTHER = {
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7-zip",
    b"Rar!": "rar",
}
_SLICE = 1 << 14  # bytes taken at a time from an archive; gzip unpacks them to a thousandfold at most
_BLOCK = 512  # of a tar file

Data = bytes | Iterable[bytes]
Files = Iterator[tuple[str, Data]]


class Budget:
    """What may still leave, and what was said about the rest."""

    def __init__(self, bytes: int = LIMIT, members: int = MEMBERS) -> None:
        self.bytes, self.members = bytes, members
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        if len(self.notes) < NOTES:
            self.notes.append(text)
        elif len(self.notes) == NOTES:
            self.notes.append("more files could not be read; only the first are named")


def open_source(name: str, data: Data, budget: Budget) -> Files:
    """The files inside `data` as (name, bytes or chunks); read each before asking for the next.

    A plain file comes back as itself. Members of an archive are named `archive/member`. Never raises for
    broken input: a damaged archive yields what could be read, and `budget.notes` say what could not.
    """
    said = len(budget.notes)
    empty = True
    for found in _open(name, data, budget, DEPTH):
        empty = False
        yield found
    if empty and len(budget.notes) == said:
        budget.note(f"{name}: an archive without files")


def _open(name: str, data: Data, budget: Budget, depth: int) -> Files:
    head, data = _head(data)
    opener = _opener(head)
    kind = next((kind for magic, kind in OTHER.items() if head.startswith(magic)), "")
    if opener and depth == 0:
        budget.note(f"{name}: archives are nested too deep; not opened")
    elif kind:
        budget.note(f"{name}: compressed with {kind}; unpack it first")
    elif budget.members <= 0:
        budget.note(f"{name}: not read; only the first {MEMBERS} files of an archive are")
    elif opener:
        budget.members -= depth < DEPTH
        yield from opener(name, data, budget, depth)
    else:
        budget.members -= depth < DEPTH
        yield name, data


def _opener(head: bytes) -> Callable[..., Files] | None:
    if head[:4] == ZIP:
        return _open_zip
    if head[:2] == GZIP:
        return _open_gzip
    return _open_tar if _is_tar(head) else None


def _is_tar(block: bytes) -> bool:
    at, magic = TAR
    return block[at : at + len(magic)] == magic


def _head(data: Data) -> tuple[bytes, Data]:
    """The first bytes, enough to tell what it is, and all of the data."""
    if isinstance(data, bytes):
        return data[:_BLOCK], data
    chunks, head = iter(data), b""
    for chunk in chunks:
        head += chunk
        if len(head) >= _BLOCK:
            break
    return head, chain([head], chunks)


def _taken(name: str, chunks: Iterable[bytes], budget: Budget) -> Iterator[bytes]:
    """`chunks` as far as the budget reaches."""
    for chunk in chunks:
        yield chunk[: budget.bytes]
        left, budget.bytes = budget.bytes, max(0, budget.bytes - len(chunk))
        if len(chunk) > left:
            budget.note(f"{name}: cut at the size limit")
            return


def _open_gzip(name: str, data: Data, budget: Budget, depth: int) -> Files:
    inner = name[: -len(".gz")] if name.endswith(".gz") else name
    yield from _open(inner, _taken(name, _unzipped(name, data, budget), budget), budget, depth - 1)


def _unzipped(name: str, data: Data, budget: Budget) -> Iterator[bytes]:
    """The text of a gzip file, which may hold several streams one after another, and padding behind them."""
    import zlib

    stream = zlib.decompressobj(wbits=31)
    try:
        for piece in chunks_of(data, _SLICE):
            while piece:
                if stream.eof:
                    if not piece.startswith(GZIP[: len(piece)]):
                        return
                    stream = zlib.decompressobj(wbits=31)
                if text := stream.decompress(piece):
                    yield text
                piece = stream.unused_data
    except zlib.error as fault:
        budget.note(f"{name}: damaged gzip ({fault})")
        return
    if not stream.eof:
        budget.note(f"{name}: cut short")


def _whole(name: str, data: Data, budget: Budget, depth: int) -> bytes:
    """An archive that can only be read at any place. Only what lies within another one may be a bomb."""
    if isinstance(data, bytes):
        return data
    limit = HELD if depth < DEPTH else LIMIT
    held, size = [], 0
    for chunk in data:
        held.append(chunk[: limit - size])
        size += len(chunk)
        if size > limit:
            budget.note(f"{name}: cut at the size limit")
            break
    return b"".join(held)


def _open_zip(name: str, data: Data, budget: Budget, depth: int) -> Files:
    import io
    import zipfile

    try:
        archive = zipfile.ZipFile(io.BytesIO(_whole(name, data, budget, depth)))
        members = [member for member in archive.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as fault:
        budget.note(f"{name}: damaged zip ({fault})")
        return
    if len(members) > budget.members:
        budget.note(f"{name}: only the first {budget.members} of {len(members)} files are read")
    for member in members[: budget.members]:
        inner = f"{name}/{member.filename}"
        yield from _open(inner, _taken(inner, _inflated(inner, archive, member, budget), budget), budget, depth - 1)


def _inflated(name: str, archive, member, budget: Budget) -> Iterator[bytes]:
    try:
        with archive.open(member) as stream:
            while chunk := stream.read(1 << 20):
                yield chunk
    except Exception as fault:  # each decompressor raises types of its own, some of them not documented
        budget.note(f"{name}: not read ({fault})")


def _open_tar(name: str, data: Data, budget: Budget, depth: int) -> Files:
    """ustar by hand: 512-byte headers with octal sizes. `tarfile` is outside this package's allow-list."""
    base = name[: -len(".tar")] if name.endswith(".tar") else name
    stream = _Stream(chunks_of(data, _SLICE))
    while _is_tar(header := stream.read(_BLOCK)):
        try:
            size = max(0, int(header[124:136].strip(b"\0 ") or b"0", 8))
        except ValueError:
            budget.note(f"{name}: damaged tar header")
            return
        body = stream.part(size)
        if header[156:157] in (b"0", b"\0") and size:
            member = header[:100].rstrip(b"\0").decode("utf-8", "replace")
            yield from _open(f"{base}/{member}", body, budget, depth - 1)
        for _ in body:  # what nobody read
            pass
        stream.read(-size % _BLOCK)
        if stream.short:
            budget.note(f"{name}: cut short")
            return


class _Stream:
    """Chunks read by count. `short` tells that they ended before a part did."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._held, self.short = chunks, b"", False

    def read(self, size: int) -> bytes:
        return b"".join(self._upto(size))

    def part(self, size: int) -> Iterator[bytes]:
        left = size
        for piece in self._upto(size):
            left -= len(piece)
            yield piece
        self.short = left > 0

    def _upto(self, size: int) -> Iterator[bytes]:
        while size > 0:
            self._held = self._held or next(self._chunks, b"")
            if not self._held:
                return
            piece, self._held = self._held[:size], self._held[size:]
            size -= len(piece)
            yield piece
