"""What is understood without argparse is understood as argparse does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.options import build_parser
from faultbook.quick import quick_triage

WORDS = ("a.log", "-", "--format", "json", "text", "nonsense", "--prefilter", "python", "--index", "x.json", "--ask",
         "--answer", "k=yes", "--format=json", "--", "-h", "--fo", "")  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_as_argparse_understands_it(words):
    quick = quick_triage(["triage", *words])
    if quick is not None:
        assert vars(quick) == vars(build_parser().parse_args(["triage", *words]))


@pytest.mark.parametrize("words", [["a.log"], ["a", "b", "-", "--format", "json"], ["--index", "i", "a"]])
def test_plain_uses_are_understood(words):
    assert quick_triage(["triage", *words]) is not None


@pytest.mark.parametrize("words", [["triage"], ["check"], [], ["triage", "a", "--ask"], ["triage", "--help"]])
def test_the_rest_is_left_to_argparse(words):
    assert quick_triage(words) is None
