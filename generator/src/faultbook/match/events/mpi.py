"""Processes that an MPI launcher saw end: Open MPI's mpirun, MPICH's and Intel MPI's Hydra.

Open MPI names rank, pid and signal in one sentence, or a process name and its exit code in two lines; Hydra
prints a block with a line each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import Sayings, known, signal_of, whole

TRIGGERS = ("noticed that process rank", "MPI_ABORT was invoked on rank", "Process name: [[", " RUNNING AT ")

_NOTICED = Lazy(
    r"noticed that process rank (?P<rank>\d{1,7})(?: with PID (?P<pid>\d{1,9}))?[^\n]{0,200}?"
    r"(?: exited on signal (?P<signal>\d{1,2})|$)"
)
_ABORT = Lazy(r"MPI_ABORT was invoked on rank (?P<rank>\d{1,7})\b")
_NAME = Lazy(r"Process name: \[\[\d{1,9},\d{1,9}\],(?P<rank>\d{1,7})\]")
_CODE = Lazy(r"Exit code: {1,8}(?P<code>-?\d{1,5})")
_HYDRA = Lazy(r"= {1,4}(?:RANK (?P<rank>\d{1,7}) )?PID (?P<pid>\d{1,9}) RUNNING AT ")
_HYDRA_END = Lazy(r"= {1,4}(?:KILLED BY SIGNAL: (?P<signal>\d{1,2})|EXIT (?:CODE|STATUS): (?P<code>-?\d{1,5}))")
_HYDRA_WHY = Lazy(r"EXIT STRING: [^\n(]{1,60}\(signal (?P<signal>\d{1,2})\)")
_REACH = 9  # records of a block

Groups = dict[str, str | None]


def recognise(sayings: Sayings) -> Iterator[Event]:
    for index in sayings.haystack.holding(TRIGGERS):
        record = sayings.records[index]
        text = record.text[:2000]
        if found := _NOTICED.search(text):
            yield _exit(record, found.groupdict())
        elif found := _ABORT.search(text):
            yield Event("launcher-report", record, text, {"launcher": "mpi", "rank": int(found["rank"])})
        elif found := _NAME.search(text):
            yield _exit(record, _joined(found, sayings.records[index + 1 : index + 3], _CODE))
        elif found := _HYDRA.search(text):
            yield _exit(record, _joined(found, sayings.records[index + 1 : index + _REACH], _HYDRA_END, _HYDRA_WHY))


def _joined(first: re.Match[str], below: Sequence[Record], *patterns: re.Pattern[str]) -> Groups:
    """What the first line and those that belong to it say together."""
    groups: Groups = dict(first.groupdict())
    for pattern in patterns:
        for record in below:
            if found := pattern.search(record.text[:2000]):
                groups.update((name, value) for name, value in found.groupdict().items() if value)
                break
    return groups


def _exit(record: Record, groups: Groups) -> Event:
    code = whole(groups.get("code"))
    signal = whole(groups.get("signal")) or signal_of(code)
    fields: dict[str, Value] = known(
        [("exit_code", code), ("signal", signal), ("pid", whole(groups.get("pid"))),
         ("rank", whole(groups.get("rank"))), ("reporter", "mpi")]
    )  # fmt: skip
    return Event("process-exit", record, record.text, fields)
