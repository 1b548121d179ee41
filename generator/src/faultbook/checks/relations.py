"""Relations between entries lead to entries that exist, and never to the entry itself.

`refines`, `leads_to`, `confused_with[].id` and `confirm[].rules_out` hold ids. An entry whose own file is
faulty still exists: its file is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from ..document import Document, Pointer
from ..model import Catalog, Entry
from ..problem import Problem

SCOPE = "catalog"
CODES = ("dead-relation", "self-relation")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    known = {PurePosixPath(path).stem for path in documents if path.count("/") > 1}
    for entry in catalog.entries:
        for pointer, other in _relations(entry):
            if other == entry.id or other not in known:
                yield _dead(catalog, entry, other, known, documents[entry.path].mark(pointer))


def _relations(entry: Entry) -> Iterator[tuple[Pointer, str]]:
    for name in ("refines", "leads_to"):
        for place, other in enumerate(getattr(entry, name)):
            yield (name, place), other
    for place, sibling in enumerate(entry.confused_with):
        if sibling.id:
            yield ("confused_with", place, "id"), sibling.id
    for place, step in enumerate(entry.confirm):
        for inner, other in enumerate(step.rules_out):
            yield ("confirm", place, "rules_out", inner), other


def _dead(catalog: Catalog, entry: Entry, other: str, known: set[str], mark) -> Problem:
    if other == entry.id:
        return Problem(mark, "self-relation", f"'{other}' is this entry itself", "name another entry, or remove it")
    renamed, near = catalog.by_alias.get(other), get_close_matches(other, known, n=1, cutoff=0.6)
    hint = "use `name` for a failure that has no entry, or remove the relation"
    if renamed or near:
        hint = f"it is called '{renamed.id}' now" if renamed else f"did you mean '{near[0]}'?"
    return Problem(mark, "dead-relation", f"there is no entry '{other}'", hint)
