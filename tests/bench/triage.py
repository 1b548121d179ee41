"""Triage of a large multi-rank log against ripgrep searching the same file for the signatures' literals."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "bench"
MIB = 1 << 20
RANKS = 8


def measure(size_mib: int = 100, repeats: int = 3) -> Iterator[str]:
    WORK.mkdir(parents=True, exist_ok=True)
    log = WORK / f"ranks-{size_mib}.log"
    write_log(log, size_mib * MIB)
    literals = WORK / "literals.txt"
    literals.write_text("\n".join(index_literals()) + "\n")
    rg = shutil.which("rg") or str(Path(sys.executable).with_name("rg"))
    search = best([rg, "-j1", "-c", "-F", "-f", str(literals), str(log)], repeats)
    ours = best([sys.executable, "-m", "faultbook", "triage", "--format", "json", str(log)], repeats)
    small = WORK / "small.log"
    write_log(small, 20_000)
    start = best([sys.executable, "-m", "faultbook", "triage", "--format", "json", str(small)], repeats)
    bare = best([sys.executable, "-c", "import re, json, dataclasses"], repeats)
    yield f"{size_mib} MiB log, 8 ranks: triage {ours:.2f} s, rg -F -f {search:.2f} s, ratio {ours / search:.1f}"
    yield f"small log: triage {start:.3f} s, bare Python with three imports {bare:.3f} s, ratio {start / bare:.1f}"


def best(argv: list[str], repeats: int) -> float:
    """The shortest wall time of several runs, seconds: the one that other work disturbed least."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(argv, check=False, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return min(times)


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


def write_log(path: Path, size: int) -> None:
    """Healthy progress of eight ranks, then rank 3 runs out of memory and the others time out."""
    tail = "".join(failure()).encode()
    with path.open("wb") as log:
        step = 0
        while log.tell() < size - len(tail):
            log.write("".join(progress(step)).encode())
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
