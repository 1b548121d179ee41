"""Each entry has its script repro/<category>/<id>.py, standalone and written to the end; each script an entry.

A script is pasted into files elsewhere, so it imports nothing of faultbook.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ..document import Document
from ..model import Catalog, Entry, Script
from ..problem import Mark, Problem

SCOPE = "catalog"
CODES = ("missing-repro", "orphan-repro", "repro-syntax", "repro-imports-faultbook", "repro-unfilled")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    known = {PurePosixPath(path).stem for path in documents if path.count("/") > 1}
    for entry in catalog.entries:
        script = catalog.scripts.get(entry.id)
        if script is None or script.path != entry.repro_path:
            yield _missing(entry, script, documents[entry.path])
    for id, script in catalog.scripts.items():
        if id not in known:
            yield Problem(Mark(script.path), "orphan-repro", f"there is no entry '{id}'", "rename or remove the script")
        yield from _faults(script)


def _missing(entry: Entry, script: Script | None, document: Document) -> Problem:
    hint = f"move {script.path} there" if script else "write the script; `faultbook new` shows its shape"
    return Problem(document.mark(("repro",)), "missing-repro", f"{entry.repro_path} is not there", hint)


def _faults(script: Script) -> Iterator[Problem]:
    for number, line in enumerate(script.text.splitlines(), 1):
        if "FILL:" in line:
            mark = Mark(script.path, number, line.index("FILL:") + 1)
            yield Problem(
                mark, "repro-unfilled", "this part is still to be written", line.partition("FILL:")[2].strip()
            )
    try:
        tree = ast.parse(script.text)
    except SyntaxError as error:
        mark = Mark(script.path, error.lineno or 1, error.offset or 1)
        yield Problem(mark, "repro-syntax", error.msg, "the script must run by itself")
        return
    for node in ast.walk(tree):
        if any(name.split(".")[0] == "faultbook" for name in _imported(node)):
            mark = Mark(script.path, node.lineno, node.col_offset + 1)
            hint = "a script stands alone: write what it needs into it"
            yield Problem(mark, "repro-imports-faultbook", "the script imports faultbook", hint)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
