"""7 write: one pure `pages()` feeds the MkDocs hook and a command that writes plain Markdown."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from .artifact import Artifact
from .catalog import load_catalog
from .exports import records
from .model import Catalog
from .pages import entry, indexes, language, scores
from .pages.page import Page

ASSETS = "assets/faultbook"


def pages(catalog: Catalog) -> tuple[Page, ...]:
    """Every generated page, sorted by path. Depends on the catalog alone."""
    made = [
        *entry.pages(catalog),
        *indexes.categories(catalog),
        *indexes.systems(catalog),
        *indexes.tags(catalog),
        indexes.proofs(catalog),
        indexes.home(catalog),
        language.language(),
        scores.scores(catalog),
    ]
    return tuple(sorted(made, key=lambda page: page.path))


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    """Every exported file, with paths below `assets/faultbook/`."""
    from .exports import EXPORTS

    return tuple(artifact for export in EXPORTS for artifact in export.artifacts(catalog))


def browser_files(root: Path) -> Iterator[tuple[str, Path]]:
    """(path in the site, file) of the widget and of the runtime as far as it has been built."""
    for pattern in ("*.mjs", "*.css"):
        for file in sorted((root / "theme" / "matcher").glob(pattern)):
            if not file.name.startswith("build"):
                yield f"{ASSETS}/{file.name}", file
    for file in sorted((root / "build" / "runtime").glob("*")):
        if file.is_file() and not file.name.startswith("."):
            yield f"{ASSETS}/runtime/{file.name}", file


def write_markdown(root: Path, out_dir: Path) -> int:
    """Write the generated and the hand-written pages as plain .md below `out_dir`; returns how many."""
    catalog, _ = load_catalog(root, content=False)
    written = {page.path: page.text for page in pages(catalog)}
    by_hand = root / "theme" / "pages"
    for file in sorted(by_hand.rglob("*.md")):
        written[file.relative_to(by_hand).as_posix()] = file.read_text(encoding="utf-8")
    for path, text in written.items():
        target = out_dir / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for artifact in records.artifacts(catalog):
        target = out_dir / ASSETS / artifact.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(artifact.data)
    return len(written)


def build(root: Path, strict: bool = True) -> Path:
    """Build the site and return its folder. Raises mkdocs' Abort on any fault, with strict on any warning."""
    _quiet()
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config

    config = load_config(config_file=str(root / "mkdocs.yml"), strict=strict)
    config.plugins.on_startup(command="build", dirty=False)
    mkdocs_build(config)
    return Path(config.site_dir)


class AddressTaken(Exception):
    """Nothing can be served at this address; str() says why."""


def serve(root: Path, addr: str) -> None:
    """Serve the site at `addr` (host:port) and rebuild it when an entry, a script or the theme changes.

    MkDocs logs what it does, the address first of all, to standard error. Raises AddressTaken.
    """
    _quiet()
    _refuse_taken(addr)
    from mkdocs.commands.serve import serve as mkdocs_serve

    log = logging.getLogger("mkdocs")
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)
    mkdocs_serve(config_file=str(root / "mkdocs.yml"), dev_addr=addr)


def _refuse_taken(addr: str) -> None:
    host, colon, port = addr.rpartition(":")
    if not colon or not port.isdigit():
        raise AddressTaken(f"'{addr}' is no host:port, such as 127.0.0.1:8000")
    with socket.socket() as probe:
        # As the server will: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except (OSError, OverflowError) as error:
            raise AddressTaken(f"cannot serve at {addr}: {error}; choose another with --addr host:port") from error


def _quiet() -> None:
    # Material advertises its successor on stderr at every build unless told not to.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
