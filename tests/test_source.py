"""parse: a strict subset of YAML, a mark for every node, a Problem for whatever else comes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.document import nodes, strings
from faultbook.problem import Mark
from faultbook.source import MAX_BYTES, MAX_DEPTH, parse, syntax_problem


def faults(text):
    return [(problem.code, problem.mark.line, problem.mark.column) for problem in parse(text, "x.yaml")[1]]


def data(text):
    document, problems = parse(text, "x.yaml")
    assert problems == []
    return document.data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-12-01", "2026-12-01"),
        ("yes", "yes"),
        ("on", "on"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("true", True),
        ("null", None),
        ("", None),
        ("-3", -3),
        ("3.10", 3.1),
        ("'3'", "3"),
        ('"true"', "true"),
        ("9" * 50, "9" * 50),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text, value):
    result = data(f"a: {text}")["a"]
    assert result == value
    assert type(result) is type(value)


def test_keys_are_text():
    assert data("{yes: 1, 2: 3, null: 4, true: 5}") == {"yes": 1, "2": 3, "null": 4, "true": 5}


def test_marks_of_values_and_keys():
    document, _ = parse("# head\nä: {ö: ü}\nlist:\n  - one\n  -   two: 3\n", "x.yaml")
    assert document.mark() == Mark("x.yaml", 2, 1)
    assert document.mark(("ä", "ö")) == Mark("x.yaml", 2, 8)
    assert document.key_mark(("ä", "ö")) == Mark("x.yaml", 2, 5)
    assert document.mark(("list", 1, "two")) == Mark("x.yaml", 5, 12)
    assert document.key_mark(("list", 0)) == Mark("x.yaml", 4, 5)
    assert document.mark(("list", 7, "gone")) == document.mark(("list",))


def test_marks_inside_block_scalars():
    document, _ = parse('a: |\n   one\n    two\nb: >\n  folded\nc: "plain"\nd: |2\n      deep\n  x\n', "x.yaml")
    assert document.inside(("a",), 2, 2) == Mark("x.yaml", 3, 5)
    assert document.inside(("b",), 1, 3) == document.mark(("b",))
    assert document.inside(("c",), 1, 3) == document.mark(("c",))
    assert document.inside(("d",), 2, 1) == Mark("x.yaml", 9, 3)


def test_all_duplicates_and_aliases_come_out_in_one_run():
    text = "a: &x 1\na: *x\nb: {c: 1, c: 2}\nd: !t e\n"
    assert faults(text) == [
        ("alias", 1, 4), ("duplicate-key", 2, 1), ("alias", 2, 4), ("duplicate-key", 3, 11), ("tag", 4, 4)
    ]  # fmt: skip


def test_merge_keys_are_no_special_case():
    assert data("a:\n  <<: {b: 1}\n") == {"a": {"<<": {"b": 1}}}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n\t- b", (2, 1)),
        ("a: [1", (2, 1)),
        ("a: b: c", (1, 5)),
        ("ü: \x07", (1, 4)),
        ("a: \ud800", (1, 4)),
        ("a: 1\n---\nb: 2", (2, 1)),
        ('a: "\\d"', (1, 5)),
    ],
)
def test_syntax_errors_have_a_place(text, place):
    assert faults(text) == [("syntax-error", *place)]


def test_bytes_that_are_no_utf_8():
    assert faults("a: 1\nb: é".encode("latin-1")) == [("not-utf-8", 2, 4)]
    assert faults("a: 1".encode("utf-16")) == [("not-utf-8", 1, 1)]
    assert parse(b"\xef\xbb\xbfa: 1", "x")[0].data == {"a": 1}


def test_bombs_are_refused_before_they_grow():
    laughs = "a: &a [lol]\n" + "".join(
        f"{b}: &{b} [*{a},*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    document, problems = parse(laughs, "x")
    assert {problem.code for problem in problems} == {"alias"}
    assert sum(1 for _ in nodes(document.data)) < 100
    assert faults("[" * 100) == [("too-deep", 1, MAX_DEPTH + 1)]
    assert [code for code, *_ in faults("[" * 100_000)] == ["syntax-error"]  # libyaml's own limit
    assert faults("#" * (MAX_BYTES + 1)) == [("too-large", 1, 1)]


def test_strings_in_file_order():
    assert list(strings({"a": ["x", {"b": "y"}], "c": 1})) == [(("a", 0), "x"), (("a", 1, "b"), "y")]


def test_syntax_of_any_stream():
    assert syntax_problem("a: &x 1\nb: *x\n", "x") is None
    assert syntax_problem("a: 1\n---\nb: !t {c: 2}\n", "x") is None
    assert syntax_problem("a: [", "x").mark.line == 2


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text("a:-[]{}&*!|>'\"#%@`,? \n\t\r\x85\u2028é0", max_size=80)))
def test_never_a_traceback(source):
    document, problems = parse(source, "x.yaml")
    for pointer, _ in nodes(document.data):
        assert document.mark(pointer).line >= 1
    assert all(problem.mark.path == "x.yaml" and problem.hint for problem in problems)
