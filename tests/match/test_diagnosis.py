import json

from hypothesis import given
from hypothesis import strategies as st
from indexes import entry, index, message

from faultbook.match import bridge
from faultbook.match.diagnosis import to_dict, to_markdown
from faultbook.match.engine import triage

KEYS = [
    "format", "verdict", "diagnoses", "initiating", "collateral", "settle", "facts", "notes",
    "memory", "related", "replies", "ranks", "ranks_left_out",
]  # fmt: skip
FINDING = ["id", "title", "category", "severity", "confidence", "signature", "url", "evidence", "against", "fix"]


def test_the_contract():
    it = triage([("log", b"[rank3]: ValueError: CUDA is odd\n")], index(entry("odd", message("CUDA is odd"))))
    data = json.loads(json.dumps(to_dict(it)))
    assert list(data) == KEYS
    assert data["format"] == 1
    (finding,) = data["diagnoses"]
    assert set(FINDING) <= set(finding)
    assert {"file": "log", "line": 1, "text": "ValueError: CUDA is odd"}.items() <= finding["evidence"][0].items()
    assert data["initiating"] == {
        "rank": 3, "node": None, "file": "log", "line": 1, "what": "ValueError: CUDA is odd",
        "basis": "It is the only rank that failed by itself.",
    }  # fmt: skip


@given(st.text(alphabet="`~<a \n", max_size=60))
def test_log_text_cannot_leave_its_fence(hostile):
    log = f"ValueError: strange {hostile}"
    report = to_markdown(triage([("log", log.encode())], index(entry("strange", message("ValueError: strange")))))
    fence = None
    for line in report.splitlines():
        ticks = len(line) - len(line.lstrip("`"))
        if fence is None and ticks >= 3:
            fence = ticks
        elif fence is not None and line == "`" * fence:
            fence = None
        elif fence is not None:
            assert ticks < fence or line.strip("`")
    assert fence is None


def test_the_bridge_tells_broken_from_no_match():
    bridge._State.index = None
    assert "not loaded" in json.loads(bridge.query([("log", b"x")]))["error"]
    bridge.load(json.dumps({"format": 1, "entries": [entry("odd", message("CUDA is odd"))]}))
    assert json.loads(bridge.query([("log", b"CUDA is odd")]))["verdict"] == "match"
    assert bridge.markdown().startswith("**Faultbook: match.**")
    assert "error" in json.loads(bridge.query([("log", None)]))
    assert bridge.markdown() == ""
