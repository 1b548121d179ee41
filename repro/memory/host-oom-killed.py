"""A loader that keeps the whole data set in memory, inside a control group that is smaller than the data.

The script makes a memory cgroup of its own (version 1 or 2), puts only its child into it, and shows what is
left afterwards: the shell's line, the exit status, the kernel's line for that process, the cgroup's counter.
With --fixed the same child reads the same file in pieces and stays within the same limit.
Needs Linux and a place where a memory cgroup may be made (normally root); else it skips.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 96 << 20
DATA = 256 << 20
PIECE = 8 << 20
ROOT = Path("/sys/fs/cgroup")
PREFIX = "faultbook-oom-"
NAME = f"{PREFIX}{os.getpid()}"


def load(data: str, stream: bool) -> None:
    """The program under test: adds up a file, with all of it or with one piece of it in memory."""
    pieces, total = [], 0
    with Path(data).open("rb") as file:
        while piece := file.read(PIECE):
            total += sum(piece[:: 1 << 16])
            if not stream:
                pieces.append(piece)
            if file.tell() % (4 * PIECE) == 0:
                print(f"read {file.tell() >> 20} MiB, {len(pieces)} pieces kept", flush=True)
    print(f"done, checksum {total}", flush=True)


def parents() -> list[Path]:
    """Where a memory cgroup might be made: from the root of the hierarchy down to our own."""
    rows = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    version_1 = {name: path for _, names, path in rows for name in names.split(",")}
    base = ROOT / "memory" if "memory" in version_1 else ROOT
    own = base / version_1.get("memory", version_1.get("", "/")).lstrip("/")
    chain = [place for place in (own, *own.parents) if place.is_relative_to(base) and place.is_dir()]
    return chain[::-1] or [base]


def make_cgroup() -> Path:
    """An empty cgroup with the limit set and swap switched off for it; leaves with 77 if none can be made."""
    reason = "no memory controller"
    for parent in parents():
        group = parent / NAME
        remove_left_over(parent)
        try:
            group.mkdir()
        except OSError as error:
            reason = error.strerror
            continue
        for name, value in (
            ("memory.max", LIMIT), ("memory.swap.max", 0),  # version 2
            ("memory.limit_in_bytes", LIMIT), ("memory.memsw.limit_in_bytes", LIMIT),  # version 1
        ):  # fmt: skip
            with contextlib.suppress(OSError):
                if (group / name).exists():
                    (group / name).write_text(str(value))
        limits = [group / name for name in ("memory.max", "memory.limit_in_bytes")]
        if any(limit.exists() and limit.read_text().strip() == str(LIMIT) for limit in limits):
            return group
        group.rmdir()
    print(f"skip: cannot make a memory cgroup ({reason})")
    sys.exit(77)


def remove_left_over(parent: Path) -> None:
    """Empty cgroups of earlier runs that were themselves killed before they could clean up."""
    for group in parent.glob(PREFIX + "*"):
        if not Path("/proc", group.name.removeprefix(PREFIX)).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def remove(group: Path) -> None:
    """End what is still in `group`, then remove it; the kernel needs a moment after the last process has gone."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.1)


@contextlib.contextmanager
def kernel_log():
    """Yields a function that returns the kernel's messages since now, or None where they may not be read."""
    try:
        handle = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        yield lambda: None
        return
    os.lseek(handle, 0, os.SEEK_END)

    def new() -> list[str]:
        lines = []
        with contextlib.suppress(BlockingIOError):
            while True:
                head, text = os.read(handle, 8192).decode("utf-8", "replace").split(";", 1)
                lines.append(f"[{int(head.split(',')[2]) / 1e6:12.6f}] {text.splitlines()[0]}")
        return lines

    yield new
    os.close(handle)


def evidence(lines: list[str] | None) -> list[str]:
    """The kernel's two lines about the process killed in our cgroup, found by the cgroup's name."""
    summary = next((line for line in lines or [] if f"/{NAME}," in line and ",pid=" in line), None)
    if summary is None:
        return []
    pid = re.search(r",pid=(\d+)", summary)[1]
    return [summary, *(line for line in lines if f"Killed process {pid} " in line)]


def counters(group: Path) -> list[str]:
    for name in ("memory.events", "memory.oom_control"):
        if (group / name).exists():
            return [f"$ cat {group / name}", (group / name).read_text().strip()]
    return []


def run_in(group: Path, data: Path, stream: bool) -> int:
    """The exit status of a shell that runs the loader, both inside `group`."""
    shell = shutil.which("bash") or "sh"
    command = '"$@"; exit $?'  # two commands, so that the shell stays and reports the signal
    child = [sys.executable, __file__, "--load", str(data), *(["--fixed"] if stream else [])]
    try:
        return subprocess.run(
            [shell, "-c", command, "job.sh", *child],
            preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())),
        ).returncode
    except subprocess.SubprocessError:  # the write in preexec_fn was refused
        print(f"skip: cannot put a process into {group}")
        return 77


def run(stream: bool) -> int:
    group = make_cgroup()
    try:
        with tempfile.TemporaryDirectory() as folder, kernel_log() as messages:
            data = Path(folder, "shard.bin")
            with data.open("wb") as file:
                for number in range(DATA // PIECE):
                    file.write(bytes([number]) * PIECE)
            status = run_in(group, data, stream)
            if status in (0, 77):
                return status
            print("exit status", status, flush=True)
            found = evidence(messages())
            print(*(found or ["the kernel log may not be read here"]), *counters(group), sep="\n", flush=True)
            return status
    finally:
        remove(group)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="read the data in pieces")
    parser.add_argument("--load", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.load:
        return load(args.load, args.fixed) or 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the cgroup is removed then, too
    return run(args.fixed)


if __name__ == "__main__":
    sys.exit(main())
