"""One line a rank: when it spoke, what failed on it, and what part it played. Data for a small picture.

A rank that failed is never drawn as healthy, and nobody is drawn as first where the judgement in `ranks.py`
does not name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from .attribution import Process, rank_of_process
from .ranks import comparable, is_consequence, is_told, kinds_of
from .signature import rank_of
from .types import Event, Initiating, RankFailure, RankLine, Record

MOST = 64  # lines of one picture
_ORDER = {"first": 0, "collateral": 1, "unknown": 2, "silent": 3, "healthy": 4}

Key = int | str  # a rank, or the file of lines whose rank nothing tells


class _Seen:
    def __init__(self, node: str | None, file: str) -> None:
        self.node, self.file = node, file
        self.first_time: float | None = None
        self.last_time: float | None = None
        self.last: Record | None = None
        self.event: Event | None = None  # the failure to show


def timeline_of(
    records: Sequence[Record],
    events: Sequence[Event],
    first: Initiating | None,
    processes: Mapping[Process, int] | None = None,
) -> tuple[tuple[RankLine, ...], int]:
    """The lines by rank, then by file, and how many were left out. Nothing for one log without ranks.

    `processes`: ranks of processes that a pid names, as in `attribution.ranks_of_processes`.
    """
    failures = [event for event in events if event.failure]
    start = next((e.record for e in failures if first and _at(e) == (first.file, first.line)), None)
    seen = _heard(records, processes or {})
    _blame(seen, failures, first)
    _drop_strangers(seen, first)
    if len(seen) < 2 and not any(isinstance(key, int) for key in seen):
        return (), 0
    kinds = kinds_of(failures)
    lines = [_line(key, it, first, start, kinds) for key, it in seen.items()]
    return _shown(lines, _absent(seen) if failures else range(0), _missing(seen) if failures else 0)


def _at(event: Event) -> tuple[str, int]:
    return event.record.file, event.record.line


def _heard(records: Iterable[Record], processes: Mapping[Process, int]) -> dict[Key, _Seen]:
    seen: dict[Key, _Seen] = {}
    for record in records:
        rank = record.rank if record.rank is not None else rank_of_process(record, processes)
        key = record.file if rank is None else rank
        it = seen.get(key)
        if it is None:
            it = seen[key] = _Seen(record.node, record.file)
        it.node, it.last = it.node or record.node, record
        if record.time is not None and (it.last_time is None or comparable(it.last_time, record.time)):
            it.first_time = record.time if it.first_time is None else it.first_time
            it.last_time = record.time
    return seen


def _blame(seen: dict[Key, _Seen], failures: Sequence[Event], first: Initiating | None) -> None:
    """Give each rank its failure: the initiating one, else its first that no other process caused, else its first."""
    kinds = kinds_of(failures)
    for event in failures:
        is_first = first is not None and _at(event) == (first.file, first.line)
        rank = first.rank if first and is_first and first.rank is not None else rank_of(event)
        it = seen.setdefault(event.record.file if rank is None else rank, _Seen(event.record.node, event.record.file))
        if it.event is None or is_first or _is_better(event, it.event, kinds, first):
            it.event = event


def _is_better(event: Event, shown: Event, kinds: frozenset[str], first: Initiating | None) -> bool:
    """Whether `event` is the rank's own failure and `shown` neither that nor the initiating one."""
    if first is not None and _at(shown) == (first.file, first.line):
        return False
    return is_consequence(shown, kinds) and not is_consequence(event, kinds)


def _drop_strangers(seen: dict[Key, _Seen], first: Initiating | None) -> None:
    """Lines without a rank in a log of ranks are the launcher's or the shell's, unless the first failure is there."""
    files = {it.file for key, it in seen.items() if isinstance(key, int)}
    for key in [key for key in seen if isinstance(key, str) and key in files]:
        if not (first and is_told(first) and first.rank is None and first.file == key):
            del seen[key]


def _line(key: Key, it: _Seen, first: Initiating | None, start: Record | None, kinds: frozenset[str]) -> RankLine:
    rank = key if isinstance(key, int) else None
    record = it.event.record if it.event else None
    failure = RankFailure(record.file, record.line, record.text) if record else None
    return RankLine(rank, it.node, it.file, it.first_time, it.last_time, failure, _role(key, it, first, start, kinds))


def _role(key: Key, it: _Seen, first: Initiating | None, start: Record | None, kinds: frozenset[str]) -> str:
    if first is None:
        return "healthy"
    if it.event is None:
        return _quiet_role(it, start) if "collective-timeout" in kinds else "healthy"
    told = is_told(first)
    if told and (key == first.rank if first.rank is not None else key == first.file):
        return "first"
    return "collateral" if told or is_consequence(it.event, kinds) else "unknown"


def _quiet_role(it: _Seen, start: Record | None) -> str:
    """Of a rank that did not fail while others waited: whether it still spoke when the first failure came."""
    if it.last is None or start is None:
        return "unknown"
    if it.last.file == start.file:
        return "healthy" if it.last.line > start.line else "silent"
    if it.last_time is None or start.time is None or not comparable(it.last_time, start.time):
        return "unknown"
    return "healthy" if it.last_time >= start.time else "silent"


def _missing(seen: dict[Key, _Seen]) -> int:
    """How many ranks the numbers of the others imply, if most of them are there; one rank alone implies nothing."""
    ranks = [key for key in seen if isinstance(key, int)]
    missing = max(ranks, default=-1) + 1 - len(ranks)
    return missing if missing <= len(ranks) and len(ranks) > 1 else 0


def _absent(seen: dict[Key, _Seen]) -> Iterable[int]:
    ranks = [key for key in seen if isinstance(key, int)]
    return (rank for rank in range(max(ranks, default=-1) + 1) if rank not in seen)


def _shown(lines: list[RankLine], absent: Iterable[int], missing: int) -> tuple[tuple[RankLine, ...], int]:
    """At most MOST lines, those that failed before those that did not, in the order of ranks."""
    lines += [RankLine(rank, None, "", None, None, None, "silent") for rank in islice(absent, min(missing, MOST))]
    total = len(lines) + max(0, missing - MOST)
    kept = sorted(lines, key=lambda line: (_ORDER[line.role], _place(line)))[:MOST]
    return tuple(sorted(kept, key=_place)), total - len(kept)


def _place(line: RankLine) -> tuple[bool, int, str]:
    return line.rank is None, line.rank or 0, line.file
