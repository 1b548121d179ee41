"""Passing over signatures by word and event kind never changes an answer."""

from pathlib import Path

import pytest

from faultbook.catalog import load_catalog
from faultbook.match import evaluate
from faultbook.match.index import SignatureIndex, build_index, from_data
from faultbook.match.sources import read_sources

ROOT = Path(__file__).parents[2]
CLAUSES = {
    "word": {"all": [{"message": "arena {n:int} refused the request"}]},
    "kind": {"all": [{"event": "kernel-oom"}]},
    "frame": {"all": [{"frame": {"file": "arena.py"}}]},
    "glued": {"all": [{"message": "refused={n:int}"}]},
    "either": {"any": [{"message": "arena {n:int} denied the request"}, {"event": "xid"}]},
    "either-frame": {"any": [{"message": "arena {n:int} denied the request"}, {"frame": {"file": "arena.py"}}]},
}


def small_index() -> SignatureIndex:
    entry = {
        "id": "a", "title": "A", "category": "memory", "severity": "low", "gist": "g", "confused_with": [],
        "quick_answer": {"fix": "f", "command": {"lang": "bash", "code": "c"}},
        "signatures": [{"id": id, "strength": "strong", "says": "s", **part} for id, part in CLAUSES.items()],
    }  # fmt: skip
    return from_data(build_index([entry]))


@pytest.mark.parametrize(
    ("words", "kinds", "found"),
    [
        ("nothing here", [], ["frame", "glued", "either-frame"]),
        ("the arena refused it", [], ["word", "frame", "glued", "either-frame"]),
        ("", ["kernel-oom"], ["kind", "frame", "glued", "either-frame"]),
        ("", ["xid"], ["frame", "glued", "either", "either-frame"]),
        ("it denied the request", [], ["frame", "glued", "either", "either-frame"]),
    ],
)
def test_candidates_by_what_they_need(words, kinds, found):
    chosen = small_index().candidates(frozenset(words.split()), kinds)
    assert [signature.id for signature in chosen] == found


def test_no_signature_that_holds_is_passed_over():
    catalog, _ = load_catalog(ROOT)
    index = from_data(build_index(row(entry) for entry in catalog.entries))
    logs = [log for entry in catalog.entries for one in entry.signatures for log in one.examples]
    assert logs
    for text in logs:
        read = read_sources([("log", text.encode())], index.needles)
        log = evaluate.Log(read.records, read.events)
        held = {signature.id for signature in index.signatures if evaluate.evaluate(signature, log)}
        assert held <= {signature.id for signature in index.candidates(log.words, log.kinds)}


def row(entry):
    return {
        "id": entry.id, "title": entry.title, "category": entry.category, "severity": entry.severity,
        "gist": entry.gist, "confused_with": [], "signatures": [dict(one.spec) for one in entry.signatures],
        "quick_answer": {"fix": "f", "command": {"lang": "bash", "code": "c"}},
    }  # fmt: skip
