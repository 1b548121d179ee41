"""The signature index: what triage needs and no more, the same text for the same entries, foreign formats refused."""

from __future__ import annotations

import json
import random

import pytest

from faultbook.match import index as index_module
from faultbook.match.index import FORMAT, build_index, index_text, load_index
from faultbook.match.signature import SignatureError


def yaml_entry(id: str, **more) -> dict:
    """An entry as its YAML holds it, with more than the index needs."""
    signature = {
        "id": "s", "strength": "strong", "says": "it says", "all": [{"message": "CUDA out of memory."}],
        "examples": ["CUDA out of memory."], "counter_examples": [{"log": "fine", "because": "it is"}],
        "versions": "all",
    }  # fmt: skip
    siblings = [
        {"id": "other", "observation": "o", "question": "is it?", "command": "look", "yes": "this"},
        {"name": "has no entry", "observation": "o", "question": "or this?", "yes": "other"},
    ]
    return {
        "id": id, "title": id.upper(), "category": "memory", "severity": "high", "gist": "g", "mechanism": "long text",
        "quick_answer": {"symptom": "s", "cause": "c", "fix": "do it", "command": {"lang": "bash", "code": "true"}},
        "confused_with": siblings, "signatures": [signature], **more,
    }  # fmt: skip


def test_holds_what_triage_needs_and_no_more():
    (row,) = build_index([yaml_entry("x", refines=["y"], leads_to=["z"])])["entries"]
    assert row == {
        "id": "x", "title": "X", "category": "memory", "severity": "high", "gist": "g", "url": "memory/x/",
        "fix": {"text": "do it", "command": "true", "lang": "bash"}, "refines": ["y"], "leads_to": ["z"],
        "confused_with": [
            {"id": "other", "question": "is it?", "command": "look", "yes": "this"},
            {"name": "has no entry", "question": "or this?", "command": "", "yes": "other"},
        ],
        "signatures": [
            {"id": "s", "strength": "strong", "says": "it says", "all": [{"message": "CUDA out of memory."}]}
        ],
    }  # fmt: skip


def test_the_given_address_is_kept():
    assert build_index([yaml_entry("x", url="elsewhere/")])["entries"][0]["url"] == "elsewhere/"


def test_the_order_of_entries_changes_nothing():
    entries = [yaml_entry(f"e{number}") for number in range(20)]
    shuffled = random.Random(1).sample(entries, len(entries))
    assert json.dumps(build_index(shuffled)) == json.dumps(build_index(entries))


def test_a_faulty_signature_is_refused_with_its_place():
    entry = yaml_entry("x")
    entry["signatures"][0]["all"] = [{"message": "CUDA {size:sze}"}]
    with pytest.raises(SignatureError) as raised:
        build_index([entry])
    assert raised.value.pointer[-3:] == ("all", 0, "message")


def test_an_index_comes_back_with_its_signatures_and_relations():
    entries = [yaml_entry("a", refines=["b"]), yaml_entry("b", refines=["c"]), yaml_entry("c")]
    loaded = load_index(json.dumps(build_index(entries)))
    assert [signature.entry_id for signature in loaded.signatures] == ["a", "b", "c"]
    assert loaded.ancestors["a"] == {"b", "c"}
    assert loaded.needles == ("CUDA out of memory.",)


@pytest.mark.parametrize("text", ["[]", "{}", '"x"', "null", f'{{"format": {FORMAT + 1}, "entries": []}}', "not json"])
def test_what_is_no_index_of_this_format_is_refused(text):
    with pytest.raises(ValueError):
        load_index(text)


def numbered(number: int, word: str) -> dict:
    entry = yaml_entry(f"e{number:03}", gist=f"a line\u2028of its own {number}")
    entry["signatures"][0]["all"] = [{"message": f"the {word} word number"}, {"message": f"refused {number} times"}]
    return entry


@pytest.mark.parametrize("count", [0, 1, 30])
def test_an_index_of_lines_is_the_same_index(count):
    data = build_index([numbered(number, f"word{number}x") for number in range(count)])
    quick, whole = load_index(index_text(data)), load_index(json.dumps(data, indent=1))
    assert json.loads(index_text(data)) == json.loads(json.dumps(data))
    assert dict(quick.entries) == dict(whole.entries)
    assert (quick.signatures, quick.needles, quick.ancestors) == (whole.signatures, whole.needles, whole.ancestors)
    assert list(quick.candidates(frozenset(["word3x"]), [])) == list(whole.candidates(frozenset(["word3x"]), []))


def test_an_index_without_what_is_looked_up_first_is_completed():
    data = build_index([numbered(number, f"word{number}x") for number in range(3)])
    bare = load_index(json.dumps({"format": FORMAT, "entries": data["entries"]}))
    assert bare.needles == load_index(index_text(data)).needles
    assert [it.entry_id for it in bare.candidates(frozenset(["word1x"]), [])] == ["e001"]


@pytest.mark.parametrize("cut", [-40, -4])
def test_an_index_cut_short_is_refused(cut):
    with pytest.raises(ValueError):
        load_index(index_text(build_index([numbered(1, "first"), numbered(2, "second")]))[:cut])


def test_a_log_costs_the_entries_it_speaks_of_not_those_there_are(monkeypatch):
    rows, signatures = [], []
    loads, parse = json.loads, index_module.parse_signature
    text = index_text(build_index([numbered(number, f"word{number}x") for number in range(300)]))
    monkeypatch.setattr(index_module.json, "loads", lambda text: rows.append(text) or loads(text))
    monkeypatch.setattr(index_module, "parse_signature", lambda *args: signatures.append(args) or parse(*args))
    index = load_index(text)
    assert [it.entry_id for it in index.candidates(frozenset(["word7x", "other"]), ["xid"])] == ["e007"]
    assert (len(rows), len(signatures)) == (2, 1)  # the head and one entry
