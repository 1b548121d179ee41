"""Stages 1 to 4 over the tree: `load_catalog` reads entries/ and repro/ and returns every problem at once.

A faulty file is reported and left out; whatever else there is stays usable. Every check runs on whatever can be
read of a file (salvage.py), so that an author sees all faults in one run, each of them once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from . import checks
from .document import Document, Pointer
from .match.index import SignatureIndex
from .model import CaseSet, Catalog, Entry, Proof, Script, Term, case_sets_from, entry_from, proof_from
from .plain import entry_data
from .problem import Mark, Problem, Severity
from .salvage import salvage
from .schema import ENTRY, VOCABULARY, shape
from .signature_index import index_of
from .source import MAX_BYTES, parse

CODES = ("bad-proof", "bad-score", "missing-file", "not-an-entry-file", "unreadable")
SCORES = "tests/cases/scores.json"
VOCABULARIES = ("categories", "systems", "tags")


@dataclass
class _Reading:
    """What has been read and found so far."""

    documents: dict[str, Document] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    told: set[Mark] = field(default_factory=set)
    """Places with a fault that was told already: what a check says there follows from it."""
    garbled: set[str] = field(default_factory=set)
    """Files whose signatures are not all as written, so that nothing can be said about their matching."""

    def add(self, found: Iterable[Problem]) -> list[Problem]:
        """Take in what checks found, as far as it is news; returns that."""
        news = [one for one in found if one.mark not in self.told or one.code in checks.CODES]
        self.problems += news
        return news


def load_catalog(root: Path, *, content: bool = True) -> tuple[Catalog, tuple[Problem, ...]]:
    """Everything below `root` that can be published, and every problem, in file order.

    Without `content` the checks that change nothing of the catalog are left out: the site, which shows what
    there is, is built again at every save, and matching all examples takes most of the time.
    An entry with an error in syntax, shape or structure is not in the catalog; `Catalog.files` has all files.
    Raises nothing for what entry files are or hold.
    """
    reading = _Reading()
    terms = {name: _vocabulary(root, name, reading) for name in VOCABULARIES}
    entries = tuple(_entries(root, reading))
    proofs, faults = load_proofs(root)
    reading.problems += faults
    files = tuple(path for path in reading.documents if path.count("/") > 1)
    scores, faults = load_scores(root)
    reading.problems += faults
    examined = Catalog(
        entries=entries, proofs=proofs, scripts=load_scripts(root), files=files, scores=scores, **terms
    )  # fmt: skip
    published = _checked(examined, reading, content)
    return published, tuple(sorted(dict.fromkeys(reading.problems), key=lambda problem: problem.sort_key))


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


def load_scores(root: Path) -> tuple[tuple[CaseSet, ...], list[Problem]]:
    """What `faultbook score --record` wrote last, and a problem if it cannot be read."""
    path = root / SCORES
    if not path.is_file():
        return (), []
    try:
        return case_sets_from(json.loads(path.read_bytes())), []
    except Exception as error:  # as for proofs
        message = f"not a recorded score: {type(error).__name__}: {error}"
        return (), [Problem(Mark(SCORES), "bad-score", message, "write it with `faultbook score DIR --record`")]


def _checked(examined: Catalog, reading: _Reading, content: bool) -> Catalog:
    """Run the checks on the entries that could be read; returns the catalog of those that can be published."""
    documents = reading.documents
    ambiguous = reading.add(checks.run(checks.UNAMBIGUOUS, examined, documents))
    reading.add(
        checks.run([check for check in checks.STRUCTURE if check not in checks.UNAMBIGUOUS], examined, documents)
    )
    published = _without(examined, _faulty(reading.problems))
    if not (examined.categories and examined.systems and examined.tags):
        published = replace(published, entries=())  # no page can be made of an entry without its words
    if content:
        matching = _without(examined, _faulty(ambiguous) | reading.garbled)
        reading.add(checks.run(checks.CONTENT, examined, documents))
        reading.add(checks.run(checks.MATCHING, matching, documents, _index(matching)))
        reading.add(checks.run(checks.RECORDS, published, documents))
    return published


def _faulty(problems: Iterable[Problem]) -> set[str]:
    return {problem.mark.path for problem in problems if problem.severity is Severity.ERROR}


def _without(catalog: Catalog, paths: set[str]) -> Catalog:
    return replace(catalog, entries=tuple(entry for entry in catalog.entries if entry.path not in paths))


def _index(catalog: Catalog) -> SignatureIndex:
    return index_of({**entry_data(entry), "url": entry.url} for entry in catalog.entries)


def _vocabulary(root: Path, name: str, reading: _Reading) -> Mapping[str, Term]:
    path = f"entries/{name}.yaml"
    if not (root / path).is_file():
        reading.documents[path] = parse("", path)[0]
        reading.problems.append(
            Problem(Mark(path), "missing-file", f"{path} is not there", "add it: slug -> {title, text}")
        )
        return {}
    file = _read((root / path).read_bytes(), path, VOCABULARY)
    reading.documents[path] = file.document
    reading.problems += file.problems
    return {id: Term(id=id, **term) for id, term in (file.data or {}).items()}


def _entries(root: Path, reading: _Reading) -> Iterator[Entry]:
    for path in sorted((root / "entries").glob("*/*")):
        name = path.relative_to(root).as_posix()
        source = _source(path, name, reading)
        if source is None:
            continue
        file = _read(source, name)
        reading.documents[name] = file.document
        reading.problems += file.problems
        reading.told |= {file.document.mark(blank) for blank in file.blanks}
        if any(blank[:1] == ("signatures",) for blank in file.blanks):
            reading.garbled.add(name)
        if entry := _entry(name, file, reading):
            reading.told |= {problem.mark for problem in reading.add(checks.run_first(entry, file.document))}
            yield entry


def _entry(name: str, file: _File, reading: _Reading) -> Entry | None:
    """The entry as far as it can be read, under the id and category that its path gives."""
    if file.data is None:
        return None
    path = PurePosixPath(name)
    try:
        return entry_from({**file.data, "id": path.stem, "category": path.parent.name})
    except Exception as error:
        reading.problems.append(_internal(name, error))
        return None


@dataclass(frozen=True)
class _File:
    """Stages 1 and 2 of one file. `data` has the schema's shape, with `blanks` where the file has not."""

    document: Document
    problems: tuple[Problem, ...]
    data: dict[str, Any] | None
    blanks: tuple[Pointer, ...] = ()


@lru_cache(maxsize=8192)
def _read(source: bytes, name: str, schema: str = ENTRY) -> _File:
    """Remembered, so that under live reload only changed files cost anything."""
    document, problems = parse(source, name)
    if not document.whole:
        return _File(document, tuple(problems), None)
    told = {problem.mark for problem in problems}
    problems += [problem for problem in shape(document, schema) if problem.mark not in told]
    data, blanks = salvage(document, schema) if problems else (document.data, ())
    return _File(document, tuple(problems), data, blanks)


def _source(path: Path, name: str, reading: _Reading) -> bytes | None:
    """The bytes of an entry file, no more of them than parse looks at; None, with a problem, for what is none."""
    if path.name.startswith("."):
        return None
    if path.suffix != ".yaml" or not path.is_file():  # a folder, pipe or device must not be waited for
        problem = Problem(
            Mark(name), "not-an-entry-file", "only files named <id>.yaml are read here", "rename or remove it"
        )
        reading.problems.append(problem)
        return None
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        reading.problems.append(Problem(Mark(name), "unreadable", message, "check its permissions"))
        return None


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
