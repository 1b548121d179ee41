"""Records to events: a case is `cases/events/NAME.log` with the expected events beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.match import events
from faultbook.match.events import RECOGNISERS, exception, recognise
from faultbook.match.read import read
from faultbook.match.types import KINDS, Event
from faultbook.match.units import to_bytes

ROOT = Path(__file__).parents[1] / "cases"
CASES = sorted((ROOT / "events").glob("*.log"))
HEALTHY = sorted((ROOT / "healthy").glob("*.log"))
MESSAGE = 160  # characters of a message that a case file keeps


def events_of(name: str, data: bytes) -> tuple[Event, ...]:
    return recognise(tuple(read(name, data)))


def shown(event: Event) -> dict[str, object]:
    row: dict[str, object] = {"kind": event.kind, "line": event.record.line}
    if event.record.rank is not None:
        row["rank"] = event.record.rank
    if not event.failure:
        row["failure"] = False
    row |= {"message": event.message[:MESSAGE], "length": len(event.message), "fields": dict(event.fields)}
    if event.frames:
        row["frames"] = [f"{f.file}:{f.line} {f.function}: {f.code}" for f in event.frames]
    return row


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_events(path: Path) -> None:
    got = [shown(event) for event in events_of(path.name, path.read_bytes())]
    expected = path.with_suffix(".json")
    if os.environ.get("FAULTBOOK_UPDATE"):
        expected.write_text(json.dumps(got, indent=1, ensure_ascii=False) + "\n")
    assert got == json.loads(expected.read_text())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_fields_are_those_of_the_kind(path: Path) -> None:
    for event in events_of(path.name, path.read_bytes()):
        assert set(event.fields) <= set(KINDS[event.kind])


def test_every_kind_has_a_case() -> None:
    seen = {event.kind for path in CASES for event in events_of(path.name, path.read_bytes())}
    assert seen == set(KINDS)


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.stem)
def test_a_healthy_log_holds_no_failure(path: Path) -> None:
    assert [shown(event) for event in events_of(path.name, path.read_bytes()) if event.failure] == []


def test_the_list_of_recognisers_names_every_module() -> None:
    folder = Path(events.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "common", "frames", "resources"}
    assert modules == {module.__name__.rsplit(".", 1)[-1] for module in (*RECOGNISERS, exception)}


@pytest.mark.parametrize(
    ("text", "size"),
    [("1.50 GiB", 1610612736), ("900 KiB", 921600), ("67108864 bytes", 67108864), ("1024kB", 1048576), ("0 bytes", 0)],
)
def test_sizes(text: str, size: int) -> None:
    assert to_bytes(text) == size


def test_the_same_report_on_two_ranks_is_two_events() -> None:
    line = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    data = f"[rank0]: {line}\n[rank1]: {line}\n".encode()
    assert [e.record.rank for e in events_of("a", data) if e.kind == "memory-report"] == [0, 1]


def test_a_flood_of_assertions_is_one_event() -> None:
    line = (
        "/a/Indexing.cu:12: kernel: block: [{},0,0], thread: [{},0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
    )
    data = "".join(line.format(n // 32, n % 32) for n in range(3000)).encode()
    (event,) = (e for e in events_of("a", data) if e.kind == "device-assert")
    assert event.fields["count"] == 3000


WORDS = st.sampled_from(
    [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    code()",
        "RuntimeError: CUDA out of memory.",
        "Tried to allocate 2 GiB",
        "During handling of the above exception, another exception occurred:",
        "Killed",
        "│ ❱ 1 │ x │",
        "Root Cause (first observed failure):",
        "  rank      : 3 (local_rank: 3)",
        "  exitcode  : -9 (pid: 3)",
        "oom-kill:constraint=",
        "NVRM: Xid (PCI:0000:01:00): 31, pid=1",
        "step 3 mem 4 MiB",
        "[rank1]: ValueError",
        "Assertion `x` failed. block: [",
        "",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(WORDS | st.text(max_size=30), max_size=40))
def test_any_lines_are_recognised_without_error(lines: list[str]) -> None:
    for event in events_of("rank1.log", "\n".join(lines).encode("utf-8", "replace")):
        assert set(event.fields) <= set(KINDS[event.kind])


@pytest.mark.parametrize(
    "line",
    [
        "CUDA error: " * 20_000,
        "a.cu:1: " * 30_000 + "block: [ Assertion `",
        "x: " * 80_000,
        "Tried to allocate 1 " * 12_000,
        "exit code " * 25_000,
        " " * 250_000 + "Error",
        "1.5" * 80_000,
        "A.b" * 80_000 + "Error: x",
        "srun: error: task " * 14_000,
        "\x1b[" * 100_000,
        "%|" * 100_000,
        "[rank" * 50_000,
        "&#1" * 80_000,
        "Rank " * 50_000 + "[PG ",
    ],
)
@pytest.mark.timeout(20)
def test_no_pattern_explodes_on_a_long_line(line: str) -> None:
    """A quadratic pattern over 250 000 characters would run for minutes; the limit is far above linear."""
    assert len(list(read("a", line.encode()))) >= 1
    assert events_of("a", line.encode()) is not None
