"""Each sibling is told apart by a question of its own.

The same question about two siblings with the same answer would leave a reader who says yes with two failures.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..model import Entry
from ..problem import Problem

SCOPE = "entry"
CODES = ("duplicate-question",)


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    asked: dict[str, int] = {}
    for place, sibling in enumerate(entry.confused_with):
        first = asked.setdefault(" ".join(sibling.question.lower().split()), place)
        if first != place:
            line = document.mark(("confused_with", first, "question")).line
            yield Problem(
                document.mark(("confused_with", place, "question")), "duplicate-question",
                f"line {line} asks the same question about another sibling",
                "ask for the observation that tells this one apart",
            )  # fmt: skip
