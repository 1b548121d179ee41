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


def test_a_share_of_nothing_is_not_a_number():
    summary = score([])
    assert summary["top1"] is summary["first_rank"] is None
    assert "no such case" in to_text(summary)
