"""How well labelled logs are diagnosed: shares over the cases, and a line for each miss. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from .types import Diagnosis

Result = tuple[str, Mapping, Diagnosis]
NONE = "none"  # in `confusion`: no entry explains it


def score(results: Iterable[Result]) -> dict:
    """Score (case name, label, diagnosis) triples. Shares are None where no case of that kind is there.

    top1: the leading id is acceptable; top3: one of the first three is. A false alarm is a negative case with
    any verdict but unknown or clean. first_rank counts cases whose label names a rank. `confusion` counts
    (expected, answered) pairs of ids, `none` for no entry; an acceptable answer counts as the expected one.
    """
    rows = list(results)
    positives = [row for row in rows if row[1]["kind"] == "positive"]
    negatives = [row for row in rows if row[1]["kind"] == "negative"]
    ranked = [row for row in rows if row[1].get("first_rank") is not None]
    return {
        "format": 1,
        "cases": len(rows), "positives": len(positives), "negatives": len(negatives),
        "top1": _share(positives, lambda label, it: _among(label, it, 1)),
        "top3": _share(positives, lambda label, it: _among(label, it, 3)),
        "false_alarms": _share(negatives, lambda _, it: _alarmed(it)),
        "first_rank": _share(ranked, lambda label, it: _first_rank(it) == label["first_rank"]),
        "misses": [line for row in rows for line in _misses(*row)],
        "confusion": [[*pair, count] for pair, count in sorted(Counter(_pair(*row) for row in rows).items())],
        "rows": [_row(*row) for row in rows],
    }  # fmt: skip


def _share(rows: list[Result], good) -> float | None:
    return round(sum(good(label, it) for _, label, it in rows) / len(rows), 4) if rows else None


def _among(label: Mapping, diagnosis: Diagnosis, places: int) -> bool:
    return any(finding.id in label["acceptable"] for finding in diagnosis.findings[:places])


def _alarmed(diagnosis: Diagnosis) -> bool:
    return diagnosis.verdict not in ("unknown", "clean")


def _first_rank(diagnosis: Diagnosis) -> int | None:
    return diagnosis.initiating.rank if diagnosis.initiating else None


def _answered(diagnosis: Diagnosis) -> str:
    return diagnosis.findings[0].id if diagnosis.findings and _alarmed(diagnosis) else NONE


def _pair(_: str, label: Mapping, diagnosis: Diagnosis) -> tuple[str, str]:
    answered, acceptable = _answered(diagnosis), label.get("acceptable") or [NONE]
    return (answered if answered in acceptable else acceptable[0]), answered


def _row(name: str, label: Mapping, diagnosis: Diagnosis) -> dict:
    return {
        "case": name, "kind": label["kind"], "acceptable": list(label.get("acceptable") or ()),
        "verdict": diagnosis.verdict, "answered": _answered(diagnosis),
        "first_rank": label.get("first_rank"), "told_rank": _first_rank(diagnosis),
    }  # fmt: skip


def _misses(name: str, label: Mapping, diagnosis: Diagnosis):
    said = f"{diagnosis.verdict} {diagnosis.findings[0].id if diagnosis.findings else ''}".strip()
    if label["kind"] == "negative" and _alarmed(diagnosis):
        yield f"{name}: false alarm: {said}"
    if label["kind"] == "positive" and not _among(label, diagnosis, 1):
        place = "in the first three" if _among(label, diagnosis, 3) else "not found"
        yield f"{name}: expected {' or '.join(label['acceptable'])} ({place}), got {said}"
    if label.get("first_rank") is not None and _first_rank(diagnosis) != label["first_rank"]:
        yield f"{name}: expected rank {label['first_rank']} first, got {_first_rank(diagnosis)}"


def to_text(summary: Mapping) -> str:
    def percent(name: str) -> str:
        return "no such case" if summary[name] is None else f"{100 * summary[name]:.1f} %"

    return "\n".join([
        f"{summary['cases']} cases, {summary['positives']} positive, {summary['negatives']} negative",
        f"top-1        {percent('top1')}",
        f"top-3        {percent('top3')}",
        f"false alarms {percent('false_alarms')}",
        f"first rank   {percent('first_rank')}",
        *(f"miss: {line}" for line in summary["misses"]),
    ])  # fmt: skip
