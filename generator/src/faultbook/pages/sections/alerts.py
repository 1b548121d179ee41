"""Alerts: ready-made rules that watch for this failure."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("alerts", alerts=entry.alerts) if entry.alerts else ""
