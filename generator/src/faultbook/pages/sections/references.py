"""References: each with what it supports."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("references", references=entry.references) if entry.references else ""
