"""Symptoms: each sign with its own reason and how sure it makes you."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    return section("symptoms", symptoms=entry.symptoms) if entry.symptoms else ""
