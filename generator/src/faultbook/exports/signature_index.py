"""`index.json`: the signature index that the matcher loads, in the terminal and in the browser."""

from __future__ import annotations

from ..artifact import Artifact
from ..match.index import build_index, index_text
from ..model import Catalog
from ..plain import entry_data

PATH = "index.json"


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    rows = [{**entry_data(entry), "url": entry.url} for entry in catalog.entries]
    text = index_text(build_index(rows))
    return (Artifact(PATH, text.encode()),)
