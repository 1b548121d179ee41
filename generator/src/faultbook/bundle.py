"""The compiled data an installed `faultbook` reads: the signature index, and entries for `explain`.

In a source checkout the files are compiled again as soon as an entry is newer; in a wheel they are fixed.
`os` instead of `pathlib`, whose import alone takes as long as reading a short log.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(_PACKAGE, "data")
INDEX, ENTRIES = "index.json", "entries.json"
_CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(_PACKAGE)))  # the root, if this is a checkout


class StaleBundle(Exception):
    """The entries of this checkout could not be compiled; str() says what to do."""


def read_bundle(name: str) -> str:
    """Text of a bundled file, compiled first where a checkout's entries are newer than it."""
    path = os.path.join(DATA, name)
    if is_checkout() and _is_stale(path):
        write_bundle(_CHECKOUT)
    if not os.path.isfile(path):
        raise StaleBundle(f"{name} is missing from this installation: install faultbook again")
    return read_text(path)


def read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_checkout() -> bool:
    return os.path.isfile(os.path.join(_CHECKOUT, "entries", "categories.yaml"))


def _is_stale(path: str) -> bool:
    if not os.path.isfile(path):
        return True
    written = os.stat(path).st_mtime
    entries, match = os.path.join(_CHECKOUT, "entries"), os.path.join(_PACKAGE, "match")
    sources = (*_files(entries, ".yaml"), *_files(match, ".py"), *_files(os.path.join(_PACKAGE, "exports"), ".py"))
    return any(source.stat().st_mtime > written for source in sources)


def _files(folder: str, ending: str) -> Iterator[os.DirEntry]:
    for item in os.scandir(folder):
        if item.name.endswith(ending):
            yield item
        elif item.is_dir():
            yield from _files(item.path, ending)


def write_bundle(root: str | os.PathLike[str]) -> str:
    """Compile the entries below `root` into DATA and return that folder. Faulty entries are left out."""
    from pathlib import Path

    from .catalog import load_catalog
    from .exports import EXPORTS

    catalog, _ = load_catalog(Path(root))
    os.makedirs(DATA, exist_ok=True)
    for export in EXPORTS:
        for artifact in export.artifacts(catalog):
            if artifact.path in (INDEX, ENTRIES):
                Path(DATA, artifact.path).write_bytes(artifact.data)
    return DATA
