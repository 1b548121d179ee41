"""The browser's door: what it answers is the terminal's answer, and a fault never looks like "no match"."""

from __future__ import annotations

import json

import pytest
from indexes import entry, index, message

from faultbook.match import bridge
from faultbook.match.diagnosis import to_dict
from faultbook.match.engine import triage

ENTRIES = (entry("oom", message("CUDA out of memory.")),)
LOG = b"[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"


@pytest.fixture(autouse=True)
def loaded():
    bridge.load(json.dumps({"format": 1, "entries": ENTRIES}))
    yield
    bridge._State.index = bridge._State.last = None


def test_the_answer_is_that_of_the_engine():
    assert json.loads(bridge.query([("log", LOG)])) == to_dict(triage([("log", LOG)], index(*ENTRIES)))
    assert "oom" in bridge.markdown()


def test_bytes_of_any_kind_are_taken():
    for data in (LOG, bytearray(LOG), memoryview(LOG)):
        assert json.loads(bridge.query([("log", data)]))["verdict"] == "match"


def test_a_fault_is_told_apart_from_no_match(monkeypatch):
    bridge.query([("log", LOG)])
    monkeypatch.setattr(bridge, "triage", lambda *_: 1 / 0)
    assert json.loads(bridge.query([("log", LOG)])) == {"error": "ZeroDivisionError: division by zero"}
    assert bridge.markdown() == ""


def test_without_an_index_there_is_an_error_and_no_verdict():
    bridge._State.index = None
    assert json.loads(bridge.query([("log", LOG)])) == {"error": "RuntimeError: the signature index is not loaded"}


def test_an_index_of_another_format_is_refused():
    with pytest.raises(ValueError, match="format 99"):
        bridge.load('{"format": 99, "entries": []}')


def test_progress_adds_up_to_the_size_of_what_was_given():
    long = b"step 1 loss 0.5\n" * 400_000 + LOG
    told: list[int] = []
    assert json.loads(bridge.query([("a", LOG), ("b", long)], told.append))["verdict"] == "match"
    assert sum(told) == len(LOG) + len(long)
    assert len(told) > 3
