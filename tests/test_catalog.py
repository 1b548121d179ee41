"""load_catalog: everything usable, every problem at once, never a traceback."""

import os
from pathlib import Path

import projects
from projects import BAD

from faultbook import checks
from faultbook.catalog import load_catalog
from faultbook.checks import identity


def codes(root):
    return [(problem.mark.path, problem.code) for problem in load_catalog(root)[1]]


def test_good_tree(tmp_path):
    catalog, _ = load_catalog(projects.good(tmp_path))
    assert [entry.id for entry in catalog.entries] == ["minimal"]
    assert catalog.tags["arena"].title == "Arena"
    assert catalog.scripts["minimal"].path == "repro/memory/minimal.py"


def test_faulty_entry_is_left_out_and_the_others_stay(tmp_path):
    projects.of_case(tmp_path, projects.CASES / "bad" / "unknown-tag.yaml")
    projects.add_entry(tmp_path, "entries/memory/minimal.yaml", (projects.GOOD / "minimal.yaml").read_bytes())
    catalog, problems = load_catalog(tmp_path)
    assert [entry.id for entry in catalog.entries] == ["minimal"]
    assert "unknown-tag" in [problem.code for problem in problems]


def test_all_faults_of_a_tree_in_one_run(tmp_path):
    shape_faults = [case for case in BAD if case.stem in ("alias", "unknown-tag", "too-long", "missing-field")]
    projects.bare(tmp_path)
    for number, case in enumerate(shape_faults):
        text = projects.completed(case.read_bytes()).replace(b"id: case", f"id: case-{number}".encode())
        projects.add_entry(tmp_path, f"entries/memory/case-{number}.yaml", text)
    found = {code for _, code in codes(tmp_path)}
    assert {case.stem for case in shape_faults} <= found


MANY = """\
id: other
category: memory
title: 3
titel: A title
tags: [arena, nothing]
systems: [{id: nowhere, versions: all}, {versions: all}]
leads_to: [gone, Bad Id]
quick_answer:
  symptom: FILL
  cause: "FILL: the cause"
  command: {lang: python, code: "a b"}
confused_with:
  - {id: away, observation: o, question: no question, "yes": this}
messages: [{text: nothing knows this, versions: all, source: invented}]
signatures:
  - id: line
    strength: strong
    says: A line.
    all: [{message: "Case {n:int} refused"}]
    examples: [something else]
    counter_examples: [{log: Case 1 refused, because: it is not}]
"""


def test_all_faults_of_a_file_in_one_run(tmp_path):
    """Faults of shape hide no faults of words, relations, code, identity, examples and messages."""
    projects.bare(tmp_path)
    projects.add_entry(tmp_path, "entries/memory/case.yaml", projects.completed(MANY.encode()))
    catalog, problems = load_catalog(tmp_path)
    assert [(p.mark.line, p.code) for p in problems if p.severity == "error"] == [
        (1, "id-is-not-path"), (3, "wrong-type"), (4, "unknown-field"), (5, "unknown-tag"), (6, "unknown-system"),
        (6, "missing-field"), (7, "dead-relation"), (7, "bad-value"), (9, "missing-field"), (10, "unfilled"),
        (11, "python-syntax"), (13, "dead-relation"), (13, "bad-value"), (14, "message-not-matched"),
        (20, "example-not-matched"), (21, "counter-example-matched"),
    ]  # fmt: skip
    assert catalog.entries == () and catalog.files == ("entries/memory/case.yaml",)


def test_signatures_that_are_not_as_written_are_not_tried(tmp_path):
    """Each well-formed clause is parsed all the same."""
    part = MANY[MANY.index("signatures:") :].replace("strength: strong", "strenth: strong")
    part = f"id: case\n{part.replace('{n:int}', '{n:itn}')}"
    projects.bare(tmp_path)
    projects.add_entry(tmp_path, "entries/memory/case.yaml", projects.completed(part.encode()))
    errors = [problem.code for problem in load_catalog(tmp_path)[1] if problem.severity == "error"]
    assert errors == ["unknown-field", "signature-error"]


def test_what_cannot_be_read_to_the_end_is_told_alone(tmp_path):
    projects.bare(tmp_path)
    projects.add_entry(tmp_path, "entries/memory/case.yaml", b"id: case\ntags: [nothing]\ntitle: [\n")
    assert [code for path, code in codes(tmp_path) if path.endswith("case.yaml")] == ["syntax-error"]


def test_duplicate_key_hides_nothing_below(tmp_path):
    projects.bare(tmp_path)
    text = projects.completed(b"id: case\nid: case\ntags: [nothing]\n")
    projects.add_entry(tmp_path, "entries/memory/case.yaml", text)
    found = [code for path, code in codes(tmp_path) if path.endswith("case.yaml")]
    assert found == ["duplicate-key", "unknown-tag"]


