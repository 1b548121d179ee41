"""The signature index: all that triage needs of the entries, as one JSON document.

`build_index` writes it when the site or the wheel is made; `load_index` reads it where a log is triaged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .signature import Signature, parse_signature

FORMAT = 1
_SHOWN = ("examples", "counter_examples", "versions")  # of a signature: for the page, not for triage


@dataclass(frozen=True)
class SignatureIndex:
    """`entries` maps an id to the facts an answer shows of it; signatures keep the order of the entries."""

    entries: Mapping[str, Mapping] = field(default_factory=dict)
    signatures: tuple[Signature, ...] = ()

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """For each entry the more general ones that it refines, directly or through others."""
        return {id: frozenset(self._general(id)) for id in self.entries}

    def _general(self, id: str) -> set[str]:
        found: set[str] = set()
        left = [id]
        while left:
            general = [one for one in self.entries.get(left.pop(), {}).get("refines", ()) if one not in found]
            found.update(general)
            left += general
        return found

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """A literal for each clause that is searched in records: a window reader must not pass over them."""
        clauses = [c for s in self.signatures for c in (*s.all, *s.any, *s.none, *s.against) if not c.event]
        return tuple(dict.fromkeys(t.literals[0] for clause in clauses for t in clause.templates))


def build_index(entries: Iterable[Mapping]) -> dict:
    """JSON-ready index of entries given as the plain data of their YAML (plus `url`), in id order.

    Raises SignatureError for a signature that cannot be used.
    """
    rows = sorted(entries, key=lambda entry: entry["id"])
    for entry in rows:
        for signature in entry["signatures"]:
            parse_signature(signature, entry["id"])
    return {"format": FORMAT, "entries": [_entry(entry) for entry in rows]}


def _entry(entry: Mapping) -> dict:
    quick = entry["quick_answer"]
    command = quick["command"]
    return {
        "id": entry["id"], "title": entry["title"], "category": entry["category"], "severity": entry["severity"],
        "gist": entry["gist"], "url": entry.get("url") or f"{entry['category']}/{entry['id']}/",
        "fix": {"text": quick["fix"], "command": command["code"], "lang": command["lang"]},
        "refines": list(entry.get("refines") or ()), "leads_to": list(entry.get("leads_to") or ()),
        "confused_with": [_sibling(row) for row in entry["confused_with"] if row.get("id")],
        "signatures": [{k: v for k, v in one.items() if k not in _SHOWN} for one in entry["signatures"]],
    }  # fmt: skip


def _sibling(row: Mapping) -> dict:
    return {"id": row["id"], "question": row["question"], "command": row.get("command") or "", "yes": row["yes"]}


def load_index(text: str) -> SignatureIndex:
    """Parse an index. Raises ValueError where it is no index, or of another format than this code reads."""
    data = json.loads(text)
    if not isinstance(data, dict) or "format" not in data:
        raise ValueError("this is no signature index")
    if data["format"] != FORMAT:
        raise ValueError(
            f"the index has format {data['format']}, this version reads format {FORMAT}: update the older one"
        )
    return from_data(data)


def from_data(data: Mapping) -> SignatureIndex:
    entries = {entry["id"]: entry for entry in data["entries"]}
    signatures = [parse_signature(one, id) for id, entry in entries.items() for one in entry["signatures"]]
    return SignatureIndex(entries, tuple(signatures))
