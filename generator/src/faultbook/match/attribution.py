"""Whose event it is, where neither a prefix nor a file name says so: from what the log tells of processes.

- a process whose rank is named once (`pid=71) world_rank=2`, NCCL's `rank 3 nranks 8`) is that rank everywhere;
- torchelastic's `local_rank` is the rank as long as nothing speaks of a second node;
- a Slurm task is a rank, unless torchelastic runs inside of it: then it is a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .frozen import replace
from .lazy import Lazy
from .types import KINDS, Event, Record

Process = tuple[str | None, int]  # node, pid: containers on two nodes may have the same pid

_NCCL = Lazy(r"\brank (?P<rank>\d{1,6}) n[rR]anks (?P<size>\d{1,6})\b")
_PROXY = Lazy(r"\[Proxy Service \d{1,6}\] Failed to execute operation \w{1,40} from rank (?P<rank>\d{1,6})\b")
_RAY = Lazy(
    r"ip=(?P<ip>[\w.:-]{1,80}), pid=(?P<pid>\d{1,9})\) world_rank=(?P<rank>\d{1,6})\b"
)  # ray/train/_internal/backend_executor.py


def ranks_of_processes(records: Iterable[Record]) -> dict[Process, int]:
    """Global ranks by process. Of a process in several communicators the largest one counts."""
    found: dict[Process, tuple[int, int]] = {}
    for record in records:
        text = record.text
        if record.pid is not None and "anks " in text and (it := _NCCL.search(text)):
            _learn(found, (record.node, record.pid), int(it["size"]), int(it["rank"]))
        elif record.pid is not None and "Proxy Service" in text and (it := _PROXY.search(text)):
            _learn(found, (record.node, record.pid), 1, int(it["rank"]))
        elif "world_rank=" in text and (it := _RAY.search(text)):
            for node in (it["ip"], None):  # Ray leaves the address out for the driver's own node
                _learn(found, (node, int(it["pid"])), 1 << 30, int(it["rank"]))
    return {process: rank for process, (_, rank) in found.items() if rank >= 0}


def _learn(found: dict[Process, tuple[int, int]], process: Process, size: int, rank: int) -> None:
    known_size, known = found.get(process, (0, rank))
    if size > known_size:
        found[process] = size, rank
    elif size == known_size and rank != known:
        found[process] = size, -1  # one process, two ranks: it tells nothing


def attributed(events: Sequence[Event], ranks: Mapping[Process, int]) -> tuple[Event, ...]:
    """`events`, with the rank of those whose process is known."""
    nodes = _Nodes(events)
    return tuple(_with_rank(event, ranks, nodes) for event in events)


class _Nodes:
    """What the launchers' reports say about processes of one node."""

    def __init__(self, events: Iterable[Event]) -> None:
        elastic = [e for e in events if e.kind in ("process-exit", "launcher-report") and "local_rank" in e.fields]
        whole = [e for e in elastic if "rank" in e.fields]
        self.elastic = bool(elastic)
        self.by_pid = {e.fields["pid"]: e.fields["rank"] for e in whole if "pid" in e.fields}
        self.one = len({e.record.file for e in elastic}) <= 1 and all(
            e.fields["rank"] == e.fields["local_rank"] for e in whole
        )

    def rank(self, event: Event) -> int | None:
        local = event.fields.get("local_rank")
        known = self.by_pid.get(event.fields.get("pid", -1), local if self.one else None)
        return known if isinstance(known, int) and local is not None else None


def _with_rank(event: Event, ranks: Mapping[Process, int], nodes: _Nodes) -> Event:
    if event.fields.get("reporter") == "slurm" and "rank" in event.fields and nodes.elastic:
        return replace(event, fields={name: value for name, value in event.fields.items() if name != "rank"})
    if event.record.rank is not None or "rank" in event.fields:
        return event
    rank = nodes.rank(event)
    if rank is None:
        rank = rank_of_process(event.record, ranks)
    if rank is None:
        return event
    if "rank" in KINDS[event.kind]:
        return replace(event, fields={**event.fields, "rank": rank})
    return replace(event, record=replace(event.record, rank=rank))


def rank_of_process(record: Record, ranks: Mapping[Process, int]) -> int | None:
    """Rank of the process that printed `record`, told by its pid."""
    return None if record.pid is None else ranks.get((record.node, record.pid))
