"""shape: what JSON Schema finds, said to the author of an entry."""

import json

import jsonschema
import projects
import pytest

from faultbook import schema
from faultbook.match.template import HOLES
from faultbook.schema import ENTRY, VOCABULARY, described, load_schema, shape
from faultbook.source import parse


def problems(text: str, table: str = ENTRY):
    return shape(parse(text, "x.yaml")[0], table)


def of_entry(part: str):
    """Problems of the good entry with one top-level field replaced; part is that field's YAML."""
    return problems(projects.completed(part.encode()).decode())


SIGNATURE = """\
signatures:
  - id: line
    strength: strong
    says: A line.
    {clauses}
    examples: [one]
    counter_examples: [{{log: two, because: it is two}}]
"""


def of_signature(clauses: str):
    return [(p.code, p.message) for p in of_entry(SIGNATURE.format(clauses=clauses))]


def test_good_entry_is_in_shape():
    assert of_entry("") == []


@pytest.mark.parametrize("name", [ENTRY, VOCABULARY])
def test_schemas_are_valid_and_explain_every_keyword(name):
    table = load_schema(name)
    jsonschema.Draft202012Validator.check_schema(table)
    handled = {*schema._RULES, "oneOf", "anyOf", "required", "additionalProperties", "properties", "items"}
    told = {"$schema", "$id", "$ref", "$defs", "title", "description", "default", "propertyNames"}
    assert keywords(table) <= handled | told


def keywords(node, names_are_keywords=True):
    """Every JSON Schema keyword in use; the keys of `properties` and `$defs` are names, not keywords."""
    found = set()
    for key, value in node.items():
        if names_are_keywords:
            found.add(key)
        inner = value if isinstance(value, list) else [value]
        for item in inner:
            if isinstance(item, dict):
                found |= keywords(item, not (names_are_keywords and key in ("properties", "$defs")))
    return found


def test_inlining_keeps_what_stands_beside_a_reference():
    inlined = schema._validator(ENTRY).schema
    assert "$ref" not in json.dumps(inlined)
    assert inlined["properties"]["repro"]["properties"]["awaits"] == {
        "type": "string", "minLength": 1, "description": "What this lane cannot show and what would."
    }  # fmt: skip


@pytest.mark.parametrize("name", [ENTRY, VOCABULARY])
def test_every_field_says_what_to_write(name):
    """In its own words, not in those of the type that it refers to."""
    assert list(silent(load_schema(name))) == []


def silent(node):
    if isinstance(node, list):
        node = dict(enumerate(node))
    for key, value in node.items() if isinstance(node, dict) else ():
        if key == "properties":
            yield from (field for field, part in value.items() if not part.get("description"))
        yield from silent(value)


def test_schema_lists_the_hole_types():
    assert f"types: {', '.join(HOLES)}." in described(("signatures", 0, "all", 1, "message"))[1]


def test_described_follows_alternatives_and_stops_where_nothing_is_known():
    assert described(("signatures", 0, "any", 2, "frame", "file"))[0] == "signatures.any.frame.file"
    assert described(("signatures", 0, "nonsense", 1)) == ("signatures", described(("signatures", 0))[1])
    assert described(()) == ("", "")


def test_missing_field_is_described_as_itself_not_as_its_type():
    (problem,) = of_entry("verify: {check: {lang: bash, code: d}}\n")
    assert problem.hint == "add 'expect': What that command prints once it is fixed."


def test_question_ends_as_one():
    (problem,) = of_entry('confused_with: [{name: a, observation: b, question: c, "yes": this}]\n')
    assert (problem.code, problem.hint) == ("bad-value", "A yes/no question that settles it; ends with ?")


def test_misspelt_required_field_is_one_problem():
    found = of_entry("quick_answer: {sympton: a, cause: b, fix: c, command: {lang: bash, code: d}}\n")
    assert [(p.code, p.hint) for p in found] == [("unknown-field", "did you mean 'symptom'?")]


def test_unknown_field_without_a_neighbour_lists_the_fields():
    (problem,) = of_entry("verify: {check: {lang: bash, code: d}, expect: e, zzz: f}\n")
    assert problem.message == "'zzz' is not a field of verify"
    assert problem.hint == "fields here: check, expect"


