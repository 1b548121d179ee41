"""Wrong diagnosis? A prefilled issue form that never holds the log."""

from __future__ import annotations

from urllib.parse import urlencode

from ...model import Catalog, Entry, Proof
from ..render import section
from ..settings import REPO_URL


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    fields = {"template": "wrong-diagnosis.yml", "title": f"Wrong diagnosis: {entry.id}", "entry": entry.id}
    url = f"{REPO_URL}/issues/new?{urlencode(fields)}"
    return section("report", entry=entry, url=url, source=f"{REPO_URL}/edit/main/{entry.path}")
