from indexes import entry, index, message

from faultbook.match.engine import triage
from faultbook.match.score import score, to_text

INDEX = index(entry("odd", message("CUDA is odd")), entry("even", message("CUDA is even")))


def result(name, log, kind, acceptable=(), first_rank=None):
    label = {"kind": kind, "acceptable": list(acceptable), "first_rank": first_rank}
    return name, label, triage([("log", log.encode())], INDEX)


def test_shares_and_misses():
    summary = score([
        result("hit", "[rank1]: ValueError: CUDA is odd", "positive", ["odd"], first_rank=1),
        result("second", "ValueError: CUDA is odd\nValueError: CUDA is even", "positive", ["odd"]),
        result("missed", "ValueError: nothing", "positive", ["even"], first_rank=5),
        result("quiet", "step 1", "negative"),
        result("unknown", "ValueError: nothing", "negative"),
        result("alarm", "CUDA is even", "negative"),
    ])  # fmt: skip
    assert (summary["cases"], summary["positives"], summary["negatives"]) == (6, 3, 3)
    assert summary["top1"] == round(1 / 3, 4)
    assert summary["top3"] == round(2 / 3, 4)
    assert summary["false_alarms"] == round(1 / 3, 4)
    assert summary["first_rank"] == 0.5
    assert summary["misses"] == [
        "second: expected odd (in the first three), got match even",
        "missed: expected even (not found), got unknown",
        "missed: expected rank 5 first, got None",
        "alarm: false alarm: match even",
    ]
    assert "miss: alarm" in to_text(summary)
    assert summary["confusion"] == [
        ["even", "none", 1], ["none", "even", 1], ["none", "none", 2], ["odd", "even", 1], ["odd", "odd", 1]
    ]  # fmt: skip
    assert summary["rows"][2] == {
        "case": "missed", "kind": "positive", "acceptable": ["even"], "verdict": "unknown", "answered": "none",
        "first_rank": 5, "told_rank": None,
    }  # fmt: skip


def test_an_acceptable_answer_is_no_confusion():
    summary = score([result("either", "ValueError: CUDA is even", "positive", ["odd", "even"])])
    assert summary["confusion"] == [["even", "even", 1]]


def test_a_share_of_nothing_is_not_a_number():
    summary = score([])
    assert summary["top1"] is summary["first_rank"] is None
    assert "no such case" in to_text(summary)
