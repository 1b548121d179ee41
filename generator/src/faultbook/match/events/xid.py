"""NVIDIA driver's Xid lines, one event for each code and device of a file; `count` keeps the burst.

Xid 45 is a cleanup of channels: after another code of the same device it only follows from that one.
https://docs.nvidia.com/deploy/xid-errors/index.html
"""

from __future__ import annotations

from collections.abc import Iterator

from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import Sayings

TRIGGERS = ("Xid", "XID ")

_CLEANUP = 45
_LINE = Lazy(r"NVRM: Xid \((?:PCI:)?(?P<device>[0-9A-Fa-f:.]{5,20})\): (?P<code>\d{1,3})\b")
_DCGM = Lazy(r"\bXID (?P<code>\d{1,3})\b(?=.{0,200}\bGPU\b)")


def recognise(sayings: Sayings) -> Iterator[Event]:
    seen: dict[tuple[str, str | None, str, str], tuple[Record, int]] = {}
    for record in sayings.spoken(TRIGGERS):
        found = _LINE.search(record.text[:2000]) or _DCGM.search(record.text[:2000])
        if found:
            key = (record.file, record.node, found["code"], found.groupdict().get("device") or "")
            first, count = seen.get(key, (record, 0))
            seen[key] = (first, count + record.count)
    last: dict[tuple[str, str | None, str], int] = {}
    for (file, node, code, device), (first, count) in seen.items():
        fields: dict[str, Value] = {"code": int(code), "count": count}
        before = last.setdefault((file, node, device), int(code))
        if int(code) == _CLEANUP and before != _CLEANUP:
            fields["follows"] = before
        if device:
            fields["device"] = device
        yield Event("xid", first, first.text, fields)
