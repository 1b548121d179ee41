"""Paste box: the place where the triage widget asks whether this entry explains the reader's log."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    log = proof.symptom.log if proof and proof.symptom and proof.symptom.ranked[:1] == (entry.id,) else None
    return section("paste_box", entry=entry, log=log)
