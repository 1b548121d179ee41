"""Stage 4, check: one module a rule. Each is a docstring (the help text), CODES, SCOPE and `check`.

SCOPE is
    "entry"         check(entry, document)               one entry by itself
    "catalog"       check(catalog, documents)            what one entry cannot know; documents by path
    "index"         check(entry, document, index)        what the signature index of all entries decides
    "index-catalog" check(catalog, documents, index)     what it decides between entries
and `check` yields Problems. A check sees every entry that could be read, those with faults of shape with
blanks at the faulty places (salvage.py), and an entry's id and category are those of its path; what is said
of a blank is dropped. `document.data` is the file as written, with all its faults.

FIRST runs as a file is read and compares the file with its path. An entry with an error there or in STRUCTURE is
left out of the catalog, since no page or index could be made of it; CONTENT, MATCHING and RECORDS drop none. MATCHING
runs on the entries whose signatures can stand in an index (UNAMBIGUOUS holds for them), RECORDS on what is
published: nothing can be recorded of the rest. What renders or matches must bear relations to entries that are
not there, since their targets may have been left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from ..document import Document
from ..model import Catalog, Entry
from ..problem import Mark, Problem
from . import (
    code,
    examples,
    identity,
    messages,
    names,
    proofs,
    questions,
    refining,
    relations,
    repro,
    signatures,
    vocabulary,
    winners,
)  # fmt: skip

FIRST: tuple[ModuleType, ...] = (identity,)
UNAMBIGUOUS: tuple[ModuleType, ...] = (names, signatures)
STRUCTURE: tuple[ModuleType, ...] = (*UNAMBIGUOUS, vocabulary, refining)
CONTENT: tuple[ModuleType, ...] = (relations, questions, code, repro)
MATCHING: tuple[ModuleType, ...] = (examples, winners, messages)
RECORDS: tuple[ModuleType, ...] = (proofs,)
CHECKS = FIRST + STRUCTURE + CONTENT + MATCHING + RECORDS
CODES = ("internal",)


def run(
    checks: Sequence[ModuleType], catalog: Catalog, documents: Mapping[str, Document], index: Any = None
) -> Iterator[Problem]:
    """Every problem of every check. A check that raises is one problem; the others go on."""
    for check in checks:
        extra = (index,) if check.SCOPE.startswith("index") else ()
        if check.SCOPE.endswith("catalog"):
            yield from guarded(check, "entries", lambda c=check, x=extra: c.check(catalog, documents, *x))
            continue
        for entry in catalog.entries:
            document = documents[entry.path]
            yield from guarded(check, entry.path, lambda c=check, e=entry, d=document, x=extra: c.check(e, d, *x))


def run_first(entry: Entry, document: Document) -> list[Problem]:
    """Every problem of the checks that decide whether the file may be taken for the entry."""
    calls = ((check, lambda c=check: c.check(entry, document)) for check in FIRST)
    return [problem for check, call in calls for problem in guarded(check, document.path, call)]


def guarded(check: ModuleType, path: str, call: Callable[[], Iterable[Problem]]) -> Iterator[Problem]:
    """The problems of one call; an exception becomes an `internal` problem that names check and file."""
    try:
        yield from call()
    except Exception as error:
        name = check.__name__.rpartition(".")[2]
        yield Problem(
            Mark(path), "internal", f"the check '{name}' broke on {path}: {type(error).__name__}: {error}",
            "this is a fault of faultbook, not of the entry: please report it with the file",
        )  # fmt: skip
