"""Often confused with: sibling failures, each with the one observation that separates them."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    rows = [(row, catalog.entry(row.id) if row.id else None) for row in entry.confused_with]
    return section("confused_with", rows=rows) if rows else ""
