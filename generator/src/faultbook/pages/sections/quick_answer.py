"""Quick answer: symptom, cause and fix in three whole lines, and a command to copy."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("quick_answer", answer=entry.quick_answer)
