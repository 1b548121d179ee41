"""The compiled data an installed `faultbook` reads: the signature index, and entries for `explain`.

In a source checkout the files are compiled again as soon as an entry is newer; in a wheel they are fixed.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
INDEX, ENTRIES = "index.json", "entries.json"
_CHECKOUT = Path(__file__).parents[3]  # generator/src/faultbook -> the root, if this is a checkout


class StaleBundle(Exception):
    """The entries of this checkout could not be compiled; str() says what to do."""


def read_bundle(name: str) -> str:
    """Text of a bundled file, compiled first where a checkout's entries are newer than it."""
    if is_checkout() and _is_stale(DATA / name):
        write_bundle(_CHECKOUT)
    path = DATA / name
    if not path.is_file():
        raise StaleBundle(f"{path.name} is missing from this installation: install faultbook again")
    return path.read_text(encoding="utf-8")


def is_checkout() -> bool:
    return (_CHECKOUT / "entries" / "categories.yaml").is_file()


def _is_stale(path: Path) -> bool:
    if not path.is_file():
        return True
    written = path.stat().st_mtime
    package = Path(__file__).parent
    sources = (*(_CHECKOUT / "entries").glob("**/*.yaml"), *(package / "match").glob("*.py"))
    return any(source.stat().st_mtime > written for source in sources)


def write_bundle(root: Path) -> Path:
    """Compile the entries below `root` into DATA and return that folder. Faulty entries are left out."""
    from .catalog import load_catalog
    from .exports import EXPORTS

    catalog, _ = load_catalog(root)
    DATA.mkdir(exist_ok=True)
    for export in EXPORTS:
        for artifact in export.artifacts(catalog):
            if artifact.path in (INDEX, ENTRIES):
                (DATA / artifact.path).write_bytes(artifact.data)
    return DATA
