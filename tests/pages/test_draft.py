"""An entry with errors has a page, under `serve`, that says what they are."""

from __future__ import annotations

from html_parts import rendered, tags

from faultbook.pages import draft
from faultbook.problem import Mark, Problem, Severity

FILE = "entries/memory/my-draft.yaml"
HOSTILE = "<script>alert(1)</script> [x](javascript:y) `<b onclick=x>`"


def problem(path=FILE, line=5, severity=Severity.ERROR, text="'dire' is no severity"):
    return Problem(Mark(path, line, 11), "bad-value", text, f"use one of these; {text}", severity)


def html(page) -> str:
    return rendered(page.text.partition("\n---\n")[2])


def test_it_lists_each_problem_with_place_code_message_and_hint():
    (page,) = draft.pages([problem(line=5), problem(line=9, text="another")], ())
    assert page.path == "memory/my-draft.md" and 'source: "entries/memory/my-draft.yaml"' in page.text
    text = html(page)
    assert "my-draft: 2 things to mend" in text
    for said in (f"{FILE}:5:11", f"{FILE}:9:11", "bad-value", "is no severity", "Hint: use one of these", "another"):
        assert said in text
    assert sum(tag == "li" for tag, _ in tags(text)) == 2


def test_what_is_in_the_file_stays_text():
    (page,) = draft.pages([problem(text=HOSTILE)], ())
    found = tags(html(page))
    assert not {tag for tag, _ in found} & {"script", "b"}
    assert not any(name.startswith("on") for _, attributes in found for name in attributes)
    assert not any("javascript" in attributes.get("href", "") for _, attributes in found)


def test_faults_of_other_files_are_told_apart():
    vocabulary = problem(path="entries/tags.yaml", text="no mapping")
    (page,) = draft.pages([problem(), vocabulary], ())
    before, _, after = html(page).partition("In other files")
    assert "entries/tags.yaml:5:11" in after and "entries/tags.yaml" not in before and "1 thing to mend" in before


def test_a_warning_or_a_page_that_is_there_makes_none():
    assert not list(draft.pages([problem(severity=Severity.WARNING)], ()))
    assert not list(draft.pages([problem(path="entries/memory/index.yaml")], {"memory/index.md"}))
    assert not list(draft.pages([problem(path="repro/memory/x.cpu.json"), problem(path="entries/tags.yaml")], ()))
