"""Stage 5, first half: bytes to records. `read` does a whole log; `interesting` finds the parts worth reading.

A log of 100 MB is mostly healthy lines. `interesting(chunks, triggers)` passes over them at the speed of
`bytes.find` and yields windows of lines around triggers; each window then gets the full treatment:

    for first, piece in interesting(chunks, TRIGGERS, CONTEXT_BEFORE, CONTEXT_AFTER):
        records = read(name, piece, first_line=first)

Windows never overlap and come in order, so the records of all windows of a file can simply be chained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .decode import CHUNK, chunks_of, physical_lines, utf8
from .join import Line, join
from .markup import clean, sublines
from .prefixes import CONTEXTUAL, PDSH, SRUN, Facts, strip, strip_contextual
from .types import Record

BLOCK = 1024  # lines looked at together when prefixes and wraps are judged
NEIGHBOURS = 6
SHARE = 0.6
_NAME_RANK = re.compile(r"(?:rank|worker|proc|trainer|node_rank)[._-]?(\d{1,5})(?!\d)", re.IGNORECASE)
_ELASTIC = re.compile(r"attempt_\d{1,4}/(\d{1,5})/")
_CERTAIN = re.compile(r"\s{0,40}(?:Traceback \(most recent|File \"|[A-Za-z_][\w.]{0,100}(?:Error|Exception)\b|\[rank\d|\[?20\d\d-)")


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
        for found in _NAME_RANK.finditer(path):
            pass
    return int(found[1]) if found else None


def _split(lines: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for number, raw in lines:
        for text in sublines(raw):
            yield Line(number, raw, *strip(clean(text)))


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
        good.append(bool(certain and pattern is SRUN) or (near >= 3 and near >= SHARE * (high - low) and named))
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


def interesting(
    chunks: bytes | Iterable[bytes], triggers: Iterable[str], before: int, after: int
) -> Iterator[tuple[int, bytes]]:
    """Windows (number of the first line, UTF-8 bytes) around every line that holds a trigger.

    A window reaches from `before` lines ahead of a trigger to `after` lines behind it; windows that touch are
    one. A line's number is that of the whole input. Memory: a few chunks and the longest window.
    """
    needles = [trigger.encode() for trigger in triggers]
    number, head, tail, held, start = 1, [], 0, [], 1  # type: ignore[var-annotated]
    for piece in _whole_lines(utf8(chunks_of(chunks))):
        hits = _hits(piece, needles)
        if not hits:  # the fast path: nothing here, keep only what a later hit may want from before it
            lines, count = None, piece.count(b"\n")
            if tail:
                lines = piece.split(b"\n", tail)[:tail]
                held += lines
                tail -= len(lines)
                if not tail:
                    yield start, b"\n".join(held) + b"\n"
                    held = []
            number += count
            head = piece.rsplit(b"\n", before + 1)[-before - 1 : -1] if before else []
            if lines is not None and len(head) > count - len(lines):
                head = head[len(head) - max(0, count - len(lines)) :]
            continue
        for index, line in enumerate(piece[:-1].split(b"\n") if piece.endswith(b"\n") else piece.split(b"\n")):
            if index in hits:
                if not held:
                    start = number - len(head)
                    held, head = list(head), []
                held.append(line)
                tail = after
            elif tail:
                held.append(line)
                tail -= 1
            else:
                head = [*head[-before + 1 :], line] if before > 1 else [line][:before]
            if held and not tail:
                yield start, b"\n".join(held) + b"\n"
                held, head = [], []
            number += 1
    if held:
        yield start, b"\n".join(held) + b"\n"


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, chunk[:cut]])
            rest = [chunk[cut:]]
        else:
            rest.append(chunk)
            if sum(map(len, rest)) > 16 * CHUNK:  # one endless line: give it out as it is
                yield b"".join(rest)
                rest = []
    if any(rest):
        yield b"".join(rest)


def _hits(piece: bytes, needles: Sequence[bytes]) -> set[int]:
    """Indices of the lines of `piece` that hold a needle."""
    places = set()
    for needle in needles:
        at = piece.find(needle)
        while at >= 0:
            places.add(at)
            end = piece.find(b"\n", at)
            at = piece.find(needle, end) if end >= 0 else -1
    hits, line, last = set(), 0, 0
    for at in sorted(places):
        line += piece.count(b"\n", last, at)
        last = at
        hits.add(line)
    return hits
