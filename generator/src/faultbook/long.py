"""Long logs in a terminal: the fastest prefilter there is, a progress bar, and a process for each of several files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial

from .logs import open_logs, total_size
from .match.engine import judge
from .match.index import SignatureIndex
from .match.prefilter import Prefilter
from .match.sources import Read, read_source, together
from .match.types import Diagnosis
from .native import prefilter_named

Progress = Callable[[int], object]


def triage_long(
    paths: Sequence[str], index: SignatureIndex, processes: int | None = None, prefilter: str = "auto"
) -> Diagnosis:
    """As `engine.triage` of these files, `-` among them being standard input.

    `processes` defaults to the processors of this machine. Raises logs.Unreadable and native.NativeMissing.
    """
    read = partial(_read, needles=index.needles, search=prefilter_named(prefilter))
    with _bar(total_size(paths)) as progress:
        return judge(together(_reads(paths, read, processes or os.cpu_count() or 1, progress)), index)


def _reads(paths: Sequence[str], read: Callable[..., Read], processes: int, progress: Progress) -> Iterator[Read]:
    if processes == 1 or len(paths) == 1 or "-" in paths:
        for path in paths:
            yield read(path, progress=progress)
        return
    with ProcessPoolExecutor(min(processes, len(paths))) as pool:
        for path, done in zip(paths, pool.map(read, paths), strict=True):
            progress(total_size([path]))
            yield done


def _read(path: str, needles: Sequence[str], search: type[Prefilter], progress: Progress = lambda _: None) -> Read:
    """What is in one file. A process of its own may do it."""
    return together(
        read_source(name, data, needles, lambda _: None, search) for name, data in open_logs([path], progress)
    )


@contextmanager
def _bar(size: int) -> Iterator[Progress]:
    """A bar on standard error, if somebody is looking."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    with Progress("reading", BarColumn(), DownloadColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=size)
        yield lambda count: bar.advance(task, count)
