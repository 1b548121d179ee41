"""Which failure came first, and which are only its consequences.

The loudest rank is rarely the first. A time-out, a closed connection, a SIGTERM or a launcher's report is
collateral as soon as anything else failed; among the rest, comparable time stamps decide, then absence from
the list of ranks that timed out, then the launcher's word, then the order in one file. Otherwise: not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from .signature import rank_of
from .types import Collateral, Event, Initiating

SHOWN = 32
_PEER_GONE = (
    "Connection closed by", "Connection reset by peer", "Broken pipe", "ChildFailedError", "remote process exited",
    "ncclRemoteError", "DistNetworkError", "Socket Timeout", "failed to recv, got 0 bytes",
    "ProcessRaisedException", "ProcessExitedException",
)  # fmt: skip
_SIGTERM, _SIGABRT = 15, 6


def initiating_of(events: Sequence[Event]) -> Initiating | None:
    """The first failure as far as the log tells, None if nothing failed."""
    failures = [event for event in events if event.failure]
    if not failures:
        return None
    kinds = _kinds(failures)
    roots = [event for event in failures if not is_consequence(event, kinds)]
    if not roots:
        return _only_consequences(failures)
    event, basis = _first(roots, failures)
    return _initiating(event, rank_of(event) if basis else None, basis or _CANNOT_TELL)


_CANNOT_TELL = "Which rank was first cannot be told from these logs: several failed, and nothing orders them."


def collateral_of(events: Sequence[Event], first: Initiating | None) -> tuple[Collateral, ...]:
    """Failures that follow from the first one: consequences by their kind, and failures of other ranks."""
    failures = [event for event in events if event.failure]
    kinds = _kinds(failures)
    found: dict[tuple, Collateral] = {}
    for event in failures:
        rank = rank_of(event)
        other_rank = first is not None and first.rank is not None and rank is not None and rank != first.rank
        is_first = first is not None and (event.record.file, event.record.line) == (first.file, first.line)
        if not is_first and (other_rank or is_consequence(event, kinds)):
            found.setdefault((event.kind, rank, event.record.file), _collateral(event, rank))
    return tuple(found.values())[:SHOWN]


def _kinds(failures: Iterable[Event]) -> frozenset[str]:
    return frozenset(event.kind for event in failures)


def is_consequence(event: Event, kinds: Set[str]) -> bool:
    """Whether another process's failure causes this one, or it only reports one. `kinds`: of all failures."""
    if event.kind in ("collective-timeout", "launcher-report"):
        return True
    if event.kind == "process-exit":
        signal = event.fields.get("signal")
        aborted = signal == _SIGABRT and "collective-timeout" in kinds
        return signal == _SIGTERM or aborted or _reports_exception(event, kinds)
    return any(mark in event.message or mark in event.record.text for mark in _PEER_GONE) and event.kind == "exception"


def _reports_exception(event: Event, kinds: Set[str]) -> bool:
    """A plain non-zero exit only repeats what the process's own exception said."""
    code = event.fields.get("exit_code")
    plain = isinstance(code, int) and 0 < code < 128
    return plain and bool(kinds - {"process-exit", "launcher-report"})


def _first(roots: Sequence[Event], failures: Sequence[Event]) -> tuple[Event, str]:
    """The root that came first and on what evidence; an empty basis says that it cannot be told."""
    heads = _first_of_each_rank(roots)
    timed_out = {rank_of(event) for event in failures if event.kind == "collective-timeout"} - {None}
    absent = [event for event in heads if rank_of(event) not in timed_out and rank_of(event) is not None]
    if timed_out and len(absent) == 1:
        rank = rank_of(absent[0])
        return absent[0], f"Rank {rank} failed and is absent from the ranks that report a time-out."
    if len(heads) == 1:
        return heads[0], "It is the only rank that failed by itself." if rank_of(heads[0]) is not None else (
            "It is the first failure in the log; no prefix or file name tells its rank.")  # fmt: skip
    if all(event.record.time is not None for event in heads):
        times = sorted(heads, key=lambda event: event.record.time or 0.0)
        if times[0].record.time != times[1].record.time:
            return times[0], "Its time stamp is the earliest of the ranks that failed."
    launcher = _launcher_ranks(failures)
    named = [event for event in heads if rank_of(event) in launcher]
    if len(named) == 1:
        return named[0], "The launcher names this rank as the first it saw fail."
    if len({event.record.file for event in heads}) == 1:
        return heads[0], "It stands first in the log; ranks that share a log may be written out of order."
    return heads[0], ""


def _first_of_each_rank(roots: Sequence[Event]) -> list[Event]:
    """One event a rank: the earliest, a device-side assert before the error that only reports it.

    Files whose rank nothing tells stand for a rank each, unless some rank is known: then the known are told apart.
    """
    heads: dict[int | str, Event] = {}
    for event in roots:
        rank = rank_of(event)
        key = event.record.file if rank is None else rank
        if key not in heads or (event.kind == "device-assert" and heads[key].kind != "device-assert"):
            heads[key] = event
    known = [event for event in heads.values() if rank_of(event) is not None]
    return known or list(heads.values())


def _launcher_ranks(failures: Iterable[Event]) -> set[int]:
    reports = (event.fields.get("rank") for event in failures if event.kind in ("launcher-report", "process-exit"))
    return {rank for rank in reports if isinstance(rank, int)}


def _only_consequences(failures: Sequence[Event]) -> Initiating:
    """Nothing but reports and victims: the launcher's word if there is one, else nobody is named."""
    report = next((e for e in failures if e.kind == "launcher-report" and isinstance(e.fields.get("rank"), int)), None)
    if report:
        return _initiating(
            report, rank_of(report), "Only the launcher says so, by arrival time; that rank's own log would tell."
        )
    ranks = sorted({rank for event in failures if (rank := rank_of(event)) is not None})
    who = f" The log of a rank other than {', '.join(map(str, ranks))} is needed." if ranks else ""
    return _initiating(failures[0], None, f"No primary failure found: these lines are consequences.{who}")


def _initiating(event: Event, rank: int | None, basis: str) -> Initiating:
    record = event.record
    return Initiating(rank, record.node, record.file, record.line, record.text, basis)


def _collateral(event: Event, rank: int | None) -> Collateral:
    return Collateral(rank, event.record.file, event.record.line, event.record.text)
