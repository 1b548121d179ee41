"""Categories, systems and tags come from the closed vocabularies in entries/*.yaml, and each word is used.

A word nobody uses (a warning) would give an index page without entries. Words of files that could not be
read are unknown, so nothing is said about unused ones while there are such files. Of a vocabulary that could
not be read itself nothing is known at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from ..document import Document, Pointer
from ..model import Catalog, Entry, Term
from ..problem import Problem, Severity

SCOPE = "catalog"
CODES = ("unknown-category", "unknown-system", "unknown-tag", "unused-term")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    terms = {"category": catalog.categories, "system": catalog.systems, "tag": catalog.tags}
    used: dict[str, set[str]] = {kind: set() for kind in terms}
    for entry in catalog.entries:
        for kind, name, pointer in _words(entry):
            used[kind].add(name)
            if terms[kind] and name not in terms[kind]:
                yield _unknown(kind, name, documents[entry.path], pointer, terms[kind])
    if _all_words_known(catalog, documents):
        for kind, file in (("category", "categories"), ("system", "systems"), ("tag", "tags")):
            yield from _unused(kind, documents[f"entries/{file}.yaml"], terms[kind].keys() - used[kind])


def _all_words_known(catalog: Catalog, documents: Mapping[str, Document]) -> bool:
    """Whether every file could be read, and no faulty or missing word was replaced by a blank."""
    read = len(catalog.entries) == sum(path.count("/") > 1 for path in documents)
    words = [name for entry in catalog.entries for _, name, _ in _words(entry)]
    return read and all(words) and all(entry.tags and entry.systems for entry in catalog.entries)


def _words(entry: Entry) -> Iterator[tuple[str, str, Pointer]]:
    yield "category", entry.category, ("category",)
    for place, tag in enumerate(entry.tags):
        yield "tag", tag, ("tags", place)
    for place, system in enumerate(entry.systems):
        yield "system", system.id, ("systems", place, "id")


def _unknown(kind: str, name: str, document: Document, pointer: Pointer, terms: Mapping[str, Term]) -> Problem:
    file = {"category": "categories", "system": "systems", "tag": "tags"}[kind]
    near = get_close_matches(name, terms, n=1, cutoff=0.6)
    hint = f"did you mean '{near[0]}'? " if near else ""
    hint += f"a new {kind} is added to entries/{file}.yaml with its title and text"
    return Problem(document.mark(pointer), f"unknown-{kind}", f"there is no {kind} '{name}'", hint)


def _unused(kind: str, document: Document, names: Iterable[str]) -> Iterator[Problem]:
    for name in sorted(names):
        yield Problem(
            document.key_mark((name,)), "unused-term", f"no entry has the {kind} '{name}'",
            "remove it, or use it", Severity.WARNING,
        )  # fmt: skip
