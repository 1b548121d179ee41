"""Numbers that climb: progress lines of one shape in which a quantity rises. Context, never a failure.

A line's shape is its text with numbers masked. Counters (`step 7`, `epoch 2`, `12/100`) rise by nature and
are no quantities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..types import Event, Record
from .common import Sayings, to_bytes

TRIGGERS: tuple[str, ...] = ()

FEWEST = 5
SHAPES = 4096  # shapes followed at a time; a log with more than that is not made of progress lines
LONGEST = 600
MOSTLY = 0.8
_NUMBER = re.compile(
    r"(?P<name>[A-Za-z_][\w./-]{0,60})?(?P<sep>\"?(?: ?[=:]){0,2} {0,4})(?<![\w.])(?P<number>\d{1,15}(?:\.\d{1,9})?)"
    r"(?P<unit> ?(?:[KMGT]i?B|[kKMG]B|bytes)\b)?(?P<over> ?/ ?\d)?"
)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_COUNTERS = re.compile(
    r"(?:global_?)?(?:step|steps|iter|iters|iteration|epoch|batch|it|request|requests|token|tokens|sample|samples|time|"
    r"elapsed|eta|seq|seqnum|line|rank|id|pid|seed|lr|second|seconds|ms|s|consumed_samples|num_updates|wall|train_wall|"
    r"progress|count|index|version|port|update|updates|round|chunk|shard|file|page|job|task|worker|gpu|device|node)s?",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Series:
    first: Record
    names: list[str]
    rows: list[list[float]] = field(default_factory=list)


def recognise(sayings: Sayings) -> Iterator[Event]:
    series: dict[tuple[object, ...], _Series] = {}
    for record in sayings.records:
        text = record.text
        if len(text) > LONGEST or not _DIGITS.search(text) or text.lstrip().startswith('File "'):
            continue
        names, row = _quantities(text)
        if not row:
            continue
        key = (record.file, record.rank, record.pid, _DIGITS.sub("0", text))
        if key not in series:
            if len(series) >= SHAPES:
                continue
            series[key] = _Series(record, names)
        series[key].rows.append(row)
    for one in series.values():
        if len(one.rows) >= FEWEST:
            yield from _rising(one)


def _quantities(text: str) -> tuple[list[str], list[float]]:
    names: list[str] = []
    row: list[float] = []
    for found in _NUMBER.finditer(text):
        name = (found["name"] or "").strip("-./")
        if not name or found["over"] or _COUNTERS.fullmatch(name):
            continue
        names.append(name)
        unit = found["unit"]
        row.append(to_bytes(found["number"] + unit) if unit else float(found["number"]))
    return names, row


def _rising(series: _Series) -> Iterator[Event]:
    for column, name in enumerate(series.names):
        values = [row[column] for row in series.rows if column < len(row)]
        steps = list(zip(values, values[1:], strict=False))
        risen = sum(later >= earlier for earlier, later in steps)
        if len(values) < FEWEST or values[-1] <= values[0] or risen < MOSTLY * len(steps):
            continue
        fields = {
            "quantity": name,
            "points": len(values),
            "first": _plain(values[0]),
            "last": _plain(values[-1]),
            "slope": (values[-1] - values[0]) / (len(values) - 1),
            "monotonic": int(risen == len(steps)),
        }
        yield Event("growth", series.first, series.first.text, fields, (), failure=False)


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value
