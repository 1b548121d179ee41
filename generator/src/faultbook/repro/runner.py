"""Run one repro script under limits and keep what it printed. The package's only use of subprocess.

The script runs in a process group of its own, in an empty folder. Time, resident memory of all its processes
and size of the output are limited; at the end all are killed, so that no orphan stays behind. A process that
left the group is known by its environment, which names the folder.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OUTPUT_LIMIT = 4 << 20  # bytes a script may print
SKIP_EXIT_CODE = 77  # the convention of automake and others for "cannot run here"
_POLL_S = 0.05
_KILLS = 40  # rounds of killing what is left
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class Limits:
    seconds: float = 60.0
    memory_mib: int = 4096


@dataclass(frozen=True)
class ReproRun:
    """`exit_code` is negative for a signal. `overrun` names the limit that ended the run, if one did."""

    exit_code: int
    seconds: float
    output: str
    overrun: str | None = None

    @property
    def skip_reason(self) -> str | None:
        """The script's own `skip: …` line when it left with the skip code, else None."""
        if self.exit_code != SKIP_EXIT_CODE:
            return None
        lines = [line.removeprefix("skip:").strip() for line in self.output.splitlines() if "skip:" in line[:6]]
        return lines[-1] if lines else "the script skipped itself without a reason"


def run(script: Path, root: Path, *, fixed: bool, limits: Limits) -> ReproRun:
    """Run `script`, with `--fixed` if asked, and return its exit code and masked output."""
    # /dev/shm and cgroups are not in this folder: scripts clean those up themselves.
    # The output has no name there, so that a script cannot put something else in its place.
    with tempfile.TemporaryDirectory(prefix="faultbook-") as folder, tempfile.TemporaryFile() as sink:
        argv = [sys.executable, str(script.resolve()), *(["--fixed"] if fixed else [])]
        started = time.monotonic()
        process = subprocess.Popen(
            argv, cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL,
            stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            overrun = _watch(process, folder, sink.fileno(), started + limits.seconds, limits)
        finally:
            _kill_all(process, folder)
        seconds = time.monotonic() - started
        sink.seek(0)
        output = _mask(sink.read(OUTPUT_LIMIT).decode("utf-8", "replace"), root, folder)
        return ReproRun(process.returncode, round(seconds, 2), output, overrun)


def _watch(process: subprocess.Popen[bytes], folder: str, sink: int, deadline: float, limits: Limits) -> str | None:
    """Wait for the end or for the first limit to be passed; returns the limit's name."""
    while process.poll() is None:
        if time.monotonic() > deadline:
            return f"time limit of {limits.seconds:g} s"
        if _resident_mib(process.pid, folder) > limits.memory_mib:
            return f"memory limit of {limits.memory_mib} MiB"
        if _size(sink) > OUTPUT_LIMIT:
            break
        time.sleep(_POLL_S)
    return f"output limit of {OUTPUT_LIMIT >> 20} MiB" if _size(sink) > OUTPUT_LIMIT else None


def _size(file: int) -> int:
    return os.fstat(file).st_size


def _kill_all(process: subprocess.Popen[bytes], folder: str) -> None:
    """End whatever is left of the run, children of a finished leader included."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(_KILLS):  # one that is just being forked shows up in the next round
        left = [pid for pid, _ in _members(process.pid, folder)]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_POLL_S)


def _resident_mib(group: int, folder: str) -> float:
    """Resident memory of all processes of the run, MiB; 0 where there is no /proc."""
    return sum(pages for _, pages in _members(group, folder)) * _PAGE / (1 << 20)


def _members(group: int, folder: str) -> Iterator[tuple[int, int]]:
    """(pid, resident pages) of the living processes that are in the group or carry the run's environment."""
    mark = f"HOME={folder}\0".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            # After the command name: state ppid pgrp session ...; rss is field 24 of proc(5), in pages.
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z" and (int(fields[2]) == group or mark in (place / "environ").read_bytes()):
                yield int(place.name), int(fields[21])
        except OSError:  # the process ended meanwhile, or is somebody else's
            continue


def _environment(folder: str) -> dict[str, str]:
    """A small, known environment: nothing of the caller's credentials reaches a contributed script."""
    kept = {k: v for k, v in os.environ.items() if k in _KEPT or k.startswith(("CUDA_", "NVIDIA_", "OPENBLAS_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return {
        **kept, "PATH": path, "HOME": folder, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
    }  # fmt: skip


_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "FAULTBOOK_SERVICE")


def _mask(text: str, root: Path, folder: str) -> str:
    """Shorten machine paths; everything else stays as printed."""
    libraries = sysconfig.get_paths()
    places = [
        (str(root.resolve()) + os.sep, ""),
        (folder, "/tmp/run"),
        (libraries["purelib"], "site-packages"),
        (libraries["stdlib"], f"python{sys.version_info[0]}.{sys.version_info[1]}"),
        (sys.prefix, "venv"),
        (sys.base_prefix, "python"),
    ]
    # The library folders may lie below the root, so the longest path goes first.
    for place, name in sorted(places, key=lambda pair: -len(pair[0])):
        text = text.replace(place, name)
    return text
