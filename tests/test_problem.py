"""Every fault is reported with its code at its line and column: one case file a code."""

import json
import re
from pathlib import Path

import projects
import pytest

from faultbook import catalog, checks, schema, source
from faultbook.problem import Mark, Problem, Severity, render_github, render_json, render_text

# Codes that no single text file can show, with the test that does.
ELSEWHERE = {
    "bad-proof": "test_catalog.py::test_bad_proof",
    "bad-score": "test_catalog.py::test_bad_score",
    "missing-file": "test_catalog.py::test_missing_vocabulary",
    "not-an-entry-file": "test_catalog.py::test_what_is_no_entry_file_is_named_and_never_waited_for",
    "unreadable": "test_catalog.py::test_an_unreadable_entry_file_is_named",
    "internal": "test_catalog.py::test_broken_check",
    "failed-proof": "checks/test_proofs.py::test_failed",
    "orphan-proof": "checks/test_proofs.py::test_orphan",
    "stale-proof": "checks/test_proofs.py::test_stale",
}


def emitted_codes() -> set[str]:
    modules = (source, schema, catalog, checks, *checks.CHECKS)
    return {code for module in modules for code in module.CODES}


@pytest.mark.parametrize("case", projects.BAD, ids=lambda path: path.stem)
def test_case_gives_its_code_at_its_place(case, tmp_path):
    expected = re.match(rb"# expect: (\d+):(\d+)", case.read_bytes())
    path = projects.of_case(tmp_path, case)
    problems = catalog.load_catalog(tmp_path)[1]
    here = [problem for problem in problems if problem.mark.path == path]
    found = [p for p in here if p.severity is Severity.ERROR or p.code == case.stem]
    assert [p.code for p in found] == [case.stem], render_text(problems)
    assert found[0].mark == Mark(path, int(expected[1]), int(expected[2])), render_text(found)
    assert found[0].hint and found[0].message


def test_good_entry_has_no_errors(tmp_path):
    problems = catalog.load_catalog(projects.good(tmp_path))[1]
    assert [p for p in problems if p.code != "missing-proof"] == []


def test_every_code_has_a_case():
    assert {path.stem for path in projects.BAD} | set(ELSEWHERE) == emitted_codes()


@pytest.mark.parametrize("where", ELSEWHERE.values())
def test_cases_elsewhere_exist(where):
    file, name = where.split("::")
    assert f"def {name}(" in (Path(__file__).parent / file).read_text()


PROBLEM = Problem(Mark("entries/memory/x.yaml", 14, 5), "unknown-field", "'a,b' is 50% wrong", "write: c\nnot d")


def test_text_form():
    assert render_text([PROBLEM]) == (
        "entries/memory/x.yaml:14:5: error: unknown-field: 'a,b' is 50% wrong\n  hint: write: c\nnot d\n"
    )


def test_github_form_escapes():
    assert render_github([PROBLEM]) == (
        "::error file=entries/memory/x.yaml,line=14,col=5,title=unknown-field"
        "::'a,b' is 50%25 wrong (hint: write: c%0Anot d)\n"
    )


def test_json_form():
    data = json.loads(render_json([PROBLEM]))
    assert data["format"] == 1
    assert data["problems"] == [
        {"path": "entries/memory/x.yaml", "line": 14, "column": 5, "severity": "error", "code": "unknown-field",
         "message": "'a,b' is 50% wrong", "hint": "write: c\nnot d"}
    ]  # fmt: skip
