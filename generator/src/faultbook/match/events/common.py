"""What several recognisers need: sizes, streams of one process, exceptions with the records they span."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from ..frozen import Frozen
from ..types import Event, Record, Value


class Raised(Frozen):
    """An exception event and the records its message came from (the first is the event's own)."""

    __slots__ = ()

    event: Event
    records: tuple[Record, ...]


class Haystack:
    """The texts of many records as one string: finding which of them hold a literal runs at `str.find` speed."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.text = "\n".join(record.text for record in records)
        self.starts = [0, *accumulate(len(record.text) + 1 for record in records)]

    def holding(self, marks: Iterable[str]) -> list[int]:
        """Indices of the records that hold one of `marks`, ascending. A mark has no line end."""
        found: set[int] = set()
        for mark in marks:
            at = self.text.find(mark)
            while at >= 0:
                index = bisect_right(self.starts, at) - 1
                found.add(index)
                at = self.text.find(mark, self.starts[index + 1])
        return sorted(found)


class Sayings(Frozen):
    """Texts to search: `messages` takes an exception's lines as one text, `lines` each record by itself."""

    __slots__ = ()

    records: Sequence[Record]
    haystack: Haystack
    raised: Sequence[Raised]
    quoted: frozenset[int]  # id() of records that are source lines of tracebacks, not messages

    def spoken(self, marks: Sequence[str]) -> Iterator[Record]:
        """Records that hold one of `marks` and are no source line quoted by a traceback."""
        for index in self.haystack.holding(marks):
            if id(self.records[index]) not in self.quoted:
                yield self.records[index]

    def messages(self, marks: Sequence[str]) -> Iterator[tuple[Record, str, Raised | None]]:
        """(record to show, text, exception it belongs to) for texts that hold one of `marks`.

        Each exception's whole message comes once, then every record outside of exceptions.
        """
        covered = set()
        for raised in self.raised:
            covered.update(map(id, raised.records))
            if any(mark in raised.event.message for mark in marks):
                yield raised.event.record, raised.event.message, raised
        for record in self.spoken(marks):
            if id(record) not in covered:
                yield record, record.text, None

    def lines(self, marks: Sequence[str]) -> Iterator[tuple[Record, str, Raised | None]]:
        """As `messages`, record by record."""
        owners = {id(record): raised for raised in self.raised for record in raised.records}
        for record in self.spoken(marks):
            yield record, record.text, owners.get(id(record))


def known(fields: Iterable[tuple[str, Value | None]]) -> dict[str, Value]:
    """The fields that have a value."""
    return {name: value for name, value in fields if value is not None}


def whole(text: str | None) -> int | None:
    return int(text) if text not in (None, "") else None


HARMLESS = ("INFO", "DEBUG", "TRACE", "NOTICE")
SIGNALS = {"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9, "SEGV": 11,
           "PIPE": 13, "TERM": 15}  # fmt: skip


def signal_of(exit_code: int | None) -> int | None:
    """The signal behind an exit code: `-9` and the shell's `137` are both SIGKILL."""
    if exit_code is None:
        return None
    return -exit_code if exit_code < 0 else exit_code - 128 if 128 < exit_code < 160 else None
