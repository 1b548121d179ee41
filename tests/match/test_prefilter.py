"""The prefilter finds exactly the lines that a search for every literal finds, and searches repeats once."""

from __future__ import annotations

import platform
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.match import prefilter
from faultbook.match.prefilter import Prefilter, lines_with
from faultbook.native import HyperscanPrefilter, prefilter_named

native = pytest.mark.skipif(platform.machine() != "x86_64", reason="Hyperscan is built for x86-64")
BOTH = pytest.mark.parametrize("searching", [Prefilter, pytest.param(HyperscanPrefilter, marks=native)])
LITERALS = ("Error", "exit code", "12", "more than 1EB", "❱", 'File "', "a b", "oom_kill 3")
OTHERS = ("exit", "code", "1", "EB", "more than 2EB", "than", "x", "loss 0.25", "\t", "Err0or", "")
WORDS = st.sampled_from([*LITERALS, *OTHERS])
LINES = st.lists(st.lists(WORDS, max_size=5).map(" ".join) | st.text("aEr 1\r2❱", max_size=12), max_size=12)
PIECES = st.lists(LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).encode()), max_size=5)


@BOTH
@settings(deadline=None, max_examples=300)
@given(pieces=PIECES, literals=st.lists(st.sampled_from(LITERALS), max_size=8))
def test_finds_what_a_plain_search_finds(searching, pieces, literals):
    filtered = searching(literals)
    plain = [literal.encode() for literal in literals]
    assert [filtered.lines(piece) for piece in pieces] == [lines_with(piece, plain) for piece in pieces]


def test_forgetting_changes_no_answer(monkeypatch):
    monkeypatch.setattr(prefilter, "HELD", 30)
    filtered = Prefilter(["Error"])
    pieces = [f"line {word}\nValueError: {word}\n".encode() for word in "abcdefgh"] * 2
    assert [filtered.lines(piece) for piece in pieces] == [{1}] * 16
    assert filtered._held <= 30


@BOTH
def test_the_same_line_is_news_only_so_often(searching, monkeypatch):
    monkeypatch.setattr(prefilter, "COMMON", 3)
    filtered = searching(["Error", "Killed"])
    pieces = [f"rank {n} Error {n}\nquiet\n".encode() for n in range(5)]
    assert [filtered.lines(piece) for piece in pieces] == [{0}, {0}, {0}, set(), set()]
    assert filtered.lines(b"rank 9 Error 9\nKilled\n") == {1}
    assert filtered.passed == 3


def test_lines_that_differ_in_numbers_are_learnt_once(monkeypatch):
    filtered = Prefilter(["Error"])
    learnt = []
    learn = filtered._learn
    monkeypatch.setattr(filtered, "_learn", lambda lines: learnt.extend(lines) or learn(lines))
    for step in range(1, 40):
        assert filtered.lines("".join(f"step {step * 100 + n} loss {n}.5\n" for n in range(100)).encode()) == set()
    assert sorted(learnt) == [b"", b"step  loss ."]


@native
def test_the_native_one_is_taken_where_it_is_installed(monkeypatch):
    assert prefilter_named("auto") is HyperscanPrefilter
    monkeypatch.setitem(sys.modules, "hyperscan", None)  # as if it were not
    assert prefilter_named("auto") is Prefilter
