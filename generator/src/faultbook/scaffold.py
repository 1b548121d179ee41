"""`faultbook new`: the skeleton of an entry and of its repro script, which `faultbook check` then guides.

The texts are in skeleton/; this module fills in names and never overwrites a file.
"""

from __future__ import annotations

import datetime
import json
import re
from importlib.resources import files
from pathlib import Path
from string import Template
from textwrap import indent

from .drafting import Draft
from .source import parse

_AWAITS = "# awaits: what this lane cannot show, and what would"  # owed in the other lanes
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class ScaffoldError(Exception):
    """The entry cannot be started; str() says why and what to do."""


def write_new(root: Path, id: str, title: str, category: str, lane: str, draft: Draft | None = None) -> tuple[str, ...]:
    """Write both skeletons below `root` and return their paths relative to it. Raises ScaffoldError.

    With a `draft` the message, the signature's clause and its example are filled in.
    """
    if fault := _fault(root, id, title, category):
        raise ScaffoldError(fault)
    texts = render(id, title, category, lane, datetime.date.today().isoformat(), draft)
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("x", encoding="utf-8") as file:
            file.write(text)
    return tuple(texts)


def render(id: str, title: str, category: str, lane: str, today: str, draft: Draft | None = None) -> dict[str, str]:
    """The skeletons by path relative to the project's root."""
    names = {
        **_drafted(draft),
        "id": id, "title": json.dumps(title, ensure_ascii=False), "category": category, "lane": lane, "today": today,
        "awaits": _AWAITS if lane == "cpu" else f'awaits: "FILL: {_AWAITS.removeprefix("# awaits: ")}"',
        "title_line": title.replace("\\", "/").replace('"', "'"),
    }  # fmt: skip
    return {
        f"entries/{category}/{id}.yaml": Template(_skeleton("entry.yaml")).substitute(names),
        f"repro/{category}/{id}.py": Template(_skeleton("repro.py.txt")).substitute(names),
    }


def _drafted(draft: Draft | None) -> dict[str, str]:
    """What a draft knows, in place and indented; without one, what belongs there."""
    if draft is None:
        return {
            "message_text": "FILL: the lines as the software prints them, with values of your own",
            "clause": 'message: "FILL: literal text with typed holes, e.g. Tried to allocate {requested:size}."',
            "example": "FILL: a short log that this signature matches and this entry wins",
        }
    rows = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in draft.clause.items()]
    return {
        "message_text": indent(draft.excerpt, " " * 6).strip(),
        "clause": f"\n{' ' * 8}".join(rows),
        "example": indent(draft.excerpt, " " * 8).strip(),
    }


def _fault(root: Path, id: str, title: str, category: str) -> str | None:
    if not _ID.fullmatch(id):
        return f"'{id}' is no id: use lower-case words and digits joined by hyphens"
    if not title.strip() or "\n" in title or len(title) > 140:
        return "the title is one line of at most 140 characters"
    categories = parse((root / "entries" / "categories.yaml").read_bytes(), "entries/categories.yaml")[0].data or {}
    if category not in categories:
        return f"there is no category '{category}': use one of {', '.join(categories)}, or add it to categories.yaml"
    taken = [*(root / "entries").glob(f"*/{id}.yaml"), *(root / "repro").glob(f"*/{id}.py")]
    if taken:
        return f"{taken[0].relative_to(root)} exists already: choose another id, or edit that file"
    return None


def _skeleton(name: str) -> str:
    return (files(__package__) / "skeleton" / name).read_text(encoding="utf-8")
