"""Fix and prevention: the ways to fix it, best first, one tab a stack, each with why it works and its cost."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    stacks: dict[str, list] = {}
    for fix in entry.fix:
        stacks.setdefault(fix.stack, []).append(fix)
    return section("fix", stacks=stacks, prevention=entry.prevention) if entry.fix else ""
