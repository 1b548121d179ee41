"""Stages 1 to 4 over the tree: `load_catalog` reads entries/ and repro/ and returns every problem at once.

A faulty file is reported and left out; whatever else there is stays usable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from . import checks
from .document import Document
from .match.index import SignatureIndex
from .model import Catalog, Entry, Proof, Script, Term, entry_from, proof_from
from .problem import Mark, Problem, Severity
from .schema import ENTRY, VOCABULARY, shape
from .signature_index import index_of
from .source import parse

CODES = ("bad-proof", "missing-file")
VOCABULARIES = ("categories", "systems", "tags")


def load_catalog(root: Path, *, content: bool = True) -> tuple[Catalog, tuple[Problem, ...]]:
    """Everything below `root` that can be published, and every problem, in file order.

    Without `content` the checks that change nothing of the catalog are left out: the site, which shows what
    there is, is built again at every save, and matching all examples takes most of the time.
    An entry with an error in syntax, shape or structure is not in the catalog. Raises nothing for what
    files hold; OSError where one cannot be read.
    """
    documents: dict[str, Document] = {}
    problems: list[Problem] = []
    terms = {name: _vocabulary(root, name, documents, problems) for name in VOCABULARIES}
    entries = tuple(_entries(root, documents, problems))
    proofs, faults = load_proofs(root)
    problems += faults
    catalog = Catalog(entries=entries, proofs=proofs, scripts=load_scripts(root), **terms)
    catalog = _checked(catalog, documents, problems, checks.CONTENT if content else ())
    return catalog, tuple(sorted(dict.fromkeys(problems), key=lambda problem: problem.sort_key))


def load_scripts(root: Path) -> Mapping[str, Script]:
    """Every repro script by entry id (its stem)."""
    return {path.stem: _script(path, root) for path in sorted((root / "repro").glob("*/*.py"))}


def load_proofs(root: Path) -> tuple[tuple[Proof, ...], list[Problem]]:
    """Every recorded proof with its logs' text, and a problem for each that is not as the runner writes it."""
    proofs, problems = [], []
    for path in sorted((root / "repro").glob("*/*.json")):
        try:
            proofs.append(_proof(path, root))
        except Exception as error:  # cattrs raises many kinds, all meaning: not a proof
            problems.append(_bad_proof(path, root, error))
    return tuple(proofs), problems


def _checked(
    catalog: Catalog, documents: Mapping[str, Document], problems: list[Problem], content: Sequence[ModuleType]
) -> Catalog:
    for check in checks.STRUCTURE:
        found = list(checks.run((check,), catalog, documents))
        problems += found
        catalog = _without(catalog, found)
    problems += checks.run(content, catalog, documents, lambda: _index(catalog, documents))
    return catalog


def _without(catalog: Catalog, problems: Iterable[Problem]) -> Catalog:
    faulty = {problem.mark.path for problem in problems if problem.severity is Severity.ERROR}
    return replace(catalog, entries=tuple(entry for entry in catalog.entries if entry.path not in faulty))


def _index(catalog: Catalog, documents: Mapping[str, Document]) -> SignatureIndex:
    return index_of({**documents[entry.path].data, "url": entry.url} for entry in catalog.entries)


def _vocabulary(root: Path, name: str, documents: dict[str, Document], problems: list[Problem]) -> Mapping[str, Term]:
    path = f"entries/{name}.yaml"
    if not (root / path).is_file():
        documents[path] = parse("", path)[0]
        problems.append(Problem(Mark(path), "missing-file", f"{path} is not there", "add it: slug -> {title, text}"))
        return {}
    document, found = _read((root / path).read_bytes(), path, VOCABULARY)
    documents[path] = document
    problems += found
    return {} if found else {id: Term(id=id, **term) for id, term in document.data.items()}


def _entries(root: Path, documents: dict[str, Document], problems: list[Problem]) -> Iterator[Entry]:
    for path in sorted((root / "entries").glob("*/*.yaml")):
        name = path.relative_to(root).as_posix()
        documents[name], found = _read(path.read_bytes(), name)
        problems += found
        if found:
            continue
        try:
            entry = entry_from(documents[name].data)
        except Exception as error:
            problems.append(_internal(name, error))
            continue
        found = checks.run_first(entry, documents[name])
        problems += found
        if not found:
            yield entry


@lru_cache(maxsize=8192)
def _read(data: bytes, name: str, schema: str = ENTRY) -> tuple[Document, tuple[Problem, ...]]:
    """Stages 1 and 2 of one file. Remembered, so that under live reload only changed files cost anything."""
    document, problems = parse(data, name)
    return document, tuple(problems or shape(document, schema))


def _script(path: Path, root: Path) -> Script:
    data = path.read_bytes()
    name = path.relative_to(root).as_posix()
    return Script(name, data.decode("utf-8", "replace"), hashlib.sha256(data).hexdigest())


def _proof(path: Path, root: Path) -> Proof:
    data = json.loads(path.read_bytes())
    for side in ("symptom", "fixed"):
        if data.get(side):
            log = path.parent / Path(data[side]["log"]).name  # beside the proof, never elsewhere
            data[side]["text"] = log.read_text(encoding="utf-8", errors="replace")
    return proof_from({**data, "path": path.relative_to(root).as_posix()})


def _bad_proof(path: Path, root: Path, error: Exception) -> Problem:
    line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
    name = path.relative_to(root).as_posix()
    return Problem(
        Mark(name, line, column), "bad-proof", f"not a proof of format 1: {type(error).__name__}: {error}",
        "proofs are written by `faultbook repro --record`, never by hand: remove it and record again",
    )  # fmt: skip


def _internal(path: str, error: Exception) -> Problem:
    return Problem(
        Mark(path), "internal", f"the model refuses what the schema allows: {type(error).__name__}: {error}",
        "model.py and entry.schema.json have drifted apart: please report it with the file",
    )  # fmt: skip
