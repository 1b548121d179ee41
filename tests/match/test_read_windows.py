"""Windows of a big log: the same events as a full read, in order, at the right line numbers."""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.match.events import CONTEXT_AFTER, CONTEXT_BEFORE, TRIGGERS, recognise
from faultbook.match.read import read
from faultbook.match.types import Event
from faultbook.match.windows import interesting

HEALTHY = sorted((Path(__file__).parents[1] / "cases" / "healthy").glob("*.log"))
FAILURES = sorted((Path(__file__).parents[1] / "cases" / "events").glob("*.log"))


def naive(data: bytes, trigger: bytes, before: int, after: int) -> list[int]:
    """Numbers of the lines that windows must hold."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    hits = [number for number, line in enumerate(lines) if trigger in line]
    return [n + 1 for n in range(len(lines)) if any(hit - before <= n <= hit + after for hit in hits)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "", "bb", "HIT", "xHITx"]), max_size=60),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(1, 50),
    st.booleans(),
)
def test_windows_hold_exactly_the_neighbourhood(
    lines: list[str], before: int, after: int, size: int, end: bool
) -> None:
    data = ("\n".join(lines) + ("\n" if end else "")).encode()
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    got: list[int] = []
    for first, piece in interesting(chunks, ["HIT"], before, after):
        body = piece[:-1].split(b"\n")
        assert body == data.split(b"\n")[first - 1 : first - 1 + len(body)]
        got.extend(range(first, first + len(body)))
    assert got == naive(data, b"HIT", before, after)


def big_log(size: int) -> bytes:
    """Healthy lines of many sorts, with every failure case somewhere among them."""
    marks = [trigger.encode() for trigger in TRIGGERS]
    lines = [line for path in HEALTHY for line in path.read_bytes().splitlines()]
    healthy = [line for line in lines if not any(mark in line for mark in marks)]
    pieces: list[bytes] = []
    total = 0
    failures = iter(path for path in FAILURES if path.stem != "growth")
    for number, line in enumerate(cycle(healthy)):
        pieces.append(line)
        total += len(line) + 1
        if number % 1600 == 1200 and (path := next(failures, None)):
            pieces += [b"", *path.read_bytes().splitlines(), b""]
        if total > size:
            return b"\n".join(pieces) + b"\n"
    raise AssertionError("no healthy lines")


def essence(events: tuple[Event, ...]) -> list[tuple[object, ...]]:
    return [
        (e.kind, e.record.line, e.message, dict(e.fields), e.failure, [(f.file, f.line, f.code) for f in e.frames])
        for e in events
        if e.kind != "growth"
    ]


def test_windows_of_a_big_log_give_the_events_of_a_full_read() -> None:
    data = big_log(10_000_000)
    full = recognise(tuple(read("big.log", data)))
    records = []
    seen = 0
    for first, piece in interesting(data, TRIGGERS, CONTEXT_BEFORE, CONTEXT_AFTER):
        seen += len(piece)
        records.extend(read("big.log", piece, first_line=first))
    assert seen < len(data) / 4
    assert essence(recognise(tuple(records))) == essence(full)
    assert len({event.kind for event in full}) >= 9


@pytest.mark.parametrize("path", FAILURES, ids=lambda path: path.stem)
def test_every_failure_has_a_trigger(path: Path) -> None:
    data = path.read_bytes()
    windows = list(interesting(data, TRIGGERS, CONTEXT_BEFORE, CONTEXT_AFTER))
    records = tuple(record for first, piece in windows for record in read(path.name, piece, first_line=first))
    assert essence(recognise(records)) == essence(recognise(tuple(read(path.name, data))))


def test_utf_16_is_searched_too() -> None:
    data = ("x\n" * 100 + "RuntimeError: y\n").encode("utf-16")
    assert [first for first, _ in interesting(data, ["Error"], 2, 0)] == [99]


def test_healthy_lines_are_passed_over() -> None:
    line = b"step 1 loss 2.31 mem 61.2GiB\n"
    assert list(islice(interesting(line * 200_000, TRIGGERS, 9, 9), 1)) == []


def test_a_window_that_never_ends_is_given_out_in_parts(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("faultbook.match.windows.WIDEST", 100)
    lines = [b"HIT %d" % number for number in range(200)]
    parts = list(interesting(b"\n".join(lines), ["HIT"], 2, 2))
    assert max(len(piece) for _, piece in parts) < 120
    assert b"".join(piece for _, piece in parts).splitlines() == lines
    starts = [first for first, _ in parts]
    assert starts == [1 + b"".join(p for _, p in parts[:n]).count(b"\n") for n in range(len(parts))]
