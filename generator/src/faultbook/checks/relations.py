"""Relations between entries lead to entries that exist, never to the entry itself, and refining ends.

`refines`, `leads_to`, `confused_with[].id` and `confirm[].rules_out` hold ids. An entry whose own file is
faulty still exists: its file is enough. `refines` says which of two entries leads when both match, so a
circle in it would mean that none does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from ..document import Document, Pointer
from ..model import Catalog, Entry
from ..problem import Problem

SCOPE = "catalog"
CODES = ("dead-relation", "self-relation", "refines-cycle")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    known = {PurePosixPath(path).stem for path in documents if path.count("/") > 1}
    for entry in catalog.entries:
        for pointer, other in _relations(entry):
            if other == entry.id or other not in known:
                yield _dead(catalog, entry, other, known, documents[entry.path].mark(pointer))
    yield from _cycles(catalog, documents)


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


def _cycles(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    """One problem at each entry from which refining leads back to itself."""
    for entry in catalog.entries:
        reached, ahead = set(), [id for id in entry.refines if id != entry.id]
        while ahead:
            general = catalog.by_id.get(ahead.pop())
            if general and general.id not in reached:
                reached.add(general.id)
                ahead += general.refines
        if entry.id in reached:
            yield Problem(
                documents[entry.path].mark(("refines",)), "refines-cycle",
                f"refining leads from '{entry.id}' back to itself",
                "the more precise entry refines the general one, never the other way round",
            )  # fmt: skip
