"""Affected systems with their version ranges, and when in a job's life the failure strikes."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    known = [(catalog.systems[it.id], it) for it in entry.systems if it.id in catalog.systems]
    return section("affected_systems", known=known, phases=entry.phases) if known else ""
