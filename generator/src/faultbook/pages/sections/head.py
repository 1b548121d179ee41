"""Head: title, category, severity, systems, and what the proof shows."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    systems = [catalog.systems[it.id] for it in entry.systems if it.id in catalog.systems]
    return section("head", entry=entry, proof=proof, category=catalog.categories[entry.category], systems=systems)
