import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultbook.match.condition import parse_condition
from faultbook.match.template import SignatureError

FACTS = {"requested": 2 << 30, "free": 1 << 30, "unallocated": 300 << 20, "exit_code": -9, "memory": "cuda", "x": 1.5}


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("requested > free + unallocated", True),
        ("requested <= free + unallocated", False),
        ("requested - free == 1 GiB", True),
        ("requested >= 2 GiB", True),
        ("8 * unallocated > requested", True),
        ("0.5 * requested == free", True),
        ("exit_code == -9", True),
        ("exit_code != -9", False),
        ("memory == 'cuda'", True),
        ('memory != "cuda"', False),
        ("x < 1.6", True),
        ("absent > 0", False),
        ("absent == absent", False),
        ("absent != 1", False),
        ("memory > 3", False),
    ],
)
def test_holds(source, holds):
    assert parse_condition(source).holds(FACTS) is holds


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("requested", "exactly one of"),
        ("a < b < c", "exactly one of"),
        ("a == ", "lacks a name or a number"),
        ("a == b c", "expected + or -"),
        ("a == b; c", "cannot read"),
        ("a == 2 * 3", "multiplies"),
        ("__import__('os') == 1", "cannot read"),
    ],
)
def test_refused(source, said):
    with pytest.raises(SignatureError, match=re.escape(said)):
        parse_condition(source)


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused(source):
    try:
        condition = parse_condition(source)
    except SignatureError:
        return
    assert condition.holds(FACTS) in (True, False)
