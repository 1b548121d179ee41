"""Three perspectives: on-call, engineer, lead."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("perspectives", it=entry.perspectives) if entry.perspectives else ""
