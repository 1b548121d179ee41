"""An entry's page, and the pages that its former ids leave behind."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Catalog, Entry
from . import markup, standing
from .page import Page, page
from .sections import SECTIONS


def pages(catalog: Catalog) -> Iterator[Page]:
    for entry in catalog.entries:
        yield entry_page(entry, catalog)
        yield from (_moved(alias, entry) for alias in entry.aliases)


def entry_page(entry: Entry, catalog: Catalog) -> Page:
    proof = standing.proof(catalog, entry.id)
    parts = [section.render(entry, proof, catalog) for section in SECTIONS]
    siblings = {it.id: f"../{it.category}/{it.id}.md" for it in catalog.entries if it is not entry}
    return page(
        f"{entry.category}/{entry.id}.md",
        entry.title,
        markup.words_of(entry.gist),
        markup.with_links("\n\n".join(part for part in parts if part), siblings),
        source=entry.path,
        hide=["navigation"],
        search={"boost": 2},  # an entry before the hubs and indexes that quote it
    )


def _moved(alias: str, entry: Entry) -> Page:
    body = f"# {markup.plain(entry.title)}\n\nThis entry is now at [{markup.plain(entry.title)}]({entry.id}.md)."
    meta = {"redirect": f"../{entry.id}/", "search": {"exclude": True}, "hide": ["navigation", "toc"]}
    return page(f"{entry.category}/{alias}.md", entry.title, f"Former address of {entry.id}.", body, **meta)
