"""`scores.md`: how well triage does on labelled logs, where it confuses entries, and every case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..match.score import NONE
from ..model import CaseSet, Catalog
from .page import Page, page
from .render import page as fill
from .settings import REPO_URL

CASES_URL = f"{REPO_URL}/tree/main/tests/cases"


@dataclass(frozen=True)
class Matrix:
    """`ids` in the order of rows and columns; `cells` (row, column, count) where a count is."""

    ids: tuple[str, ...]
    cells: tuple[tuple[int, int, int], ...]

    @property
    def confused(self) -> tuple[tuple[int, int, int], ...]:
        return tuple(cell for cell in self.cells if cell[0] != cell[1])


def scores(catalog: Catalog) -> Page:
    """The page; without a recorded score it says so."""
    matrix = matrix_of(catalog.scores, _titles(catalog))
    body = fill(
        "scores", sets=catalog.scores, matrix=matrix, titles=_titles(catalog), cases_url=CASES_URL,
        categories={entry.id: entry.category for entry in catalog.entries}, nothing=NONE,
    )  # fmt: skip
    about = "Triage scored on labelled logs: which entry was expected, which one was named, and every case."
    return page("scores.md", "How well it matches", about, body, hide=["navigation", "toc"])


def matrix_of(sets: Iterable[CaseSet], titles: Mapping[str, str]) -> Matrix:
    """The sum of the sets' confusions over the ids that occur, by title; the row for no entry is the last."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in sets:
        for expected, answered, count in one.confusion:
            counts[expected, answered] += count
    seen = {id for pair in counts for id in pair}
    ids = tuple(sorted(seen, key=lambda id: (id == NONE, titles.get(id, id).casefold())))
    place = {id: at for at, id in enumerate(ids)}
    cells = sorted((place[expected], place[answered], count) for (expected, answered), count in counts.items())
    return Matrix(ids, tuple(cells))


def _titles(catalog: Catalog) -> dict[str, str]:
    return {entry.id: entry.title for entry in catalog.entries} | {NONE: "no entry"}
