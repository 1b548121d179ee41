"""Triage of large multi-rank logs against ripgrep searching the same files for the signatures' literals.

Two logs: `alike`, whose lines repeat a few shapes as training logs do, and `unlike`, of which no two lines have the
same words. Each is read with the native prefilter (`faultbook[fast]`) and with the one in Python.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "bench"
MIB = 1 << 20
RANKS = 8
COPIES = 10

TRIAGE = [sys.executable, "-m", "faultbook", "triage", "--format", "json"]


class Run(NamedTuple):
    """Wall time in seconds and the most memory held, in MiB."""

    wall: float
    memory: int


def measure(size_mib: int = 1024, repeats: int = 2) -> Iterator[str]:
    WORK.mkdir(parents=True, exist_ok=True)
    literals = WORK / "literals.txt"
    literals.write_text("\n".join(index_literals()) + "\n")
    rg = shutil.which("rg") or str(Path(sys.executable).with_name("rg"))
    for name, healthy in (("alike", progress), ("unlike", prose)):
        log, tenth = WORK / f"{name}-{size_mib}.log", WORK / f"{name}-{size_mib // 10}.log"
        write_log(log, size_mib * MIB, healthy)
        write_log(tenth, size_mib * MIB // 10, healthy)
        search = best([rg, "-c", "-F", "-f", str(literals), str(log)], repeats)
        for how in ("native", "python"):
            command = [*TRIAGE, "--prefilter", how]
            ours, small = best([*command, str(log)], repeats), best([*command, str(tenth)], repeats)
            yield (
                f"{size_mib} MiB of lines {name} ({how}): {ours.wall:.2f} s, rg {search.wall:.2f} s, "
                f"ratio {ours.wall / search.wall:.1f}, {ours.memory} MiB held; "
                f"{ours.wall / small.wall:.1f} times a tenth of it"
            )
        log.unlink()
        tenth.unlink()
    yield start_up(repeats * 5)
    yield more_entries(repeats)


def start_up(repeats: int) -> str:
    log = WORK / "small.log"
    write_log(log, 7000, progress)
    lines = log.read_text().count("\n")
    start = best([*TRIAGE, str(log)], repeats).wall
    bare = best([sys.executable, "-c", "import re, json, dataclasses"], repeats).wall
    return f"log of {lines} lines: {start:.3f} s, bare Python with three imports {bare:.3f} s, ratio {start / bare:.1f}"


def more_entries(repeats: int) -> str:
    """The same log judged with the index, and with one that has COPIES times the entries, each of other words."""
    from faultbook.bundle import INDEX, read_bundle
    from faultbook.match.engine import triage
    from faultbook.match.index import from_data

    data = json.loads(read_bundle(INDEX))
    copies = [entry for copy in range(1, COPIES) for entry in copied(data["entries"], copy)]
    many = {**data, "entries": [*data["entries"], *copies]}
    log = WORK / "entries.log"
    write_log(log, 8 * MIB, progress)
    text = log.read_bytes()
    few, more = (
        min(seconds(partial(triage, [("log", text)], index)) for _ in range(repeats * 2))
        for index in (from_data(data), from_data(many))
    )
    return f"{len(many['entries'])} entries: {more:.2f} s, {len(data['entries'])}: {few:.2f} s, ratio {more / few:.1f}"


def copied(entries: list[dict], copy: int) -> Iterator[dict]:
    """`entries` under other ids, looking for words of their own."""

    def renamed(node: object) -> object:
        if isinstance(node, dict):
            return {key: own(value) if key == "message" else renamed(value) for key, value in node.items()}
        return [renamed(value) for value in node] if isinstance(node, list) else node

    def own(message: object) -> object:
        if not isinstance(message, str):
            return renamed(message)
        return re.sub(r"\{[^}]*\}|[A-Za-z]{5,}", lambda at: at[0] if at[0][0] == "{" else f"{at[0]}{copy}z", message)

    for entry in entries:
        apart = {"id": f"{entry['id']}-{copy}", "refines": [], "leads_to": [], "confused_with": []}
        yield {**entry, **apart, "signatures": renamed(entry["signatures"])}


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def best(argv: list[str], repeats: int) -> Run:
    """The shortest wall time of several runs, the one that other work disturbed least, and its memory."""
    return min(once(argv) for _ in range(repeats))


def once(argv: list[str]) -> Run:
    started = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # as `grep` and `triage` say what they found
        raise SystemExit(f"{' '.join(argv)} failed with exit code {process.returncode}")
    return Run(time.perf_counter() - started, usage.ru_maxrss >> 10)


def index_literals() -> list[str]:
    """Every literal part of every template in the index, as a search by hand would look for them."""
    from faultbook.bundle import INDEX, read_bundle
    from faultbook.match.template import parse_template

    found: set[str] = set()

    def walk(node: object) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                if key == "message" and isinstance(value, str):
                    found.update(part for part in parse_template(value).literals if len(part) > 8)
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(json.loads(read_bundle(INDEX)))
    return sorted(found)


def write_log(path: Path, size: int, healthy: Callable[[int], Iterator[str]]) -> None:
    """Healthy lines of eight ranks, then rank 3 runs out of memory and the others time out."""
    tail = "".join(failure()).encode()
    with path.open("wb") as log:
        step = 0
        while log.tell() < size - len(tail):
            log.write("".join(healthy(step)).encode())
            step += 1
        log.write(tail)


def progress(step: int) -> Iterator[str]:
    for rank in range(RANKS):
        loss = 2 + 1 / (step + rank + 1)
        yield (
            f"[rank{rank}]: 2026-11-03 09:{step // 60 % 60:02}:{step % 60:02} INFO train.py:118] epoch 0 step {step} "
            f"loss {loss:.4f} lr 3.00e-04 tokens/s {41000 + (step * 7 + rank) % 900} grad_norm {loss / 3:.3f}\n"
        )
    if step % 50 == 0:
        yield f"node1:4410:4417 [0] NCCL INFO Channel {step % 32:02}/32 : 0 1 2 3 4 5 6 7\n"
        yield f"{{'loss': {1 + 1 / (step + 1):.4f}, 'learning_rate': 0.0003, 'epoch': {step / 1e4:.2f}}}\n"


_RANDOM = random.Random(7)
_WORDS = ["".join(_RANDOM.choices("abcdefghijklmnopqrstuvwxyz", k=_RANDOM.randint(3, 10))) for _ in range(20_000)]


def prose(step: int) -> Iterator[str]:
    """A batch of texts, as a run prints that shows its samples."""
    for rank in range(RANKS):
        words = " ".join(_RANDOM.choices(_WORDS, k=16))
        yield f"[rank{rank}]: 2026-11-03 09:{step // 60 % 60:02}:{step % 60:02} INFO sample.py:41] {words}\n"


def failure() -> Iterator[str]:
    yield "[rank3]: Traceback (most recent call last):\n"
    yield '[rank3]:   File "/srv/job/train.py", line 210, in <module>\n[rank3]:     main()\n'
    yield '[rank3]:   File "/srv/job/train.py", line 171, in main\n[rank3]:     loss = model(batch)\n'
    yield (
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity "
        "of 79.10 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 77.88 GiB memory in "
        "use. Of the allocated memory 76.40 GiB is allocated by PyTorch, and 310.00 MiB is reserved by PyTorch but "
        "unallocated.\n"
    )
    for rank in (0, 1, 2, 4, 5, 6, 7):
        yield (
            f"[rank{rank}]:[E1103 09:20:00.000000 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
            "operation timeout: WorkNCCL(SeqNum=981, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, "
            "Timeout(ms)=600000) ran for 600031 milliseconds before timing out.\n"
        )
