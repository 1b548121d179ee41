"""Run one repro script under limits and keep what it printed. The package's only use of subprocess.

The script runs in a process group of its own, in an empty folder. Time, resident memory of the whole
group and size of the output are limited; on overrun the group is killed, so that no orphan stays behind.
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
from dataclasses import dataclass
from pathlib import Path

OUTPUT_LIMIT = 4 << 20  # bytes a script may print
SKIP_EXIT_CODE = 77  # the convention of automake and others for "cannot run here"
_POLL_S = 0.05
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
    with tempfile.TemporaryDirectory(prefix="faultbook-") as folder:
        argv = [sys.executable, str(script.resolve()), *(["--fixed"] if fixed else [])]
        log = Path(folder, "output")
        started = time.monotonic()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                argv, cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL,
                stdout=sink, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                overrun = _watch(process, log, started + limits.seconds, limits)
            finally:
                _kill_group(process)
        seconds = time.monotonic() - started
        with log.open("rb") as written:
            output = _mask(written.read(OUTPUT_LIMIT).decode("utf-8", "replace"), root, folder)
        return ReproRun(process.returncode, round(seconds, 2), output, overrun)


def _watch(process: subprocess.Popen[bytes], log: Path, deadline: float, limits: Limits) -> str | None:
    """Wait for the end or for the first limit to be passed; returns the limit's name."""
    while process.poll() is None:
        if time.monotonic() > deadline:
            return f"time limit of {limits.seconds:g} s"
        if log.stat().st_size > OUTPUT_LIMIT:
            return f"output limit of {OUTPUT_LIMIT >> 20} MiB"
        if _resident_mib(process.pid) > limits.memory_mib:
            return f"memory limit of {limits.memory_mib} MiB"
        time.sleep(_POLL_S)
    return None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of the group, children of a finished leader included."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _resident_mib(group: int) -> float:
    """Resident memory of all processes in the group, MiB; 0 where there is no /proc."""
    pages = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # the process ended meanwhile
            continue
        # After the command name: state ppid pgrp session ...; rss is field 24 of proc(5), in pages.
        if int(fields[2]) == group:
            pages += int(fields[21])
    return pages * _PAGE / (1 << 20)


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
