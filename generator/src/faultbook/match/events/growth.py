"""Numbers that climb: progress lines of one shape in which a quantity rises. Context, never a failure.

A line's shape is its text with numbers masked. Counters (`step 7`, `epoch 2`, `12/100`) rise by nature and
are no quantities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ..lazy import Lazy
from ..types import Event, Record
from ..units import to_bytes
from .common import Sayings

TRIGGERS: tuple[str, ...] = ()

FEWEST = 5
SHAPES = 4096  # shapes followed at a time; a log with more than that is not made of progress lines
LONGEST = 600
MOSTLY = 0.8
_NUMBER = Lazy(
    r"(?P<name>[A-Za-z_][\w./-]{0,60})?(?:\"?(?: ?[=:]){0,2} {0,4})(?<![\w.])(?P<number>\d{1,15}(?:\.\d{1,9})?)"
    r"(?P<unit> ?(?:[KMGT]i?B|[kKMG]B|bytes)\b)?(?P<over> ?/ ?\d)?"
)
_DIGITS = Lazy(r"\d+(?:\.\d+)?")
_COUNTERS = Lazy(
    r"(?:global_?)?(?:step|steps|iter|iters|iteration|epoch|batch|it|request|requests|token|tokens|sample|samples|time|"
    r"elapsed|eta|seq|seqnum|line|rank|id|pid|seed|lr|second|seconds|ms|s|consumed_samples|num_updates|wall|train_wall|"
    r"progress|count|index|version|port|update|updates|round|chunk|shard|file|page|job|task|worker|gpu|device|node)s?",
    re.IGNORECASE,
)


def recognise(sayings: Sayings) -> Iterator[Event]:
    series: dict[tuple[object, ...], list[Record]] = {}
    for record in sayings.records:
        text = record.text
        if len(text) > LONGEST:
            continue
        key = (record.file, record.rank, record.pid, _DIGITS.sub("0", text))
        if key in series:
            series[key].append(record)
        elif len(series) < SHAPES:
            series[key] = [record]
    for records in series.values():
        if len(records) >= FEWEST:
            yield from _rising(records)


def _quantities(text: str) -> list[tuple[int, str, float]]:
    """(which number of the line, its name, its unit in bytes or 1) for the numbers that are no counters."""
    columns = {found.start(): column for column, found in enumerate(_DIGITS.finditer(text))}
    quantities = []
    for found in _NUMBER.finditer(text):
        name, column = (found["name"] or "").strip("-./"), columns.get(found.start("number"))
        if not name or column is None or found["over"] or _COUNTERS.fullmatch(name):
            continue
        quantities.append((column, name, to_bytes("1" + found["unit"]) if found["unit"] else 1))
    return quantities


def _rising(records: list[Record]) -> Iterator[Event]:
    quantities = _quantities(records[0].text)
    rows = [_DIGITS.findall(record.text) for record in records] if quantities else []
    for column, name, unit in quantities:
        values = [float(row[column]) * unit for row in rows]
        risen = sum(later >= earlier for earlier, later in pairwise(values))
        steps = len(values) - 1
        if values[-1] <= values[0] or risen < MOSTLY * steps:
            continue
        fields = {
            "quantity": name,
            "points": len(values),
            "first": _plain(values[0]),
            "last": _plain(values[-1]),
            "slope": (values[-1] - values[0]) / steps,
            "monotonic": int(risen == steps),
        }
        yield Event("growth", records[0], records[0].text, fields, (), failure=False)


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else round(value, 9)
