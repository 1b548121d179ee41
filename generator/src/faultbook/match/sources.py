"""From what was given to records and events: archives opened, long logs read in windows, nothing dropped silently."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from .events import CONTEXT_AFTER, CONTEXT_BEFORE, TRIGGERS, recognise
from .markup import printable
from .prefilter import Prefilter
from .read import read
from .types import Event, Record
from .unpack import Budget, open_source
from .windows import interesting

Source = tuple[str, bytes | Iterable[bytes]]
Progress = Callable[[int], object]  # is told how many more bytes have been read, unpacked
WHOLE = 4 << 20  # bytes up to which a log is read line by line, all of it
RECORDS = 200_000  # kept from the start of a log, and as many from its end
CHARACTERS = 16 << 20  # kept from either end, where lines are long
_NO_TEXT = "\ufffd" + "".join(map(chr, [*range(9), *range(14, 27), *range(28, 32)]))  # ESC starts a colour


class Read:
    def __init__(self) -> None:
        self.records: list[Record] = []
        self.events: list[Event] = []
        self.notes: tuple[str, ...] = ()


def read_sources(
    sources: Iterable[Source],
    needles: Sequence[str],
    progress: Progress = lambda _: None,
    prefilter: type[Prefilter] = Prefilter,
) -> Read:
    """Read everything. `needles` are literals that long logs are searched for beside the events' triggers."""
    return together(read_source(name, data, needles, progress, prefilter) for name, data in sources)


def together(parts: Iterable[Read]) -> Read:
    """One Read of several, in their order."""
    whole = Read()
    for part in parts:
        whole.records += part.records
        whole.events += part.events
        whole.notes += part.notes
    return whole


def read_source(
    name: str, data: bytes | Iterable[bytes], needles: Sequence[str], progress: Progress, prefilter: type[Prefilter]
) -> Read:
    """As `read_sources`, for one of them. Sources do not depend on each other until they are put together."""
    done = Read()
    budget = Budget()
    for inner, content in open_source(name, data, budget):
        records, notes = _records(printable(inner), content, needles, progress, prefilter)
        notes += _unusual(printable(inner), records)
        done.records += records
        done.events += recognise(records)
        done.notes += tuple(notes)
    done.notes += tuple(map(printable, budget.notes))
    return done


def _records(
    name: str, data: bytes | Iterable[bytes], needles: Sequence[str], progress: Progress, search: type[Prefilter]
) -> tuple[list[Record], list[str]]:
    head, rest = _head(data)
    if rest is None:
        progress(len(head))
        records, notes = _bounded(name, read(name, head))
        return records, notes if records else [f"{name}: empty", *notes]
    prefilter = search((*TRIGGERS, *needles))
    windows = interesting(_told(chain([head], rest), progress), prefilter, CONTEXT_BEFORE, CONTEXT_AFTER)
    pieces = (record for first, piece in windows for record in read(name, piece, first_line=first))
    records, notes = _bounded(name, pieces)
    if prefilter.passed:
        notes.append(f"{name}: {prefilter.passed} lines were passed over that repeat others but for their numbers")
    return records, [f"{name}: long log, read in full only around lines that can tell of a failure", *notes]


def _unusual(name: str, records: Sequence[Record]) -> list[str]:
    """Why "no failure seen" would say little of this file: there is nothing in it, or it is no text."""
    sample = "".join(record.raw for record in records[:200])[:20_000]
    strange = sum(sample.count(character) for character in _NO_TEXT)
    if strange > len(sample) * 0.1:
        return [f"{name}: does not look like text"]
    return []


def _told(chunks: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk
        progress(len(chunk))


def _head(data: bytes | Iterable[bytes]) -> tuple[bytes, Iterable[bytes] | None]:
    """All of a short log and None, or the first part of a long one and the rest."""
    if isinstance(data, bytes):
        return (data, None) if len(data) <= WHOLE else (data[:WHOLE], _slices(data, WHOLE))
    chunks, parts, size = iter(data), [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > WHOLE:
            return b"".join(parts), chunks
    return b"".join(parts), None


def _slices(data: bytes, start: int, size: int = 1 << 20) -> Iterator[bytes]:
    for at in range(start, len(data), size):
        yield data[at : at + size]


def _bounded(name: str, records: Iterator[Record]) -> tuple[list[Record], list[str]]:
    """The first and the last records, within RECORDS and CHARACTERS, and a note if any between them were left out."""
    kept = list(_leading(records))
    last: deque[Record] = deque()
    size = left_out = 0
    for record in records:
        last.append(record)
        size += len(record.raw)
        while len(last) > RECORDS or (size > CHARACTERS and len(last) > 1):
            size -= len(last.popleft().raw)
            left_out += 1
    kept.extend(last)
    if not left_out:
        return kept, []
    between = f"line {kept[-len(last) - 1].line} and {last[0].line}"
    return kept, [f"{name}: {left_out} lines between {between} were not judged"]


def _leading(records: Iterator[Record]) -> Iterator[Record]:
    size = 0
    for record in islice(records, RECORDS):
        yield record
        size += len(record.raw)
        if size > CHARACTERS:
            return
