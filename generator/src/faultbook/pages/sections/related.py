"""Related: computed from named siblings first, then shared tags."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    tags = [(tag, catalog.tags[tag].title) for tag in entry.tags if tag in catalog.tags]
    return section("related", others=catalog.related(entry.id), tags=tags)
