"""Which failure came first, and which are only its consequences.

The loudest rank is rarely the first. A time-out, a closed connection, a SIGTERM or a launcher's report is
collateral as soon as anything else failed; among the rest, absence from the list of ranks that timed out decides,
then comparable time stamps, then the launcher's word, then the order in one file. Otherwise: not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from .signature import rank_of
from .types import Collateral, Event, Initiating

SHOWN = 32
_PEER_GONE = (
    "Connection closed by", "Connection reset by peer", "Broken pipe", "ChildFailedError", "remote process exited",
    "ncclRemoteError", "DistNetworkError", "Socket Timeout", "failed to recv, got 0 bytes",
    "ProcessRaisedException", "ProcessExitedException", "sub-exception)", "sub-exceptions)",
    "SignalException: Process",
)  # fmt: skip
# What Python says of a NCCL whose own lines have the cause; without them it may be the first failure.
_NCCL_GAVE_UP = ("ncclInternalError", "internal error - please report")
_NCCL_CAUSE = "nccl cause"
_SIGTERM, _SIGABRT = 15, 6


def initiating_of(events: Sequence[Event]) -> Initiating | None:
    """The first failure as far as the log tells, None if nothing failed."""
    failures = [event for event in events if event.failure]
    if not failures:
        return None
    kinds = kinds_of(failures)
    roots = [event for event in failures if not is_consequence(event, kinds)]
    if not roots:
        return _only_consequences(failures)
    event, rank, basis = _first(roots, failures)
    return _initiating(event, rank, basis or _CANNOT_TELL)


_CANNOT_TELL = "Which rank was first cannot be told from these logs: several failed, and nothing orders them."
_NO_PRIMARY = "No primary failure found: these lines are consequences."


def is_told(first: Initiating) -> bool:
    """Whether the judgement names a failure as the first, and does not only show one of several."""
    return first.basis != _CANNOT_TELL and not first.basis.startswith(_NO_PRIMARY)


def collateral_of(events: Sequence[Event], first: Initiating | None) -> tuple[Collateral, ...]:
    """Failures that follow from the first one: consequences by their kind, and failures of other ranks."""
    failures = [event for event in events if event.failure]
    kinds = kinds_of(failures)
    found: dict[tuple, Collateral] = {}
    for event in failures:
        rank = rank_of(event)
        other_rank = first is not None and first.rank is not None and rank is not None and rank != first.rank
        is_first = first is not None and (event.record.file, event.record.line) == (first.file, first.line)
        if not is_first and (other_rank or is_consequence(event, kinds)):
            found.setdefault((event.kind, rank, event.record.file), _collateral(event, rank))
    return tuple(found.values())[:SHOWN]


def kinds_of(failures: Iterable[Event]) -> frozenset[str]:
    """The kinds of all failures, and whether NCCL's own lines say what CUDA refused it."""
    kinds = {event.kind for event in failures}
    if any("NCCL WARN Cuda failure" in event.record.text for event in failures):
        kinds.add(_NCCL_CAUSE)
    return frozenset(kinds)


def is_consequence(event: Event, kinds: Set[str]) -> bool:
    """Whether another process's failure causes this one, or it only reports one. `kinds`: `kinds_of` all failures."""
    if event.kind in ("collective-timeout", "launcher-report"):
        return True
    if event.kind == "xid":
        return "follows" in event.fields
    if event.kind == "process-exit":
        signal = event.fields.get("signal")
        aborted = signal == _SIGABRT and "collective-timeout" in kinds
        return signal == _SIGTERM or aborted or _reports_exception(event, kinds)
    said = (event.message, event.record.text)
    if "collective-timeout" in kinds and any("Tried to allocate more than 1EB" in text for text in said):
        return True  # a size out of a buffer that the aborted collective did not fill
    if event.kind not in ("exception", "cuda-error"):
        return False
    marks = _PEER_GONE + (_NCCL_GAVE_UP if _NCCL_CAUSE in kinds else ())
    return any(mark in text for mark in marks for text in said)


def _reports_exception(event: Event, kinds: Set[str]) -> bool:
    """A plain non-zero exit only repeats what the process's own exception said."""
    code = event.fields.get("exit_code")
    plain = isinstance(code, int) and 0 < code < 128
    return plain and bool(kinds - {"process-exit", "launcher-report"})


def _first(roots: Sequence[Event], failures: Sequence[Event]) -> tuple[Event, int | None, str]:
    """The root that came first, its rank and on what evidence; an empty basis says that it cannot be told."""
    heads = _first_of_each_rank(roots)
    for rule in (_absent_from_timeouts, _alone, _earliest, _named_by_launcher):
        if found := rule(heads, failures):
            return found
    if len({event.record.file for event in heads}) == 1 and heads[0].record.line != heads[1].record.line:
        basis = "It stands first in the log; ranks that share a log may be written out of order."
        return heads[0], rank_of(heads[0]), basis
    return heads[0], None, ""


