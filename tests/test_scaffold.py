"""`faultbook new`: skeletons that lead a contributor, and that overwrite nothing."""

import ast
import json
import subprocess
import sys

import projects
import pytest
import yaml

from faultbook.catalog import load_catalog
from faultbook.match.signature import parse_signature
from faultbook.scaffold import ScaffoldError, render, write_new
from faultbook.schema import load_schema, shape
from faultbook.source import parse

TITLE = 'cuDNN: "NOT_SUPPORTED": \\ 100 % $id'


def new(root, id="new-one", title=TITLE, category="memory", lane="cpu"):
    return write_new(root, id, title, category, lane)


def test_skeleton_has_every_required_field_in_order():
    texts = render("new-one", TITLE, "memory", "gpu", "2026-12-01")
    text = texts["entries/memory/new-one.yaml"]
    document, problems = parse(text, "x")
    assert problems == []
    required = load_schema()["required"]
    assert list(document.data) == [name for name in required if name in document.data] == required
    assert document.data["title"] == TITLE
    assert document.data["repro"]["lane"] == "gpu"
    assert text.startswith("# yaml-language-server: $schema=../../generator/src/faultbook/entry.schema.json\n")


def test_check_then_says_only_what_is_still_to_be_written(tmp_path):
    projects.good(tmp_path)
    new(tmp_path)
    mine = [p for p in load_catalog(tmp_path)[1] if "new-one" in p.mark.path]
    assert {problem.code for problem in mine} == {"unfilled", "repro-unfilled"}
    assert all(problem.hint and "FILL" not in problem.hint for problem in mine)
    text = (tmp_path / "entries/memory/new-one.yaml").read_text(encoding="utf-8")
    assert sum(p.code == "unfilled" for p in mine) == text.count("FILL: ") - 1  # one is in the opening comment


def test_commented_examples_are_yaml():
    """Uncommented, the hints in the skeleton name fields that exist."""
    text = render("new-one", TITLE, "memory", "cpu", "2026-12-01")["entries/memory/new-one.yaml"]
    named = {line.split("# ")[1].split(":")[0] for line in text.splitlines() if line.startswith("# ") and ":" in line}
    fields = set(load_schema()["properties"])
    assert {"refines", "leads_to", "diagram", "misconception", "raised_by", "alerts"} <= named & fields


def test_silent_failures_find_their_form():
    """The clauses and fields that a failure without a message needs, uncommented, are in shape and parsed."""
    text = render("new-one", TITLE, "memory", "cpu", "2026-12-01")["entries/memory/new-one.yaml"]
    rows = [line.strip().removeprefix("# ") for line in text.splitlines()]
    clauses = yaml.safe_load("\n".join(row for row in rows if row.startswith(("- {event:", "- frame:"))))
    for clause in clauses:
        data = {"id": "a", "strength": "strong", "says": "A.", "all": [clause], "examples": ["x"]}
        document, _ = parse(
            json.dumps({"signatures": [{**data, "counter_examples": [{"log": "x", "because": "y"}]}]}), "x"
        )
        assert [p for p in shape(document) if p.code != "missing-field"] == []
        parse_signature(data, "new-one")
    assert [clause.get("event") for clause in clauses] == [None, "growth", "process-exit"]
    start = next(place for place, row in enumerate(rows) if row.startswith("exit_codes:"))
    repro = yaml.safe_load("\n".join([*rows[start : start + 2], f"  {rows[start + 2]}"]))
    document, _ = parse(json.dumps({"repro": {"lane": "cpu", "shows": "s", "timeout": 9, **repro}}), "x")
    assert repro["measure"] and [p for p in shape(document) if p.code != "missing-field"] == []


@pytest.mark.parametrize(("lane", "asked"), [("cpu", False), ("gpu", True), ("simulated", True), ("service", True)])
def test_what_a_lane_cannot_show_is_asked_for(lane, asked):
    document, _ = parse(render("a", "A", "memory", lane, "2026-12-01")["entries/memory/a.yaml"], "x")
    assert ("awaits" in document.data["repro"]) == asked


def test_wrong_lane_is_left_to_check(tmp_path):
    document, _ = parse(render("a", "A", "memory", "moon", "2026-12-01")["entries/memory/a.yaml"], "x")
    assert "bad-value" in {problem.code for problem in shape(document)}


@pytest.mark.parametrize("title", [TITLE, 'ends with a quote"', "back\\slash\\", "'''"])
def test_script_runs_and_says_that_it_is_unwritten(tmp_path, title):
    projects.good(tmp_path)
    script = tmp_path / new(tmp_path, title=title)[1]
    ast.parse(script.read_text(encoding="utf-8"))
    for flags in ([], ["--fixed"]):
        run = subprocess.run([sys.executable, script, *flags], capture_output=True, text=True, timeout=30)
        assert run.returncode == 77
        assert run.stdout.startswith("skip: ")


def test_nothing_is_overwritten(tmp_path):
    projects.good(tmp_path)
    new(tmp_path)
    with pytest.raises(ScaffoldError, match="exists already"):
        new(tmp_path, title="Another")
    (tmp_path / "entries/memory/new-one.yaml").unlink()
    with pytest.raises(ScaffoldError, match=r"repro/memory/new-one\.py exists"):
        new(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"id": "../../etc"}, "is no id"),
        ({"id": "Upper"}, "is no id"),
        ({"id": "a\n"}, "is no id"),
        ({"title": " "}, "one line"),
        ({"title": "x" * 141}, "at most 140"),
        ({"category": "network"}, "use one of memory"),
    ],
)
def test_misuse(tmp_path, arguments, said):
    projects.good(tmp_path)
    with pytest.raises(ScaffoldError, match=said):
        new(tmp_path, **arguments)
    assert [path.name for path in (tmp_path / "entries/memory").iterdir()] == ["minimal.yaml"]


def test_any_yaml_reader_sees_the_same_text():
    text = render("new-one", TITLE, "memory", "cpu", "2026-12-01")["entries/memory/new-one.yaml"]
    assert yaml.safe_load(text) == parse(text, "x")[0].data
