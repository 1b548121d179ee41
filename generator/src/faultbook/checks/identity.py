"""An entry's id is its file's name and its category is its folder.

The path of the file gives the page's address and the repro script's name; an id that says otherwise would
make links that lead nowhere. The other checks take the path's word.
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
    id, category = (document.data.get(name) for name in ("id", "category"))
    if isinstance(id, str) and id != entry.id:
        yield Problem(
            document.mark(("id",)), "id-is-not-path", f"id is '{id}', the file is named '{path.name}'",
            f"write 'id: {path.stem}', or rename the file to {id}.yaml",
        )  # fmt: skip
    if isinstance(category, str) and category != entry.category:
        yield Problem(
            document.mark(("category",)), "category-is-not-folder",
            f"category is '{category}', the folder is '{path.parent.name}'",
            f"write 'category: {path.parent.name}', or move the file to entries/{category}/",
        )  # fmt: skip
