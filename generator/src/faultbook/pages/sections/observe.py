"""What you'll observe: raw lines as the software prints them, by version."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("observe", messages=entry.messages) if entry.messages else ""
