"""While entries are being written: a page in the place of each that has errors, which says what they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from ..problem import Problem, Severity
from .page import Page, page
from .render import page as fill


def pages(problems: Iterable[Problem], taken: Iterable[str]) -> Iterator[Page]:
    """`<category>/<id>.md` for each entry file with an error, unless that path is `taken` by a page already."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    files = sorted({problem.mark.path for problem in errors if _is_entry(problem.mark.path)})
    elsewhere = [problem for problem in errors if problem.mark.path not in files]
    for file in files:
        path = f"{PurePosixPath(file).relative_to('entries').with_suffix('')}.md"
        if path not in taken:
            yield _page(path, file, [problem for problem in errors if problem.mark.path == file], elsewhere)


def _is_entry(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[0] == "entries" and len(parts) == 3


def _page(path: str, file: str, problems: list[Problem], elsewhere: list[Problem]) -> Page:
    id = PurePosixPath(file).stem
    body = fill("draft", id=id, file=file, problems=problems, elsewhere=elsewhere)
    meta = {"source": file, "search": {"exclude": True}, "hide": ["navigation", "toc"]}
    return page(path, f"{id}: not published yet", f"What is missing in {file}.", body, **meta)
