"""What the numbers of an out-of-memory report say by themselves, whichever entry leads.

The allocator's advice line is printed on nearly every report and counts for nothing. The arithmetic does:
https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management says what reserved and allocated are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .types import Account, Event, Value

_MUCH = 0.5  # of the device: what others hold, for them to be the reason
_LITTLE = 0.25  # of the device: what this process holds, for it not to be


def account_of(events: Sequence[Event]) -> Account | None:
    """The account of the first report that failed and has numbers, else of the first that failed, else None."""
    reports = [event for event in events if event.kind == "memory-report" and event.failure]
    accounts = [account(event) for event in reports]
    told = (it for it in accounts if it.kind not in ("unknown", "host", "pinned"))
    return next(told, accounts[0] if accounts else None)


def account(event: Event) -> Account:
    """Classify one memory report; `says` gives the reason with its numbers."""
    kind, says = _judged(event.fields)
    record = event.record
    return Account(kind, says, record.file, record.line, record.rank)


def _judged(fields: Mapping[str, Value]) -> tuple[str, str]:
    if fields.get("wording") == "torch-1eb":
        return "no-size", "The size asked for is no real size: it was computed from broken numbers."
    if fields.get("memory") == "host":
        return "host", "Main memory of the machine was refused, not memory of a GPU."
    if fields.get("memory") == "pinned":
        return "pinned", "Page-locked main memory was refused, not memory of the GPU."
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    for rule in (_spill, _limit, _foreign, _over_size, _fragmentation):
        if found := rule(numbers):
            return found
    return "unknown", _missing(numbers)


def _spill(it: Mapping[str, int]) -> tuple[str, str] | None:
    if not _known(it, "allocated", "total") or it["allocated"] <= it["total"]:
        return None
    return "spill", (
        f"{gib(it['allocated'])} are allocated on a device of {gib(it['total'])}: the driver has moved some "
        "to main memory."
    )


def _limit(it: Mapping[str, int]) -> tuple[str, str] | None:
    if not _known(it, "allowed", "requested", "free", "total") or it["allowed"] >= it["total"]:
        return None
    if it["free"] < it["requested"]:
        return None
    return "limit", (
        f"{gib(it['free'])} are free on the device, but this process may use only {gib(it['allowed'])} of its "
        f"{gib(it['total'])}."
    )


def _foreign(it: Mapping[str, int]) -> tuple[str, str] | None:
    own = it.get("process", it.get("reserved"))
    if own is None or not _known(it, "total", "free", "requested") or it["requested"] <= it["free"]:
        return None
    elsewhere = it["total"] - it["free"] - own
    if own > _LITTLE * it["total"] or elsewhere < _MUCH * it["total"]:
        return None
    return "foreign-process", (
        f"Of {gib(it['total'])} this process holds {gib(own)} and {gib(it['free'])} are free: the other "
        f"{gib(elsewhere)} are held outside of it."
    )


def _over_size(it: Mapping[str, int]) -> tuple[str, str] | None:
    if not _known(it, "requested", "free", "unallocated"):
        return None
    at_hand = it["free"] + it["unallocated"]
    if it["requested"] <= at_hand:
        return None
    return "over-size", (
        f"{gib(it['requested'])} were asked for; free ({gib(it['free'])}) and reserved but unallocated "
        f"({gib(it['unallocated'])}) together are {gib(at_hand)}. In one piece it would not fit either."
    )


def _fragmentation(it: Mapping[str, int]) -> tuple[str, str] | None:
    if not _known(it, "requested", "unallocated") or it["unallocated"] < it["requested"]:
        return None
    return "fragmentation", (
        f"{gib(it['requested'])} were asked for while {gib(it['unallocated'])} were reserved but unallocated: "
        "enough in sum, but in no piece that this request may use (too small, of another stream, or of a private pool)."
    )


def _missing(it: Mapping[str, int]) -> str:
    lacking = [name for name in ("requested", "free", "unallocated") if name not in it]
    if lacking:
        return (
            "The report does not give "
            + " and ".join(_WORDS[name] for name in lacking)
            + ", so the kind cannot be told."
        )
    return (
        f"{gib(it['requested'])} were asked for; only free ({gib(it['free'])}) and reserved but unallocated "
        f"({gib(it['unallocated'])}) together would have covered it. Both kinds are possible."
    )


_WORDS = {"requested": "the size asked for", "free": "what is free", "unallocated": "what is reserved but unallocated"}


def _known(it: Mapping[str, int], *names: str) -> bool:
    return all(name in it for name in names)


def gib(count: int) -> str:
    """Bytes as reports print them: two decimals of the largest unit that leaves something before the point."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.2f} {unit}"
    return f"{count} bytes"
