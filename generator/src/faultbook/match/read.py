"""Stage 5, first half: bytes to records.

bytes -> physical lines (decode) -> without markup (markup) -> without prefixes (prefixes) -> unwrapped (join)
-> equal neighbours collapsed. For big inputs `windows.interesting` finds the parts worth reading first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .decode import physical_lines
from .join import Line, join
from .lazy import Lazy
from .markup import clean, sublines
from .prefixes import CONTEXTUAL, PDSH, SRUN, Facts, strip, strip_contextual
from .types import Record

BLOCK = 1024  # lines looked at together when prefixes and wraps are judged
NEIGHBOURS = 6
SHARE = 0.6
_NAME_RANK = Lazy(r"(?:rank|worker|proc|trainer|node_rank)[._-]?(\d{1,5})(?!\d)", re.IGNORECASE)
_ELASTIC = Lazy(r"attempt_\d{1,4}/(\d{1,5})/")
_CERTAIN = Lazy(
    r"\s{0,40}(?:Traceback \(most recent|File \"|[A-Za-z_][\w.]{0,100}(?:Error|Exception)\b|\[rank\d|\[?20\d\d-)"
)


def read(name: str, data: bytes | Iterable[bytes], first_line: int = 1) -> Iterator[Record]:
    """The records of one log, in order. `data` may be an iterable of chunks; memory stays bounded.

    Blank lines give no record. Every other physical line is covered by exactly one record, except the
    overwritten states of progress lines.
    """
    rank = rank_of(name)
    return _collapse(_records(name, rank, _joined(_split(physical_lines(data, first_line)))))


def rank_of(name: str) -> int | None:
    """Rank told by a file name: `rank3.log`, `worker_2.err`, torchelastic's `attempt_0/3/stderr.log`."""
    path = name.replace("\\", "/")
    found = _ELASTIC.search(path)
    if not found:
        found = next(iter([*_NAME_RANK.finditer(path)][-1:]), None)
    return int(found[1]) if found else None


def _split(lines: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for number, raw in lines:
        for text in sublines(raw):
            cleaned = clean(text)
            yield Line(number, raw, *strip(cleaned), width=len(cleaned))


def _joined(lines: Iterator[Line]) -> Iterator[Line]:
    block: list[Line] = []
    fresh = 0  # lines at the end of `block` whose contextual prefixes are not judged yet
    for line in lines:
        block.append(line)
        fresh += 1
        if len(block) >= BLOCK:
            _strip_contextual(block, len(block) - fresh)
            done, used = join(block, final=False)
            yield from done
            block, fresh = block[used:], 0
    _strip_contextual(block, len(block) - fresh)
    yield from join(block)[0]


def _strip_contextual(block: Sequence[Line], start: int) -> None:
    fresh = [line for line in block[start:] if line.text.strip()]
    for pattern in CONTEXTUAL:
        found = [pattern.match(line.text) for line in fresh]
        if not any(found):
            continue
        for line, match, good in zip(fresh, found, _confirmed(found, pattern, fresh), strict=True):
            if match and good:
                line.text, line.facts = strip_contextual(line.text, line.facts, pattern)


def _confirmed(found: list[re.Match[str] | None], pattern: re.Pattern[str], lines: list[Line]) -> list[bool]:
    """Whether each match is a prefix: most neighbours have one too, or what follows leaves no doubt."""
    sums = [0]
    for match in found:
        sums.append(sums[-1] + (match is not None))
    good = []
    for index, match in enumerate(found):
        low, high = max(0, index - NEIGHBOURS), min(len(found), index + NEIGHBOURS + 1)
        near = sums[high] - sums[low]
        certain = match is not None and _CERTAIN.match(lines[index].text, match.end())
        named = pattern is not PDSH or (match is not None and _repeats(found[low:high], match))
        good.append(bool(certain and pattern in (SRUN, PDSH)) or (near >= 3 and near >= SHARE * (high - low) and named))
    return good


def _repeats(near: Sequence[re.Match[str] | None], match: re.Match[str]) -> bool:
    return sum(1 for other in near if other and other["node"] == match["node"]) >= 2


def _records(name: str, rank: int | None, lines: Iterable[Line]) -> Iterator[Record]:
    for line in lines:
        text = line.text.rstrip()
        if text.strip():
            facts: Facts = line.facts
            own = facts.rank if facts.rank is not None else rank if rank is not None else facts.local
            yield Record(name, line.number, text, line.raw.rstrip(), own, facts.node, facts.pid, facts.time,
                         lines=line.lines, level=facts.level)  # fmt: skip


def _collapse(records: Iterable[Record]) -> Iterator[Record]:
    """Equal records in a row become the first one with a count. Different known ranks stay apart."""
    held: Record | None = None
    count = 0
    for record in records:
        if held and _equal(held, record):
            count += record.count
            continue
        if held:
            yield _counted(held, count)
        held, count = record, record.count
    if held:
        yield _counted(held, count)


def _equal(one: Record, other: Record) -> bool:
    return one.text == other.text and one.rank == other.rank and one.node == other.node and one.pid == other.pid


def _counted(record: Record, count: int) -> Record:
    if count == record.count:
        return record
    return Record(record.file, record.line, record.text, record.raw, record.rank, record.node, record.pid,
                  record.time, record.lines, count, record.level)  # fmt: skip
