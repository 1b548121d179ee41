"""Every entry's examples against every other entry's signatures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from faultbook.catalog import load_catalog
from faultbook.exports import signature_index
from faultbook.match.engine import triage
from faultbook.match.index import load_index

ROOT = Path(__file__).parents[2]
EXEMPT = yaml.safe_load((ROOT / "tests/cases/cross-fire.yaml").read_text(encoding="utf-8")) or {}


@cache
def catalog():
    return load_catalog(ROOT, content=False)[0]


@cache
def index():
    return load_index(signature_index.artifacts(catalog())[0].data.decode())


def texts(entry):
    for signature in entry.signatures:
        yield from signature.examples


def is_declared(entry, other: str) -> bool:
    """Whether the entry itself says that the other one may hold in its logs: as more general, or as its effect."""
    return other in index().ancestors[entry.id] or other in entry.leads_to


def fired():
    """(entry, other) for each other entry that holds in an example and that nothing the entry declares explains."""
    for entry in catalog().entries:
        for text in texts(entry):
            for finding in triage([("log", text.encode())], index()).findings:
                if finding.id != entry.id and not is_declared(entry, finding.id):
                    yield entry.id, finding.id


def test_no_entry_holds_in_anothers_example_unexplained():
    unexplained = {pair for pair in fired() if pair[1] not in EXEMPT.get(pair[0], {})}
    assert not unexplained, "declare refines or leads_to, tell them apart, or exempt the pair with a reason"


def test_every_exemption_is_needed_and_has_a_reason():
    pairs = set(fired())
    listed = {(id, other): why for id, others in EXEMPT.items() for other, why in others.items()}
    assert not listed.keys() - pairs, "these exemptions are no longer needed: remove them"
    assert all(isinstance(why, str) and len(why.split()) >= 4 for why in listed.values())


@pytest.mark.parametrize("id", [entry.id for entry in catalog().entries])
def test_its_own_entry_leads_in_each_example(id):
    entry = catalog().by_id[id]
    for text in texts(entry):
        lead = triage([("log", text.encode())], index()).findings[0].id
        assert lead == id or lead in EXEMPT.get(id, {})
