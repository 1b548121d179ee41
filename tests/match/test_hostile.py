"""Logs made to hurt: bounded work, an answer of the contract, no exception, and nothing in them is obeyed."""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.catalog import load_catalog
from faultbook.exports import signature_index
from faultbook.match.diagnosis import to_dict, to_markdown
from faultbook.match.engine import triage
from faultbook.match.index import load_index

ROOT = Path(__file__).parents[2]
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
    "of which 2.04 GiB is free. Including non-PyTorch memory, this process has 77.10 GiB memory in use. Of the "
    "allocated memory 76.02 GiB is allocated by PyTorch, and 212.51 MiB is reserved by PyTorch but unallocated.\n"
)


@cache
def index():
    catalog, _ = load_catalog(ROOT, content=False)
    return load_index(signature_index.artifacts(catalog)[0].data.decode())


def answered(*files: bytes) -> dict:
    """The answer, checked for what holds of every answer."""
    names = [f"rank{place}.log" for place in range(len(files))]
    diagnosis = triage(zip(names, files, strict=True), index())
    data = json.loads(json.dumps(to_dict(diagnosis)))
    to_markdown(diagnosis)
    assert data["verdict"] in ("match", "ambiguous", "unknown", "clean")
    assert all(found["evidence"] for found in data["diagnoses"])
    shown = [line["text"] for found in data["diagnoses"] for line in found["evidence"]]
    assert not any(set(text) & set("\x1b\x9b\r\n\x00") for text in shown)
    return data


def work(data: bytes) -> int:
    """How many functions `triage` calls on `data`, of Python and of C: a measure of work without a clock."""
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        triage([("run.log", data)], index())
    finally:
        sys.setprofile(None)
    return calls


SHAPES = {
    "tiny lines": lambda n: b"x\n" * n,
    "numbered lines": lambda n: b"".join(b"%d\n" % i for i in range(n)),
    "growing numbers": lambda n: b"".join(b"step %d held %d.5 MiB\n" % (i, i) for i in range(n)),
    "open tracebacks": lambda n: b"Traceback (most recent call last):\n" * n,
    "frames without an end": lambda n: b"".join(
        [b"Traceback (most recent call last):\n", b'  File "a.py", line 1, in f\n    g()\n' * n]),
    "errors": lambda n: b"".join(b"ValueError: %d\n" % i for i in range(n)),
    "many ranks": lambda n: b"".join(b"[rank%d]: RuntimeError: lost %d\n" % (i, i) for i in range(n)),
    "out of memory": lambda n: OOM.encode() * n,
    "watchdogs": lambda n: b"".join(
        b"[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, "
        b"Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n" % i for i in range(n)),
    "asserts": lambda n: b"".join(
        b"a.cu:1: k: block: [%d,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n" % i
        for i in range(n)),
    "boxes": lambda n: "".join("│ ❱ 162 │   x = 1   │\n" for _ in range(n)).encode(),
    "prefixes in prefixes": lambda n: b"[rank1]: " * n,
    "carriage returns": lambda n: b"1%|#| 1/9\r" * n,
    "colour codes": lambda n: b"\x1b[31m" * n,
    "pids": lambda n: b"".join(b"W 1 api.py:9] Sending process %d closing signal SIGTERM\n" % i for i in range(n)),
    "one long line": lambda n: b"CUDA out of memory. Tried to allocate " * n,
    "braces": lambda n: b'{"log": "' * n + b'"}' * n,
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_log_and_no_faster(shape):
    few, many = (work(SHAPES[shape](n)) for n in (1000, 4000))
    assert many < 4 * few * 1.25 + 2000


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_answered(shape):
    answered(SHAPES[shape](3000))


def test_a_line_of_a_megabyte_and_the_failure_behind_it():
    data = answered(b"x" * 1_000_000 + b"\n" + OOM.encode())
    assert data["diagnoses"][0]["id"] == "cuda-out-of-memory"
    data = answered(b"x" * 1_000_000 + b" " + OOM.encode())
    assert data["verdict"] in ("match", "ambiguous", "clean", "unknown")


def nested(depth: int) -> bytes:
    data = OOM.encode()
    for _ in range(depth):
        data = gzip.compress(data)
    return data


def zip_of(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        nested(30),
        zip_of(**{"../../etc/passwd": OOM.encode()}),
        zip_of(a=zip_of(a=zip_of(a=zip_of(a=zip_of(a=b"x"))))),
        zip_of(**{f"f{number}": b"x\n" for number in range(2000)}),
        tar_of("/etc/passwd", OOM.encode()),
        gzip.compress(bytes(50_000_000)),
        gzip.compress(OOM.encode())[:-9],
        b"PK\x03\x04" + b"\xff" * 300,
        b"\x1f\x8b" + b"\0" * 50,
    ],
    ids=["nested", "path", "zips", "many", "tar", "bomb", "cut", "no-zip", "no-gzip"],
)
def test_archives_are_answered_and_what_was_left_out_is_said(data):
    notes = answered(data)["notes"]
    assert notes or answered(data)["verdict"] != "clean"


@cache
def fragments() -> tuple[bytes, ...]:
    """Lines of every labelled log and example: what the recognisers know, to be put together in ways they do not."""
    catalog, _ = load_catalog(ROOT, content=False)
    logs = [path.read_bytes() for path in sorted((ROOT / "tests/cases/match").glob("*/*")) if path.suffix != ".yaml"]
    logs += [example.encode() for entry in catalog.entries for it in entry.signatures for example in it.examples]
    return tuple(sorted({line for log in logs for line in log.splitlines(keepends=True)}))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3))
def test_any_mixture_of_real_lines_is_answered(seed, count):
    chance = random.Random(seed)

    def line() -> bytes:
        text = chance.choice(fragments())
        cut = chance.randrange(len(text) + 1) if chance.random() < 0.2 else len(text)
        prefix = chance.choice(
            [b"", b"", b"[rank%d]: " % chance.randrange(9), b"3: ", b"\xff\xfe", b"\x1b[31m", b"  | "]
        )
        return prefix + text[:cut]

    answered(*[b"".join(line() for _ in range(chance.randrange(1, 60))) for _ in range(count)])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_are_answered(files):
    answered(*files)


@pytest.mark.parametrize(
    "order", ["<script>alert(1)</script>", "[link=javascript:1]x[/link]", "$(rm -rf ~)", "${{ secrets }}"]
)
def test_nothing_in_a_log_becomes_more_than_text(order):
    data = answered(f"{order} {OOM}".encode())
    assert all(isinstance(line["text"], str) for found in data["diagnoses"] for line in found["evidence"])
