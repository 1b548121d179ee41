"""The index pages: categories, tags, system hubs, proofs and the home page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..model import Catalog, Entry, Proof
from . import standing, words
from .page import Page, page
from .render import page as fill
from .settings import REPO_URL

_WIDE = ["navigation", "toc"]


def categories(catalog: Catalog) -> Iterator[Page]:
    """`<category>/index.md`: every entry in alphabetical order, to be filtered in the page."""
    for id, entries in sorted(catalog.by_category.items()):
        term = catalog.categories[id]
        rows = [(entry, standing.proof(catalog, entry.id)) for entry in _by_title(entries)]
        body = fill("category", term=term, rows=rows, catalog=catalog)
        about = f"{words.plural(len(rows), 'failure')} of the category {term.title}, with cause, check and fix."
        yield page(f"{id}/index.md", term.title, about, body, hide=_WIDE)


def tags(catalog: Catalog) -> Iterator[Page]:
    """`tags/<tag>.md` for each tag in use, and `tags/index.md`."""
    used = [(catalog.tags[id], _by_title(entries)) for id, entries in sorted(catalog.by_tag.items())]
    for term, entries in used:
        body = fill("tag", term=term, entries=entries, catalog=catalog)
        yield page(f"tags/{term.id}.md", term.title, f"Failures tagged {term.title}.", body, hide=_WIDE)
    used.sort(key=lambda row: row[0].title.casefold())
    yield page("tags/index.md", "Tags", "What failures have in common.", fill("tags", used=used), hide=_WIDE)


def systems(catalog: Catalog) -> Iterator[Page]:
    """`systems/<system>.md`: the failures of a system ordered by life-cycle phase and side by side."""
    used = [(catalog.systems[id], entries) for id, entries in sorted(catalog.by_system.items())]
    for term, entries in used:
        rows = [(entry, standing.proof(catalog, entry.id), _affected(entry, term.id)) for entry in _by_title(entries)]
        body = fill("system", term=term, phases=_by_phase(entries), rows=rows, catalog=catalog)
        about = f"{term.title} failures by phase of a job, compared side by side."
        yield page(f"systems/{term.id}.md", f"{term.title} failures", about, body, hide=["navigation"])
    used.sort(key=lambda row: row[0].title.casefold())
    about = "The software that failures strike, one hub each."
    yield page("systems/index.md", "Systems", about, fill("systems", used=used), hide=_WIDE)


def proofs(catalog: Catalog) -> Page:
    """`proofs.md`: every entry's proof; skipped ones are counted and never shown as a success."""
    rows = [(entry, standing.proof(catalog, entry.id)) for entry in _by_title(catalog.entries)]
    tally = Counter(words.verdict(proof) for _, proof in rows)
    counts = [(verdict, tally[verdict]) for verdict in (*standing.ORDER, "none") if tally[verdict]]
    body = fill("proofs", rows=rows, counts=counts)
    return page("proofs.md", "Proofs", "What has been reproduced, where, and what has not.", body, hide=_WIDE)


def home(catalog: Catalog) -> Page:
    """`index.md`: the paste box, one sentence, and figures counted from the catalog."""
    found = [standing.proof(catalog, entry.id) for entry in catalog.entries]
    body = fill(
        "home",
        catalog=catalog,
        repository=REPO_URL,
        proven=_count(found, "proven"),
        recorded=_count(found, "recorded"),
        signatures=sum(len(entry.signatures) for entry in catalog.entries),
        newest=sorted(catalog.entries, key=lambda entry: (entry.updated, entry.id), reverse=True)[:6],
    )
    about = "The open encyclopedia of GPU training and inference failures, and the tool that reads a crash log."
    return page("index.md", "Faultbook", about, body, hide=_WIDE)


def _count(found: Iterable[Proof | None], verdict: str) -> int:
    return sum(words.verdict(proof) == verdict for proof in found)


def _by_title(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: (entry.title.casefold(), entry.id))


def _by_phase(entries: Iterable[Entry]) -> list[tuple[str, list[Entry]]]:
    """Each entry once, under the first of its phases in a job's order."""
    order = list(words.PHASES)
    first = {entry.id: min(entry.phases, key=order.index) for entry in entries}
    groups = [(phase, [entry for entry in _by_title(entries) if first[entry.id] == phase]) for phase in order]
    return [(phase, found) for phase, found in groups if found]


def _affected(entry: Entry, system: str) -> str:
    return next(it.versions for it in entry.systems if it.id == system)
