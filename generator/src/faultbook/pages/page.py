"""What every page is: a path, YAML front matter and Markdown."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """`path` is relative to the documentation root, e.g. `memory/cuda-out-of-memory.md`."""

    path: str
    text: str


def page(path: str, title: str, description: str, body: str, **meta: object) -> Page:
    """A page with front matter. JSON strings are YAML strings, so no value can break out of its line."""
    fields = {"title": title, "description": " ".join(description.split()), **meta}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items() if value]
    return Page(path, "\n".join(["---", *lines, "---", "", body.strip("\n"), ""]))
