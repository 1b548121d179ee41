"""`entries.json`: `{"format": 1, "entries": [...]}`, every entry as it stands in its YAML, for `faultbook explain`."""

from __future__ import annotations

import json

from ..artifact import Artifact
from ..model import Catalog
from ..plain import entry_data

PATH = "entries.json"


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    rows = {"format": 1, "entries": [entry_data(entry) for entry in catalog.entries]}
    return (Artifact(PATH, (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode()),)