Answer = tuple[Event, int | None, str]


def _absent_from_timeouts(heads: Sequence[Event], failures: Sequence[Event]) -> Answer | None:
    timed_out = {rank_of(event) for event in failures if event.kind == "collective-timeout"} - {None}
    absent = [event for event in heads if rank_of(event) not in timed_out and rank_of(event) is not None]
    if not timed_out or len(absent) != 1:
        return None
    rank = rank_of(absent[0])
    return absent[0], rank, f"Rank {rank} failed and is absent from the ranks that report a time-out."


def _alone(heads: Sequence[Event], failures: Sequence[Event]) -> Answer | None:
    if len(heads) > 1:
        return None
    rank = rank_of(heads[0])
    if rank is not None:
        return heads[0], rank, "It is the only rank that failed by itself."
    return _of_launcher(heads[0], failures) or (
        heads[0], None, "It is the first failure in the log; no prefix or file name tells its rank.")  # fmt: skip


def _of_launcher(head: Event, failures: Sequence[Event]) -> Answer | None:
    """The rank of a failure without a prefix: the one process that the launcher saw fail, else the one it blames."""
    ended = _ended(failures)
    if len(ended) == 1:
        (rank,) = ended
        return head, rank, f"The launcher saw rank {rank} fail and no other; the line itself names no rank."
    at = head.record.file, head.record.line
    same = (event for event in failures if (event.record.file, event.record.line) == at)
    device = next((event.fields["device"] for event in same if "device" in event.fields), None)
    if isinstance(device, int) and device in ended:
        return head, device, f"Ranks {_listed(ended)} failed, and the report is about GPU {device}."
    return None


def _ended(failures: Iterable[Event]) -> set[int]:
    """Ranks whose process a launcher or scheduler saw fail by itself."""
    exits = (event for event in failures if event.kind in ("launcher-report", "process-exit"))
    ranks = (rank_of(event) for event in exits if event.fields.get("signal", _code_signal(event)) != _SIGTERM)
    return {rank for rank in ranks if rank is not None}


def _code_signal(event: Event) -> int | None:
    code = event.fields.get("exit_code")
    return -code if isinstance(code, int) and code < 0 else None


def _earliest(heads: Sequence[Event], failures: Sequence[Event]) -> Answer | None:
    times = _times([event.record.time for event in heads])
    if not times or len(times) != len(heads):
        return None
    ordered = sorted(zip(times, heads, strict=True), key=lambda pair: pair[0])
    if ordered[0][0] == ordered[1][0]:
        return None
    head = ordered[0][1]
    return head, rank_of(head), "Its time stamp is the earliest of the ranks that failed."


_DAY = 86400.0


def comparable(one: float, other: float) -> bool:
    """Both times are since the epoch, or both since midnight."""
    return (one > _DAY) == (other > _DAY)


def _times(given: Sequence[float | None]) -> list[float]:
    """Times that can be put in an order, else none. Clocks without a date that span half a day passed midnight."""
    times = [time for time in given if time is not None]
    if not times or len(times) != len(given) or not all(comparable(time, times[0]) for time in times):
        return []
    if times[0] <= _DAY and max(times) - min(times) > _DAY / 2:
        return [time + _DAY if time < _DAY / 2 else time for time in times]
    return times


def _named_by_launcher(heads: Sequence[Event], failures: Sequence[Event]) -> Answer | None:
    launcher = _launcher_ranks(failures)
    named = [event for event in heads if rank_of(event) in launcher]
    if len(named) != 1:
        return None
    return named[0], rank_of(named[0]), "The launcher names this rank as the first it saw fail."


def _listed(ranks: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(ranks)))


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


def _launcher_ranks(failures: Sequence[Event]) -> set[int]:
    """Ranks that launchers blame; where they blame none, those that they list."""
    blamed = {rank_of(event) for event in failures if event.kind == "launcher-report"} - {None}
    listed = {rank_of(event) for event in failures if event.kind == "process-exit"} - {None}
    return {rank for rank in blamed or listed if rank is not None}


def _only_consequences(failures: Sequence[Event]) -> Initiating:
    """Nothing but reports and victims: the launcher's word if there is one, else nobody is named."""
    report = next((e for e in failures if e.kind == "launcher-report" and rank_of(e) is not None), None)
    if report:
        return _initiating(
            report, rank_of(report), "Only the launcher says so, by arrival time; that rank's own log would tell."
        )
    ranks = sorted({rank for event in failures if (rank := rank_of(event)) is not None})
    who = f" The log of a rank other than {_listed(ranks)} is needed." if ranks else ""
    return _initiating(failures[0], None, _NO_PRIMARY + who)


def _initiating(event: Event, rank: int | None, basis: str) -> Initiating:
    record = event.record
    return Initiating(rank, record.node, record.file, record.line, record.text, basis)


def _collateral(event: Event, rank: int | None) -> Collateral:
    return Collateral(rank, event.record.file, event.record.line, event.record.text)
