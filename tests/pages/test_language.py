"""The page about the signature language says what the matcher does."""

from __future__ import annotations

import re

import pytest

from faultbook.match.condition import parse_condition
from faultbook.match.signature import parse_signature
from faultbook.match.template import HOLES, parse_template
from faultbook.match.types import KINDS
from faultbook.pages import language
from faultbook.source import parse

TEXT = language.language().text


def test_every_hole_type_has_an_example():
    assert set(language.EXAMPLES) == set(HOLES)


@pytest.mark.parametrize("name", HOLES)
def test_the_example_is_taken_by_its_type(name):
    example, _ = language.EXAMPLES[name]
    found = parse_template(f"found {{value:{name}}} here").search(f"it found {example} here")
    assert found and str(found["value"])


def test_every_event_kind_has_its_facts():
    for kind, facts in KINDS.items():
        table = re.search(rf"### {kind} \{{.*?\n(?=###|## )", TEXT, re.DOTALL)[0]
        assert [row for row in facts if f"| `{row}` |" in table] == list(facts)


def test_its_yaml_is_what_the_matcher_reads():
    signature, where = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    (data,) = parse(signature, "page.yaml")[0].data["signatures"]
    spec = {key: value for key, value in data.items() if key not in ("examples", "counter_examples")}
    assert parse_signature(spec, "my-entry").id == "six-numbers"
    for comparison in parse(where, "page.yaml")[0].data["where"]:
        assert parse_condition(comparison).names
