"""A script that has changed since its run takes the proof's word back, on every page that repeats it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faultbook import site
from faultbook.pages import standing

PLACES = ["memory/full-example.md", "memory/index.md", "proofs.md"]


@pytest.fixture(scope="module")
def changed(catalog):
    """The catalog after an edit of the proven entry's script."""
    script = replace(catalog.scripts["full-example"], sha256="0" * 64)
    return replace(catalog, scripts={**catalog.scripts, "full-example": script})


@pytest.mark.parametrize("path", PLACES)
def test_a_page_says_that_the_script_has_changed(catalog, changed, path):
    before, after = ({page.path: page.text for page in site.pages(it)}[path] for it in (catalog, changed))
    assert "fb-proven" in before and "fb-stale" not in before
    assert "fb-stale" in after and "fb-proven" not in after
    assert "every CI run" not in after.partition("What it can")[0]


def test_words_say_when_it_last_ran_and_what_renews_it(changed):
    text = {page.path: page.text for page in site.pages(changed)}["memory/full-example.md"]
    assert "[script changed since its last recorded run (CPU, 2026-12-01)](#proof)" in text
    assert "faultbook repro full-example --record" in text and "Symptom and fix reproduced" not in text


def test_it_is_counted_as_no_proof(changed):
    pages = {page.path: page.text for page in site.pages(changed)}
    assert "**0** reproduced and fixed" in pages["index.md"]
    assert "Script changed</span> 1 of 2" in pages["proofs.md"] and "Proven</span>" not in pages["proofs.md"]


def test_another_lane_whose_script_is_the_present_one_goes_before_it(catalog, changed):
    stale = changed.proof("full-example")
    fresh = replace(stale, verdict="recorded", lane="gpu", script_sha256="0" * 64, path="repro/memory/other.gpu.json")
    failed = replace(fresh, verdict="failed", reason="exit code 0")
    for other in (fresh, failed):
        both = replace(changed, proofs=(*changed.proofs, other))
        assert [proof.verdict for proof in standing.proofs(both, "full-example")] == [other.verdict, "stale"]


def test_a_skip_stays_a_skip(catalog):
    script = replace(catalog.scripts["plain-example"], sha256="0" * 64)
    other = replace(catalog, scripts={**catalog.scripts, "plain-example": script})
    assert standing.proof(other, "plain-example").verdict == "skipped"
