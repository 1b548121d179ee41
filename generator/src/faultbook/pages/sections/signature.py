"""Searchable signature: every clause as template, regular expression and grep, with its examples."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..clauses import groups, templates
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    rows = [(signature, groups(signature.spec)) for signature in entry.signatures]
    return section("signature", rows=rows, templates=templates) if rows else ""
