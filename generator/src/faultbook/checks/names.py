"""An id, and a former id, belongs to one entry only; a signature's id to one signature of its entry.

Ids are never reused: a former id stays an alias that redirects, so it can name no other entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..document import Document
from ..model import Catalog, Entry
from ..problem import Problem

SCOPE = "catalog"
CODES = ("duplicate-id", "duplicate-signature")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for entry in catalog.entries:
        yield from _claim(entry.id, ("id",), entry, documents[entry.path], owners)
    for entry in catalog.entries:
        document = documents[entry.path]
        for place, alias in enumerate(entry.aliases):
            yield from _claim(alias, ("aliases", place), entry, document, owners)
        yield from _signatures(entry, document)


def _claim(name: str, pointer, entry: Entry, document: Document, owners: dict[str, str]) -> Iterator[Problem]:
    owner = owners.setdefault(name, entry.path)
    if owner != entry.path or (pointer[0] == "aliases" and name == entry.id):
        yield Problem(
            document.mark(pointer), "duplicate-id", f"'{name}' already names {owner}",
            "choose another id; ids and aliases are unique over all categories and never reused",
        )  # fmt: skip


def _signatures(entry: Entry, document: Document) -> Iterator[Problem]:
    seen: set[str] = set()
    for place, signature in enumerate(entry.signatures):
        if signature.id in seen:
            yield Problem(
                document.mark(("signatures", place, "id")), "duplicate-signature",
                f"two signatures have the id '{signature.id}'", "name each after what it recognises",
            )  # fmt: skip
        seen.add(signature.id)
