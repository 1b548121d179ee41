"""Lazy regular expressions answer as compiled ones do, and compile only what a text may match."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import faultbook.match
from faultbook.match.lazy import Lazy, required

ROOT = Path(__file__).parents[2]
PIECES = st.sampled_from(
    ["ab", "c", r"\.", r"\d{1,3}", "[a-c]{0,2}", "[^]x]", r"[\\\]]", ".", "x?", "b*", "(?:ab|c)", "(?:ab|c)?", "(a|)",
     "(?P<n>bc|ca)", "(?=ab)", "(?!ab)", "(?<!a)", "(?>ab)", "^", "$", "|", r"\s{1,80}", "c{2}"]
)  # fmt: skip


def test_literals_that_every_match_has():
    assert required(r"CUDA error: (?P<what>\w+)") == ("CUDA error: ",)
    assert required(r"(?:CUDA|HIP)\s{1,9}out") == ("out",)
    assert required(r"(?:INFO|WARNING):") == ("INFO", "WARNING")
    assert required(r"one|other") == ("one", "other")
    assert required(r"ab?c*d{0,2}e+") == ("a",)
    assert required(r"one|\d") == required(r"(?:one)?") == required(r"(?!one)") == required(r"(?i:one)") == ()


@given(st.lists(PIECES, max_size=6).map("".join), st.lists(st.text("abcx.\\] 1", max_size=8), max_size=8))
def test_a_lazy_one_answers_as_a_compiled_one(pattern, texts):
    try:
        compiled = re.compile(pattern)
    except re.error:  # the same group twice
        return
    for text in texts:
        lazy = Lazy(pattern)
        for name in ("search", "match", "fullmatch"):
            ours, theirs = getattr(lazy, name)(text), getattr(compiled, name)(text)
            assert (ours and ours.span()) == (theirs and theirs.span())
        assert Lazy(pattern).sub("-", text) == compiled.sub("-", text)


def test_flags_are_kept():
    assert Lazy("one", re.IGNORECASE).search("ONE")
    assert Lazy("a.b", re.DOTALL).search("a\nb")


def all_lazy() -> list[Lazy]:
    """Every one of the package, wherever it stands in a module's values."""
    found: dict[int, Lazy] = {}

    def walk(value: object) -> None:
        if isinstance(value, Lazy):
            found[id(value)] = value
        elif isinstance(value, (tuple, list)):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            walk(list(value.values()))

    for module in pkgutil.walk_packages(faultbook.match.__path__, "faultbook.match."):
        walk(vars(importlib.import_module(module.name)))
    return list(found.values())


@pytest.fixture(scope="module")
def lines() -> list[str]:
    paths = [p for folder in ("events", "healthy", "match") for p in (ROOT / "tests/cases" / folder).glob("**/*.log")]
    texts = [path.read_text(errors="replace") for path in paths]
    return sorted({line.strip() for text in texts for line in text.splitlines()})


def test_every_pattern_of_ours_finds_in_real_lines_what_it_finds_compiled(lines):
    patterns = all_lazy()
    assert len(patterns) > 100
    for one in patterns:
        marks = Lazy(one.pattern, one.flags).marks
        if marks:
            search = re.compile(one.pattern, one.flags).search
            assert not [line for line in lines if not any(mark in line for mark in marks) and search(line)], one.pattern


def test_a_short_log_compiles_few_of_them(monkeypatch):
    """Start-up is bought with this: count the patterns that an out-of-memory report needs."""
    from faultbook.match.engine import triage
    from faultbook.match.index import SignatureIndex

    for one in all_lazy():
        for name in ("match", "search", "fullmatch", "sub", "findall", "finditer", "split"):
            one.__dict__.pop(name, None)
    compiled = set()
    monkeypatch.setattr(Lazy, "_ready", lambda self: compiled.add(self.pattern) or re.compile(self.pattern, self.flags))
    log = "step 1 loss 2.0\n" * 3 + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    assert triage([("log", log.encode())], SignatureIndex()).verdict == "unknown"
    assert 0 < len(compiled) < len(all_lazy()) / 5
