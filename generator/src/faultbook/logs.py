"""Log files from the disk or standard input, as byte chunks: a file of any size is never held whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

CHUNK = 1 << 20
_ARCHIVES = (b"\x1f\x8b", b"PK\x03\x04")
Source = tuple[str, bytes | Iterable[bytes]]
Progress = Callable[[int], None]


class Unreadable(Exception):
    """A path that cannot be read; str() names it and says why."""


def find_logs(paths: Iterable[str]) -> list[str]:
    """The files named, folders searched in name order; `-` stays. Raises Unreadable."""
    found: list[str] = []
    for path in paths:
        if path == "-" or Path(path).is_file():
            found.append(path)
        elif Path(path).is_dir():
            inside = sorted(str(p) for p in Path(path).rglob("*") if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise Unreadable(f"{path}: the folder holds no files")
            found += inside
        else:
            raise Unreadable(f"{path}: no such file or folder")
    return found


def total_size(paths: Iterable[str]) -> int:
    return sum(Path(path).stat().st_size for path in paths if path != "-")


def open_logs(paths: Iterable[str], progress: Progress = lambda _: None) -> Iterator[Source]:
    """(name, chunks) for each; compressed files whole, since unpacking is the matcher's. Raises Unreadable."""
    for path in paths:
        try:
            yield ("stdin" if path == "-" else path), _chunks(path, progress)
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror or error}") from error


def _chunks(path: str, progress: Progress) -> bytes | Iterator[bytes]:
    stream = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115 (closed by _read)
    head = stream.read(CHUNK)
    progress(len(head))
    if head.startswith(_ARCHIVES):
        with stream:
            rest = stream.read()
        progress(len(rest))
        return head + rest
    return _read(head, stream, progress)


def _read(head: bytes, stream, progress: Progress) -> Iterator[bytes]:
    with stream:
        while head:
            yield head
            head = stream.read(CHUNK)
            progress(len(head))
