"""Log files from the disk or standard input, as byte chunks: a file of any size is never held whole.

`os` instead of `pathlib`, whose import alone takes as long as reading a short log.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator

CHUNK = 1 << 20
Source = tuple[str, Iterable[bytes]]
Progress = Callable[[int], None]


class Unreadable(Exception):
    """A path that cannot be read; str() names it and says why."""


def find_logs(paths: Iterable[str]) -> list[str]:
    """The files named, folders searched in name order; `-` stays, once. Raises Unreadable."""
    found: list[str] = []
    for path in paths:
        try:
            found += [path] if path == "-" else _files(path)
        except OSError as error:
            raise Unreadable(f"{error.filename or path}: {error.strerror or error}") from error
    return list(dict.fromkeys(found))


def _files(path: str) -> list[str]:
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Unreadable(f"{path}: no such file or folder") from None
    if stat.S_ISREG(mode):
        return [path]
    if not stat.S_ISDIR(mode):  # a pipe or a device might never end
        raise Unreadable(f"{path}: neither a file nor a folder; give its text on standard input, with -")
    inside = sorted(file for file in _below(path) if os.path.isfile(file))
    if not inside:
        raise Unreadable(f"{path}: the folder holds no files")
    return inside


def _below(folder: str) -> Iterator[str]:
    """What is below `folder`, but folders and hidden files. Raises OSError for what may not be looked into."""
    for place, _, names in os.walk(folder, onerror=_refuse):
        yield from (os.path.join(place, name) for name in names if not name.startswith("."))


def _refuse(error: OSError) -> None:
    raise error


def total_size(paths: Iterable[str]) -> int:
    return sum(os.path.getsize(path) for path in paths if path != "-")


def open_logs(paths: Iterable[str], progress: Progress = lambda _: None) -> Iterator[Source]:
    """(name, chunks) for each, as they stand: unpacking is the matcher's. Raises Unreadable."""
    for path in paths:
        yield ("stdin" if path == "-" else path), _chunks(path, progress)


def _chunks(path: str, progress: Progress) -> Iterator[bytes]:
    if path == "-" and sys.stdin is None:
        raise Unreadable("standard input is closed")
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
                progress(len(chunk))
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from error
