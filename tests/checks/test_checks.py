"""What the case files cannot show: the checks' limits and their hints."""

import projects
import pytest

from faultbook.catalog import load_catalog


def problems(root, part: str, **files: str):
    """Problems of the good entry with top-level fields replaced; its file is entries/memory/case.yaml."""
    projects.add_entry(projects.bare(root), "entries/memory/case.yaml", projects.completed(part.encode()))
    for name, text in files.items():
        projects.add_entry(root, f"entries/memory/{name}.yaml", projects.completed(text.encode()))
    return [problem for problem in load_catalog(root)[1] if problem.code != "missing-proof"]


def test_hint_of_a_former_id(tmp_path):
    found = problems(tmp_path, "id: case\nleads_to: [old-name]\n", other="id: other\naliases: [old-name]\n")
    (dead,) = [problem for problem in found if problem.code == "dead-relation"]
    assert dead.hint == "it is called 'other' now"


def test_every_kind_of_relation_is_followed(tmp_path):
    part = """\
id: case
refines: [r]
leads_to: [l]
confirm: [{step: s, check: {lang: bash, code: c}, expect: e, rules_out: [o]}]
confused_with: [{id: c, observation: o, question: q?, "yes": this}]
"""
    assert [p.message[-2] for p in problems(tmp_path, part) if p.code == "dead-relation"] == ["r", "l", "o", "c"]


def test_cycle_over_three_entries_is_told_at_each(tmp_path):
    found = problems(tmp_path, "id: case\nrefines: [b]\n", b="id: b\nrefines: [c]\n", c="id: c\nrefines: [case]\n")
    cycles = [p.mark.path.split("/")[-1] for p in found if p.code == "refines-cycle"]
    assert cycles == ["b.yaml", "c.yaml", "case.yaml"]


def test_second_owner_of_an_id_in_another_category(tmp_path):
    projects.good(tmp_path)
    categories = tmp_path / "entries" / "categories.yaml"
    categories.write_text(categories.read_text() + "compute: {title: Compute, text: Other failures.}\n")
    text = projects.completed(b"id: minimal\ncategory: compute\n")
    projects.add_entry(tmp_path, "entries/compute/minimal.yaml", text, script=False)
    catalog, found = load_catalog(tmp_path)
    assert ("entries/memory/minimal.yaml", "duplicate-id") in [(p.mark.path, p.code) for p in found]
    assert [entry.path for entry in catalog.entries] == ["entries/compute/minimal.yaml"]


def test_unused_terms_are_not_judged_while_a_file_is_unreadable(tmp_path):
    found = problems(tmp_path, "id: case\n", broken="id: [\n")
    tags = tmp_path / "entries" / "tags.yaml"
    tags.write_text(tags.read_text() + "spare: {title: Spare, text: Unused.}\n")
    assert "unused-term" not in [problem.code for problem in found + list(load_catalog(tmp_path)[1])]


@pytest.mark.parametrize(
    ("clause", "pointer"),
    [
        ('{message: "a {b:size"}', "message"),
        ('{message: "refused by {b:int}", where: ["b >"]}', "where"),
        ('{message: "refused by {b:int}", where: ["c > 1"]}', "where"),
    ],
)
def test_signature_error_points_into_the_clause(tmp_path, clause, pointer):
    part = f"""\
id: case
signatures:
  - id: line
    strength: strong
    says: A line.
    all:
      - {clause}
    examples: [one]
    counter_examples: [{{log: two, because: it is two}}]
"""
    (problem,) = problems(tmp_path, part)
    assert problem.code == "signature-error"
    line = part.splitlines()[problem.mark.line - 1]
    assert line[problem.mark.column - 1 :].startswith(('"', "["))
    assert line[: problem.mark.column - 1].rstrip(' ["').endswith(f"{pointer}:")


def test_example_that_another_entry_wins_names_it(tmp_path):
    case = projects.CASES / "bad" / "example-lost.yaml"
    projects.of_case(tmp_path, case)
    (lost,) = [problem for problem in load_catalog(tmp_path)[1] if problem.code == "example-lost"]
    assert "'stronger' shows the same log as its own in entries/memory/stronger.yaml:9:16" in lost.message


