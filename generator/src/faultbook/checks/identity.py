"""An entry's id is its file's name and its category is its folder.

The path of the file gives the page's address and the repro script's name; an id that says otherwise would
make links that lead nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ..document import Document
from ..model import Entry
from ..problem import Problem

SCOPE = "entry"
CODES = ("id-is-not-path", "category-is-not-folder")


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    path = PurePosixPath(document.path)
    if entry.id != path.stem:
        yield Problem(
            document.mark(("id",)), "id-is-not-path", f"id is '{entry.id}', the file is named '{path.name}'",
            f"write 'id: {path.stem}', or rename the file to {entry.id}.yaml",
        )  # fmt: skip
    if entry.category != path.parent.name:
        yield Problem(
            document.mark(("category",)), "category-is-not-folder",
            f"category is '{entry.category}', the folder is '{path.parent.name}'",
            f"write 'category: {path.parent.name}', or move the file to entries/{entry.category}/",
        )  # fmt: skip
