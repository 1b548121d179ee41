"""Labelled logs for `faultbook score`: a folder a case, with case.yaml and log.txt or several *.log files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .problem import Mark, Problem
from .source import parse


@dataclass(frozen=True)
class Case:
    """`label` is case.yaml as it stands; `sources` are (file name, bytes) in name order."""

    name: str
    label: Mapping
    sources: tuple[tuple[str, bytes], ...]


def load_cases(folder: Path) -> tuple[list[Case], list[Problem]]:
    """Every case below `folder`, and a problem for each that cannot be used."""
    cases, problems = [], []
    for label_path in sorted(folder.glob("**/case.yaml")):
        case, faults = _load_case(label_path, folder)
        problems += faults
        if case:
            cases.append(case)
    return cases, problems


def _load_case(path: Path, folder: Path) -> tuple[Case | None, list[Problem]]:
    document, problems = parse(path.read_bytes(), str(path))
    if problems:
        return None, list(problems)
    label, mark = document.data, Mark(str(path))
    logs = sorted(p for p in path.parent.iterdir() if p.suffix in (".log", ".txt", ".gz", ".zip"))
    faults = list(_faults(label, logs, mark))
    name = str(path.parent.relative_to(folder))
    return (None if faults else Case(name, label, tuple((p.name, p.read_bytes()) for p in logs))), faults


def recorded(sets: Iterable[tuple[str, list[Case], Mapping]]) -> dict:
    """What the site shows: for each (name, cases, summary of `score`) the figures, and each case with its label."""
    return {
        "format": 1,
        "sets": [
            {
                "name": name,
                **{key: value for key, value in summary.items() if key not in ("format", "misses", "rows")},
                "rows": [
                    {**row, "source": case.label.get("source", ""), "why": " ".join(case.label.get("why", "").split())}
                    for case, row in zip(cases, summary["rows"], strict=True)
                ],
            }
            for name, cases, summary in sets
        ],
    }


def _faults(label, logs: list[Path], mark: Mark):
    if not isinstance(label, dict):
        yield Problem(mark, "wrong-type", "case.yaml is not a mapping", "see `faultbook score --help`")
        return
    if not logs:
        yield Problem(mark, "missing-log", "the case has no log", "add log.txt, or one *.log a rank")
    if label.get("kind") not in ("positive", "negative"):
        yield Problem(mark, "bad-value", f"kind is {label.get('kind')!r}", "write positive or negative")
    elif label["kind"] == "positive" and not label.get("acceptable"):
        yield Problem(mark, "missing-field", "a positive case has no acceptable ids", "list them best first")