def test_faulty_vocabulary_is_told_once(tmp_path):
    projects.good(tmp_path)
    (tmp_path / "entries" / "tags.yaml").write_text("arena: [\n")
    catalog, problems = load_catalog(tmp_path)
    assert [p.code for p in problems if p.severity == "error"] == ["syntax-error"]
    assert catalog.entries == ()


def test_relation_to_a_faulty_entry_is_not_dead(tmp_path):
    projects.of_case(tmp_path, projects.CASES / "bad" / "unknown-tag.yaml")
    text = projects.completed(b"id: second\nrefines: [case]\n")
    projects.add_entry(tmp_path, "entries/memory/second.yaml", text)
    catalog, problems = load_catalog(tmp_path)
    assert "dead-relation" not in [problem.code for problem in problems]
    assert catalog.parents("second") == ()


def test_bad_proof(tmp_path):
    projects.good(tmp_path)
    folder = tmp_path / "repro" / "memory"
    (folder / "minimal.cpu.json").write_text('{"format": 1,\n "entry": }')
    (folder / "minimal.gpu.json").write_text('{"format": 1, "surprise": 2}')
    (folder / "minimal.multi-gpu.json").write_text('{"symptom": {"log": "absent.log"}}')
    _, problems = load_catalog(tmp_path)
    bad = [problem for problem in problems if problem.code == "bad-proof"]
    assert [(p.mark.path.split("/")[-1], p.mark.line) for p in bad] == [
        ("minimal.cpu.json", 2), ("minimal.gpu.json", 1), ("minimal.multi-gpu.json", 1)
    ]  # fmt: skip


def test_bad_score(tmp_path):
    projects.good(tmp_path)
    path = tmp_path / "tests/cases/scores.json"
    path.parent.mkdir(parents=True)
    for text in ("{", '{"sets": [{"name": "x"}]}', "[]"):
        path.write_text(text)
        assert ("tests/cases/scores.json", "bad-score") in codes(tmp_path)
    path.write_text('{"format": 1, "sets": []}')
    assert "bad-score" not in [code for _, code in codes(tmp_path)]


def test_missing_vocabulary(tmp_path):
    projects.good(tmp_path)
    (tmp_path / "entries" / "tags.yaml").unlink()
    assert ("entries/tags.yaml", "missing-file") in codes(tmp_path)


def test_empty_folder_is_reported_not_raised(tmp_path):
    assert codes(tmp_path) == [
        ("entries/categories.yaml", "missing-file"),
        ("entries/systems.yaml", "missing-file"),
        ("entries/tags.yaml", "missing-file"),
    ]


def test_what_is_no_entry_file_is_named_and_never_waited_for(tmp_path):
    projects.good(tmp_path)
    memory = tmp_path / "entries" / "memory"
    (memory / "folder.yaml").mkdir()
    os.mkfifo(memory / "pipe.yaml")
    (memory / "loop.yaml").symlink_to(memory / "loop.yaml")
    (memory / "device.yaml").symlink_to("/dev/zero")
    (memory / "other.yml").write_text("id: other\n")
    (memory / ".hidden").write_text("an editor's file\n")
    names = ("device.yaml", "folder.yaml", "loop.yaml", "other.yml", "pipe.yaml")
    found = [path for path, code in codes(tmp_path) if code == "not-an-entry-file"]
    assert found == [f"entries/memory/{name}" for name in names]


def test_an_unreadable_entry_file_is_named(tmp_path, monkeypatch):
    projects.good(tmp_path)
    opened = Path.open

    def refuse(path, *args, **kwargs):
        if path.name == "minimal.yaml":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    assert ("entries/memory/minimal.yaml", "unreadable") in codes(tmp_path)


def test_broken_check(tmp_path, monkeypatch):
    """A check that raises is one problem that names check and file; the other checks go on."""
    from faultbook.checks import code, names

    def broken(entry, document):
        raise KeyError("no such thing")

    projects.of_case(tmp_path, projects.CASES / "bad" / "python-syntax.yaml")
    monkeypatch.setattr(code, "check", broken)
    monkeypatch.setattr(names, "check", lambda catalog, documents: broken(1, 2))
    _, problems = load_catalog(tmp_path)
    internal = [problem for problem in problems if problem.code == "internal"]
    assert [(p.mark.path, "'code'" in p.message, "'names'" in p.message) for p in internal] == [
        ("entries", False, True), ("entries/memory/case.yaml", True, False)
    ]  # fmt: skip
    assert "missing-proof" in [problem.code for problem in problems]


def test_broken_first_check(tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "check", lambda entry, document: 1 / 0)
    catalog, problems = load_catalog(projects.good(tmp_path))
    assert catalog.entries == ()
    assert [problem.code for problem in problems if problem.mark.path == "entries/memory/minimal.yaml"] == ["internal"]


def test_checks_are_declared():
    """What `check` needs of each module, and no code that two modules share."""
    declared = [code for check in checks.CHECKS for code in check.CODES]
    assert len(declared) == len(set(declared))
    assert all(
        check.SCOPE in ("entry", "catalog", "index", "index-catalog") and check.__doc__ for check in checks.CHECKS
    )
