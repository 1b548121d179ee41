"""The model mirrors the schema; the catalog's look-ups."""

import dataclasses
import types
import typing

import projects

from faultbook import model
from faultbook.model import Catalog, Entry, Environment, Proof, entry_from
from faultbook.schema import _validator
from faultbook.source import parse


def entry(**changes) -> Entry:
    data = parse((projects.GOOD / "minimal.yaml").read_bytes(), "x")[0].data
    return entry_from({**data, **changes})


def drift(kind, schema, path="entry"):
    """Where dataclass and schema differ in fields or in what is optional, recursively."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    clauses = {"all", "any", "none", "against", "ranks"}  # kept as data in Signature.spec
    names = set(schema["properties"]) - (clauses if kind is model.Signature else set())
    found = [f"{path}: {name}" for name in names ^ (set(fields) - {"spec"})]
    hints = typing.get_type_hints(kind)
    for name in names & set(fields):
        part = schema["properties"][name]
        if (name in schema["required"]) != (fields[name].default is dataclasses.MISSING):
            found.append(f"{path}.{name}: optional in one only")
        inner = part.get("items", part)
        kinds = [t for t in _arguments(hints[name]) if dataclasses.is_dataclass(t)]
        if (inner.get("type") == "object") != bool(kinds):
            found.append(f"{path}.{name}: object in one only")
        for nested in kinds:
            found += drift(nested, inner, f"{path}.{name}")
    return found


def _arguments(hint):
    if isinstance(hint, types.UnionType) or typing.get_origin(hint):
        return [inner for argument in typing.get_args(hint) for inner in _arguments(argument)]
    return [hint]


def test_model_mirrors_the_schema():
    assert drift(Entry, _validator("entry.schema.json").schema) == []


def test_structure():
    it = entry()
    assert it.url == "memory/minimal/"
    assert it.path == "entries/memory/minimal.yaml"
    assert it.confirm[0].check.runnable is True
    assert it.facts.scale is None
    assert it.refines == () and it.diagram is None
    assert it.updated == "2026-12-01"
    signature = it.signatures[0]
    assert signature.examples == ("ArenaError: arena 'main' exhausted: asked 64.00 MiB, 12.00 MiB left",)
    assert set(signature.spec) == {"id", "strength", "says", "all"}
    assert signature.spec["all"][0]["where"] == ["asked > left"]
    assert signature.counter_examples[0].because.startswith("The arena reports")


def catalog() -> Catalog:
    sibling = {"observation": "o", "question": "q?", "yes": "this"}
    return Catalog(
        entries=(
            entry(id="a", tags=["x"], confused_with=[{**sibling, "id": "d"}, {**sibling, "id": "gone"}]),
            entry(id="b", tags=["x", "rare"], refines=["a"]),
            entry(id="c", tags=["x", "rare"], refines=["a"], leads_to=["d"], aliases=["old-c"]),
            entry(id="d", tags=["y"]),
            entry(id="e", tags=["x"]),
        ),
        proofs=(proof("a", "skipped"), proof("a", "proven"), proof("a", "proven", date="2027-01-01")),
    )


def proof(id, verdict, date="2026-12-01"):
    where = Environment("3.11.7", "Linux", "CPU only")
    return Proof(1, id, "cpu", verdict, "shown", date, where, "0" * 64)


def ids(entries):
    return [it.id for it in entries]


def test_look_ups():
    it = catalog()
    assert it.entry("c") is it.entry("old-c") is it.by_alias["old-c"]
    assert it.entry("gone") is None
    assert ids(it.by_tag["rare"]) == ["b", "c"]
    assert ids(it.by_system["arenalib"]) == ["a", "b", "c", "d", "e"]
    assert ids(it.by_category["memory"]) == ["a", "b", "c", "d", "e"]
    assert (ids(it.parents("b")), ids(it.refiners("a")), ids(it.causes("d"))) == (["a"], ["b", "c"], ["c"])
    assert it.parents("gone") == it.refiners("gone") == it.causes("gone") == it.related("gone") == ()


def test_proof_of_an_entry_is_the_strongest_then_the_newest():
    it = catalog()
    assert (it.proof("a").verdict, it.proof("a").date) == ("proven", "2027-01-01")
    assert [p.verdict for p in it.proofs_of("a")] == ["proven", "proven", "skipped"]
    assert it.proof("b") is None


def test_related_siblings_first_then_rarer_tags():
    it = catalog()
    assert ids(it.related("a")) == ["d", "b", "c", "e"]
    assert ids(it.related("b")) == ["a", "c", "e"]
    assert ids(it.related("e")) == ["a", "b", "c"]
    assert ids(it.related("a", limit=1)) == ["d"]
