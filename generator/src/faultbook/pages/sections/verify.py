"""Verify: a command that shows the fix worked."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("verify", verify=entry.verify) if entry.verify else ""
