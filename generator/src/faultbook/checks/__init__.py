"""Stage 4, check: one module a rule. Each is a docstring (the help text), CODES, SCOPE and `check`.

SCOPE is
    "entry"    check(entry, document)           one entry by itself
    "catalog"  check(catalog, documents)        what one entry cannot know; documents by path
    "index"    check(entry, document, index)    what the signature index of the whole catalog decides
and `check` yields Problems. FIRST runs as a file is read: until it passes, an entry's path says nothing.
STRUCTURE follows: an entry with an error there is left out of the catalog, since no page or index could be
made of it. CONTENT runs on the entries that remain and drops none; what renders or matches must bear relations
to entries that are not there, since their targets may have been left out.
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
    refining,
    relations,
    repro,
    signatures,
    vocabulary,
)  # fmt: skip

FIRST: tuple[ModuleType, ...] = (identity,)
STRUCTURE: tuple[ModuleType, ...] = (names, vocabulary, refining, signatures)
CONTENT: tuple[ModuleType, ...] = (relations, examples, messages, code, repro, proofs)
CHECKS = FIRST + STRUCTURE + CONTENT
CODES = ("internal",)


def run(
    checks: Sequence[ModuleType],
    catalog: Catalog,
    documents: Mapping[str, Document],
    index: Callable[[], Any] = lambda: None,
) -> Iterator[Problem]:
    """Every problem of every check. A check that raises is one problem; the others go on.

    `index` is called once, and only if a check of scope "index" is among them.
    """
    for check in checks:
        if check.SCOPE == "catalog":
            yield from guarded(check, "entries", lambda c=check: c.check(catalog, documents))
            continue
        extra = (index(),) if check.SCOPE == "index" else ()
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
