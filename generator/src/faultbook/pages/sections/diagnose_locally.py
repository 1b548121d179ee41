"""Diagnose locally: the same matcher in a terminal."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("diagnose_locally", entry=entry)
