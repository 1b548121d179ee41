"""Refining never leads back to where it began.

`refines` says which of two entries leads when both match, so a circle in it would mean that none does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..document import Document
from ..model import Catalog
from ..problem import Problem

SCOPE = "catalog"
CODES = ("refines-cycle",)


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    for entry in catalog.entries:
        reached, ahead = set(), list(entry.refines)
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
