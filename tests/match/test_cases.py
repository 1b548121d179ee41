"""The labelled logs of tests/cases/match against the entries of this tree, as `faultbook score` judges them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faultbook.cases import Case, load_cases, recorded
from faultbook.catalog import SCORES, load_catalog
from faultbook.exports import signature_index
from faultbook.match.engine import triage
from faultbook.match.index import SignatureIndex, load_index
from faultbook.match.score import score

ROOT = Path(__file__).parents[2]
CASES, PROBLEMS = load_cases(ROOT / "tests/cases/match")
SETS = [folder for name in ("match", "apart") if (folder := ROOT / "tests/cases" / name).is_dir()]


@pytest.fixture(scope="module")
def index() -> SignatureIndex:
    catalog, _ = load_catalog(ROOT)
    return load_index(signature_index.artifacts(catalog)[0].data.decode())


def test_every_case_can_be_used():
    assert PROBLEMS == []


def test_labels_name_entries_and_say_why(index):
    for case in CASES:
        assert set(case.label["acceptable"]) <= set(index.entries), case.name
        assert case.label["why"].strip(), case.name


def test_every_entry_has_a_positive_case(index):
    assert set(index.entries) == {case.label["acceptable"][0] for case in CASES if case.label["acceptable"]}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, index):
    assert score([(case.name, case.label, triage(case.sources, index))])["misses"] == []


def test_enough_of_each_sort():
    ranked = [case for case in CASES if case.label["first_rank"] is not None]
    negatives = [case for case in CASES if case.label["kind"] == "negative"]
    assert (len(ranked) >= 6, len(negatives) >= 8) == (True, True)


def test_published_scores_are_those_of_now(index):
    """Also of the cases kept apart: whatever their score is, it is published. Only this test reads them."""
    sets = []
    for folder in SETS:
        cases, problems = load_cases(folder)
        assert problems == []
        summary = score((case.name, case.label, triage(case.sources, index)) for case in cases)
        sets.append((folder.name, cases, summary))
    published = json.loads((ROOT / SCORES).read_text(encoding="utf-8"))
    again = f"faultbook score {' '.join(f'tests/cases/{folder.name}' for folder in SETS)} --record {SCORES}"
    assert published == json.loads(json.dumps(recorded(sets))), f"out of date: {again}"


@pytest.mark.parametrize("case", [case for case in CASES if case.name.startswith("rank-")], ids=lambda case: case.name)
def test_the_first_rank_is_told_or_not_as_labelled(case: Case, index):
    """Here `first_rank: null` is a statement: from these logs it cannot be told."""
    initiating = triage(case.sources, index).initiating
    assert (initiating and initiating.rank) == case.label["first_rank"]
    assert case.label["source"].startswith("https://")
