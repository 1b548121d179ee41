"""Calculators: the entry's formulas with the reader's own numbers; without JavaScript, for the numbers shown."""

from __future__ import annotations

from ...calculate import CALCULATORS, calculate, size
from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    if not entry.calculators:
        return ""
    chosen = [CALCULATORS[id] for id in entry.calculators]
    return section("calculators", calculators=[(it, calculate(it.id, {})) for it in chosen], size=size)
