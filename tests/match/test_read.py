"""Bytes to records: a case is `cases/read/NAME.log` with the expected records beside it.

`FAULTBOOK_UPDATE=1 pytest tests/match` rewrites the expectations; review them before committing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.match.join import Line, join
from faultbook.match.read import rank_of, read
from faultbook.match.types import Record

CASES = sorted((Path(__file__).parents[1] / "cases" / "read").glob("*.log"))


def shown(record: Record) -> dict[str, object]:
    """A record as the case files write it: what is not the default."""
    names = ("line", "text", "rank", "node", "pid", "time", "level", "lines", "count")
    values = {name: getattr(record, name) for name in names}
    plain = {"rank": None, "node": None, "pid": None, "time": None, "level": None, "lines": 1, "count": 1}
    return {name: value for name, value in values.items() if name not in plain or value != plain[name]}


def expectation(path: Path, got: object) -> object:
    if os.environ.get("FAULTBOOK_UPDATE"):
        path.write_text(json.dumps(got, indent=1, ensure_ascii=False) + "\n")
    return json.loads(path.read_text())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_records(path: Path) -> None:
    got = [shown(record) for record in read(path.name, path.read_bytes())]
    assert got == expectation(path.with_suffix(".json"), got)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [1, 7, 64])
def test_chunks_make_no_difference(path: Path, size: int) -> None:
    data = path.read_bytes()
    chunks = (data[start : start + size] for start in range(0, len(data), size))
    assert list(read(path.name, chunks)) == list(read(path.name, data))


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("rank3.log", 3),
        ("logs/worker_2.err", 2),
        ("run/attempt_0/3/stderr.log", 3),
        ("run\\attempt_1\\12\\stdout.log", 12),
        ("rank_0/rank_7.out", 7),
        ("train.log", None),
        ("franky.log", None),
    ],
)
def test_rank_from_the_file_name(name: str, rank: int | None) -> None:
    assert rank_of(name) == rank
    assert [record.rank for record in read(name, b"x\n")] == [rank]


def test_a_prefix_knows_better_than_the_file_name() -> None:
    assert [record.rank for record in read("rank3.log", b"[rank5]: x\n")] == [5]


def test_rank_zero_is_a_rank() -> None:
    assert [record.rank for record in read("a.log", b"0: a\n1: b\n0: c\n1: d\n")] == [0, 1, 0, 1]


def test_lines_are_numbered_from_where_a_window_starts() -> None:
    assert [record.line for record in read("a", b"x\n\ny\n", first_line=41)] == [41, 43]


def test_a_block_border_does_not_separate_wrapped_lines() -> None:
    first = "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total capacity;"
    for before in range(970, 1030):
        lines = [f"line {'x' * (number % 7)}{number}" for number in range(before)]
        records = list(read("a", "\n".join([*lines, first, "1.00 GiB already allocated)", "end"]).encode()))
        assert records[before].text == f"{first} 1.00 GiB already allocated)"
        assert len(records) == before + 2


@pytest.mark.parametrize("copies", [2, 8])
def test_copies_of_one_message_are_no_terminal_width(copies: int) -> None:
    """Ranks without a prefix print the same line; what the launcher prints next is not its continuation."""
    line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB on GPU {}."
    log = [*(line.format(rank) for rank in range(copies)), "failed (exitcode: -9) local_rank: 2 (pid: 9)"]
    assert [record.text for record in read("a.log", "\n".join(log).encode())] == log


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_are_read(data: bytes) -> None:
    numbers = [record.line for record in read("x.log", data)]
    assert numbers == sorted(numbers)


TEXT = st.text(st.sampled_from('ab :[]()│╭╮\t\r|0123456789.,;%E\x1b\\n{}"&'), max_size=40)
PIECES = st.sampled_from(
    [
        "[rank0]: ",
        "0: ",
        "E   ",
        "vllm-1  | ",
        "RuntimeError: ",
        "Traceback (most recent call last):",
        '  File "a", line 1',
        "2026-01-02 10:00:00,123 ",
        "ERROR ",
        "│ ",
        " │",
        "(pid=3) ",
        "100%|##| 1/1 [00:00]",
        "Tried to allocate (",
        "│ ❱ 1 │",
    ]
)
LINES = st.lists(st.tuples(PIECES, TEXT).map("".join) | TEXT, max_size=60)


@settings(max_examples=150, deadline=None)
@given(LINES)
def test_records_cover_every_line_with_text_once(lines: list[str]) -> None:
    """Physical lines in records, collapsed copies included, are exactly the lines that say something."""
    covered: list[int] = []
    for record in read("x.log", "\n".join(lines).encode()):
        covered.extend(range(record.line, record.line + record.lines))
    assert covered == sorted(covered)
    assert set(covered) <= set(range(1, len(lines) + 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT | st.just("Error: " + "x" * 80), max_size=80))
def test_joining_uses_up_every_line_once(texts: list[str]) -> None:
    lines = [Line(number, text, text, width=len(text)) for number, text in enumerate(texts, start=1)]
    joined, used = join(lines)
    assert used == len(lines)
    numbers = [number for line in joined for number in range(line.number, line.number + line.lines)]
    assert numbers == [line.number for line in lines]


def calls(work: Callable[[], object]) -> int:
    """How many functions, Python's and C's, `work` calls: its cost without a clock."""
    count = 0

    def tick(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "line",
    [
        "step 1 loss 2\n",
        "[rank0]: x (\n",
        "RuntimeError: (a,\n",
        "│ /a/b │\n",
        "0: x\n",
        "Error" + "x" * 75 + "\n",
        "\r1%|" * 20 + "\n",
    ],
)
def test_work_grows_with_the_input_only(line: str) -> None:
    small, big = (calls(lambda n=n: sum(1 for _ in read("a", line.encode() * n))) for n in (1500, 6000))
    assert big < 4.6 * small


def test_one_endless_line_is_cut_into_pieces() -> None:
    records = list(read("a", b"x" * 3_000_000))
    assert max(len(record.text) for record in records) <= 1 << 18
    assert {record.line for record in records} == {1}
    assert sum(len(record.text) * record.count for record in records) == 3_000_000
