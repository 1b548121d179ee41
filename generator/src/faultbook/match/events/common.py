"""What several recognisers need: sizes, streams of one process, exceptions with the records they span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..types import Event, Record, Value

SIZE = r"\d{1,15}(?:\.\d{1,6})? ?(?:[KMGTPE]i?B|[kKMGT]B|bytes|B)\b"
_SIZE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?) ?(?P<unit>[kKMGTPE])?i?(?:B|b|bytes)?")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def to_bytes(text: str) -> int:
    """`1.50 GiB`, `900 KiB`, `67108864 bytes`, `1024kB` as bytes. Units are binary, as these programs mean them."""
    found = _SIZE.match(text.strip())
    if not found:
        raise ValueError(f"not a size: {text[:40]!r}")
    return round(float(found["number"]) * 1024 ** _POWERS[(found["unit"] or "").upper()])


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception event and the records its message came from (the first is the event's own)."""

    event: Event
    records: tuple[Record, ...]


Place = tuple[str, int, str]


def place(record: Record) -> Place:
    return (record.file, record.line, record.text)


@dataclass(frozen=True, slots=True)
class Sayings:
    """Messages to search: each exception's whole message once, then every record outside of them."""

    records: Sequence[Record]
    raised: Sequence[Raised]

    def holding(self, marks: Sequence[str]) -> Iterator[tuple[Record, str, Raised | None]]:
        """(record to show, text to search, exception it belongs to) for texts that hold one of `marks`."""
        covered = set()
        for raised in self.raised:
            covered.update(place(record) for record in raised.records)
            if any(mark in raised.event.message for mark in marks):
                yield raised.event.record, raised.event.message, raised
        for record in self.records:
            if any(mark in record.text for mark in marks) and place(record) not in covered:
                yield record, record.text, None


def known(fields: Iterable[tuple[str, Value | None]]) -> dict[str, Value]:
    """The fields that have a value."""
    return {name: value for name, value in fields if value is not None}


def whole(text: str | None) -> int | None:
    return int(text) if text not in (None, "") else None
