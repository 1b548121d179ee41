"""Collectives that were given up: NCCL's watchdog in all its wordings, gloo's time-outs, monitored barriers.

Wordings read in torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (1.9 to 2.9), ProcessGroupGloo.cpp and
gloo/transport/tcp/unbound_buffer.cc.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import HARMLESS, Sayings, known, whole

TRIGGERS = (
    "Watchdog caught", "Timeout at NCCL work", "NCCL operations have failed or timed out",
    "Heartbeat monitor timed out",
    "Timed out waiting", "Application timeout caused", "monitoredBarrier", "WorkNCCL(",
    "watchdog has been stuck", "watchdog got stuck",
)  # fmt: skip

_RANK = Lazy(r"\bRank (?P<rank>\d{1,6})\]")
_GROUP = Lazy(r"\[PG (?:ID )?(?P<group>[^\]\n]{1,200}?) Rank ")
_FIELDS = (
    ("seq", Lazy(r"SeqNum=(\d{1,18})")),
    ("op", Lazy(r"OpType=(\w{1,60})")),
    ("timeout_ms", Lazy(r"Timeout\(ms\)=(\d{1,15})")),
    ("ran_ms", Lazy(r"ran for (\d{1,15}) milliseconds")),
)
_AT_WORK = Lazy(r"Timeout at NCCL work: (\d{1,18})")
_STUCK = Lazy(r"watchdog (?:has been|got) stuck for (\d{1,9}) seconds")
_GLOO = Lazy(r"Timed out waiting (?P<ms>\d{1,12})ms for (?P<op>recv|send) operation to complete")
_BARRIER = Lazy(r"failed to pass monitoredBarrier in (?P<ms>\d{1,12}) ?ms")
_NCCL_PLAIN = ("NCCL operations have failed or timed out", "Heartbeat monitor timed out", "Heartbeat monitor detected")


def recognise(sayings: Sayings) -> Iterator[Event]:
    for record, text, raised in sayings.messages(TRIGGERS):
        fields = _nccl(record, text[:8000]) or _gloo(record, text[:8000])
        if fields:
            failure = raised.event.failure if raised else record.level not in HARMLESS
            frames = raised.event.frames if raised else ()
            yield Event("collective-timeout", record, text, fields, frames, failure)


def _nccl(record: Record, text: str) -> dict[str, Value] | None:
    caught = "Watchdog caught" in text or ("WorkNCCL(" in text and "milliseconds before timing out" in text)
    at_work, stuck = _AT_WORK.search(text), _STUCK.search(text)
    if not (caught or at_work or stuck or any(mark in text for mark in _NCCL_PLAIN)):
        return None
    rank, group = _RANK.search(text), _GROUP.search(text)
    fields: dict[str, Value] = {"backend": "nccl"}
    fields.update(known([("rank", int(rank["rank"]) if rank else record.rank), ("group", group and group["group"])]))
    for name, pattern in _FIELDS:
        if found := pattern.search(text):
            fields[name] = found[1] if name == "op" else int(found[1])
    if at_work:
        fields["seq"] = int(at_work[1])
    if stuck:
        fields["ran_ms"] = int(stuck[1]) * 1000
    return fields


def _gloo(record: Record, text: str) -> dict[str, Value] | None:
    found, barrier = _GLOO.search(text), _BARRIER.search(text)
    if not (found or barrier or "Application timeout caused pair closure" in text):
        return None
    op = found["op"] if found else "monitoredBarrier" if barrier else None
    limit = whole(found["ms"] if found else barrier["ms"] if barrier else None)
    return {"backend": "gloo", **known([("rank", record.rank), ("op", op), ("timeout_ms", limit)])}
