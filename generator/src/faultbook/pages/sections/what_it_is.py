"""What this failure is and why it happens: said once, with a diagram where the entry has one."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("what_it_is", entry=entry, parents=catalog.parents(entry.id))
