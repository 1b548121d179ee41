"""How to confirm: cheapest first, each step with what you should see and which sibling it rules out."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    steps = [(step, catalog.existing(step.rules_out)) for step in entry.confirm]
    return section("confirm", steps=steps) if steps else ""