def test_missing_field_is_described():
    (problem,) = of_entry("systems: [{id: arenalib}]\n")
    assert problem.message == "systems[0] has no 'versions'"
    assert "Version range" in problem.hint


def test_two_missing_fields_are_two_problems():
    assert len(of_entry("perspectives: {lead: a}\n")) == 2


def test_bad_value_names_the_allowed_ones():
    (problem,) = of_entry("severity: hihg\n")
    assert problem.message == "severity is 'hihg'"
    assert problem.hint.startswith("did you mean 'high'? allowed: low, medium, high, critical")


def test_unquoted_number_where_text_belongs():
    (problem,) = of_entry("title: 3.10\n")
    assert (problem.code, problem.message) == ("wrong-type", "title is a number, expected text")
    assert problem.hint.startswith("write it in quotes.")


def test_whole_file_of_another_type():
    assert [(p.code, p.message) for p in problems("- a\n")] == [
        ("wrong-type", "the file is a list, expected a mapping")
    ]
    assert [p.message for p in problems("")] == ["the file is empty, expected a mapping"]


class TestAlternatives:
    """oneOf and anyOf give one answer, about the alternative that was meant."""

    def test_signature_without_clauses(self):
        assert of_signature("versions: all") == [("missing-field", "signatures[0] has none of 'all', 'any'")]

    def test_clause_with_a_misspelt_head(self):
        assert of_signature("all: [{mesage: x}]") == [
            ("unknown-field", "'mesage' is not a field of signatures[0].all[0]")
        ]  # fmt: skip

    def test_clause_without_a_head(self):
        assert of_signature("all: [{note: x}]") == [
            ("missing-field", "signatures[0].all[0] has none of 'message', 'event', 'frame'")
        ]  # fmt: skip

    def test_event_with_a_message_is_an_event(self):
        assert of_signature("all: [{event: exception, message: x, type: KeyError}]") == []
        assert of_signature("all: [{event: exeption, message: x}]") == [
            ("bad-value", "signatures[0].all[0].event is 'exeption'")
        ]  # fmt: skip
        assert of_signature("all: [{event: exception, message: x, wher: [a == 1]}]") == [
            ("unknown-field", "'wher' is not a field of signatures[0].all[0]")
        ]  # fmt: skip

    def test_type_without_event(self):
        assert of_signature("all: [{message: x, type: KeyError}]") == [
            ("unknown-field", "'type' is not a field of signatures[0].all[0]")
        ]  # fmt: skip

    def test_frame_and_message_exclude_each_other(self):
        assert of_signature("all: [{frame: {file: a.py}, message: x}]") == [
            ("conflicting-fields", "signatures[0].all[0] has 'message' and 'frame', which exclude each other")
        ]  # fmt: skip

    def test_clause_that_is_text(self):
        assert of_signature("all: [x]") == [("wrong-type", "signatures[0].all[0] is text, expected a mapping")]

    def test_empty_frame(self):
        assert [code for code, _ in of_signature("all: [{frame: {}}]")] == ["too-few"]

    def test_sibling_needs_id_or_name(self):
        found = of_entry('confused_with: [{observation: a, question: b?, "yes": this}]\n')
        assert [(p.code, p.message) for p in found] == [("missing-field", "confused_with[0] has none of 'id', 'name'")]


def test_unfilled_values_are_reported_once_with_what_belongs_there():
    (problem,) = of_entry('severity: "FILL: how bad it is"\n')
    assert (problem.code, problem.hint) == ("unfilled", "how bad it is")


class TestVocabulary:
    def test_word_without_text(self):
        (problem,) = problems("arena: {title: Arena}\n", VOCABULARY)
        assert (problem.code, problem.message) == ("missing-field", "arena has no 'text'")

    def test_key_that_is_no_slug(self):
        (problem,) = problems("good: {title: a, text: b}\nBad Key: {title: a, text: b}\n", VOCABULARY)
        assert (problem.code, problem.mark.line, problem.mark.column) == ("bad-value", 2, 1)
        assert problem.hint.startswith("Lower-case words")
