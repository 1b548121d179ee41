"""What a launcher says about who failed first. It is the launcher's opinion, by order of arrival.

torchelastic's ChildFailedError block (torch/distributed/elastic/multiprocessing/errors) lists every failed
process; each becomes a process exit, and the one under `Root Cause` the launcher's report. The block is
often cut off. torch.multiprocessing.spawn repeats a child's traceback behind a line with the child's number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import Sayings, known, signal_of, whole

TRIGGERS = (
    "Root Cause (first observed failure)",
    "exitcode  :",
    "(local_rank:",
    "Child process with PID",
    "terminated with the following error",
)

_ROOT = "Root Cause (first observed failure)"
_RANK = Lazy(r"rank {1,8}: (?P<rank>\d{1,7}) \(local_rank: (?P<local>\d{1,5})\)")
_EXIT = Lazy(r"exitcode {1,4}: (?P<code>-?\d{1,5}) \(pid: (?P<pid>\d{1,9})\)")
_HOST = Lazy(r"host {1,8}: (?P<host>\S{1,120})")
_LIGHTNING = Lazy(r"Child process with PID (?P<pid>\d{1,9}) terminated with code (?P<code>-?\d{1,5})")
_SPAWN = Lazy(r"-- Process (?P<local>\d{1,5}) terminated with the following error")
_REACH = 8  # records of one block


def recognise(sayings: Sayings) -> Iterator[Event]:
    records = sayings.records
    root: Record | None = None
    for index in sayings.haystack.holding(TRIGGERS):
        record, text = records[index], records[index].text
        if _ROOT in text:
            root = record
        elif "local_rank" in text and (rank := _RANK.search(text)):
            yield from _failure(records[index : index + _REACH], rank, root)
            root = None
        elif found := _LIGHTNING.search(text) if "Child process" in text else None:
            facts = [("rank", record.rank), ("pid", int(found["pid"])), ("exit_code", int(found["code"]))]
            yield Event("launcher-report", record, text, known([("launcher", "lightning"), *facts]))
        elif found := _SPAWN.match(text):
            yield Event("launcher-report", record, text, {"launcher": "spawn", "local_rank": int(found["local"])})
    if root:
        yield Event("launcher-report", root, root.text, {"launcher": "torchelastic"})


def _failure(block: Sequence[Record], rank: re.Match[str], root: Record | None) -> Iterator[Event]:
    exit_record, found = next(((r, m) for r in block[:3] if (m := _EXIT.search(r.text))), (block[0], None))
    code, pid = (whole(found["code"]), whole(found["pid"])) if found else (None, None)
    fields: dict[str, Value] = known(
        [("exit_code", code), ("signal", signal_of(code)), ("pid", pid), ("rank", int(rank["rank"])),
         ("local_rank", int(rank["local"])), ("reporter", "torchelastic")]
    )  # fmt: skip
    yield Event("process-exit", exit_record, exit_record.text, fields)
    if root:
        wanted = {name: fields[name] for name in ("rank", "local_rank", "exit_code", "pid") if name in fields}
        yield Event("launcher-report", root, exit_record.text, {"launcher": "torchelastic", **wanted})