BROAD = """\
id: {id}
{more}signatures:
  - id: broad
    strength: decisive
    says: A line.
    all: [{{message: enaErr}}]
    examples: ["enaErr: 3"]
    counter_examples: [{{log: all is well, because: it went well}}]
messages: [{{text: "enaErr: 3", versions: all, source: invented}}]
"""


@pytest.mark.parametrize("id", ["a-broad", "z-broad"])  # a tie is settled by id, the fault is the same
def test_broad_signature_is_told_once_and_innocent_files_not_at_all(tmp_path, id):
    broad = BROAD.format(id=id, more="")
    second = BROAD.format(id="second", more="").replace("message: enaErr", "message: ArenaErr of")
    second = second.replace("enaErr: 3", "ArenaErr of 3")
    (problem,) = problems(tmp_path, "id: case\n", **{id: broad, "second": second})
    assert (problem.code, problem.mark.path, problem.mark.line) == (
        "signature-steals", f"entries/memory/{id}.yaml", 3
    )  # fmt: skip
    assert "'broad' also claims 1 example of case, 1 of second: its template 'enaErr'" in problem.message
    assert problem.message.endswith("is found in 'ArenaError:'")
    assert "entries/memory/case.yaml:" in problem.hint and "entries/memory/second.yaml:" in problem.hint


def test_broad_signature_of_a_refining_entry_says_why_it_leads(tmp_path):
    (problem,) = problems(tmp_path, "id: case\n", broad=BROAD.format(id="broad", more="refines: [case]\n"))
    assert problem.code == "signature-steals"
    assert "since this entry refines case" in problem.hint


def test_every_faulty_clause_is_told_with_what_is_allowed_there(tmp_path):
    part = """\
id: case
signatures:
  - id: line
    strength: strong
    says: A line.
    all: [{message: "refused by {b:sise}"}, {event: growth, where: ["quantiti == 'x'"]}]
    none: [{frame: {code: "{:text} x"}}]
    examples: [one]
    counter_examples: [{log: two, because: it is two}]
"""
    found = problems(tmp_path, part)
    assert [p.code for p in found] == ["signature-error"] * 3
    assert "types: size, int" in found[0].hint
    assert found[0].hint.endswith("(generator/src/faultbook/entry.schema.json, signatures.all.message)")
    assert "Operators == !=" in found[1].hint and "A message template searched in the frame" in found[2].hint


@pytest.mark.parametrize(("comparison", "said"), [("gap > 1", "has no fact 'gap'"), ("free", "needs exactly one of")])
def test_a_question_that_a_report_answers_is_parsed_too(tmp_path, comparison, said):
    row = f"{{name: A, observation: o, question: 'Is it?', 'yes': this, answered_by: ['{comparison}']}}"
    (problem,) = problems(tmp_path, f"id: case\nconfused_with: [{row}]\n")
    assert (problem.code, said in problem.message) == ("signature-error", True)


def test_different_questions_are_fine(tmp_path):
    row = "{{name: {0}, observation: o, question: {1}, 'yes': this}}"
    rows = ", ".join(row.format(*pair) for pair in [("a", "Is it a?"), ("b", "Is it b?")])
    assert problems(tmp_path, f"id: case\nconfused_with: [{rows}]\n") == []


def test_inconclusive_message_that_nothing_matches_is_fine(tmp_path):
    part = """\
id: case
messages:
  - {text: "ArenaError: arena 'main' exhausted: asked 64.00 MiB, 12.00 MiB left", versions: all, source: invented}
  - {text: "out of space", versions: all, source: invented, inconclusive: Every full disk says so.}
"""
    assert problems(tmp_path, part) == []


def test_script_in_the_wrong_folder(tmp_path):
    projects.good(tmp_path)
    (tmp_path / "repro" / "other").mkdir()
    (tmp_path / "repro" / "memory" / "minimal.py").rename(tmp_path / "repro" / "other" / "minimal.py")
    (missing,) = [problem for problem in load_catalog(tmp_path)[1] if problem.code != "missing-proof"]
    assert (missing.code, missing.hint) == ("missing-repro", "move repro/other/minimal.py there")
