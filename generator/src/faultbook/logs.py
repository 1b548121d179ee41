"""Log files from the disk or standard input, as byte chunks: a file of any size is never held whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

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
    if Path(path).is_file():
        return [path]
    if not Path(path).exists():
        raise Unreadable(f"{path}: no such file or folder")
    if not Path(path).is_dir():  # a pipe or a device might never end
        raise Unreadable(f"{path}: neither a file nor a folder; give its text on standard input, with -")
    inside = sorted(str(file) for file in _below(path) if file.is_file() and not file.name.startswith("."))
    if not inside:
        raise Unreadable(f"{path}: the folder holds no files")
    return inside


def _below(folder: str) -> Iterator[Path]:
    """Everything below `folder` that is no folder. Raises OSError for what may not be looked into."""
    for place, _, names in os.walk(folder, onerror=_refuse):
        yield from (Path(place, name) for name in names)


def _refuse(error: OSError) -> None:
    raise error


def total_size(paths: Iterable[str]) -> int:
    return sum(Path(path).stat().st_size for path in paths if path != "-")


def open_logs(paths: Iterable[str], progress: Progress = lambda _: None) -> Iterator[Source]:
    """(name, chunks) for each, as they stand: unpacking is the matcher's. Raises Unreadable."""
    for path in paths:
        yield ("stdin" if path == "-" else path), _chunks(path, progress)


def _chunks(path: str, progress: Progress) -> Iterator[bytes]:
    if path == "-" and sys.stdin is None:
        raise Unreadable("standard input is closed")
    try:
        with sys.stdin.buffer if path == "-" else Path(path).open("rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
                progress(len(chunk))
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from error
