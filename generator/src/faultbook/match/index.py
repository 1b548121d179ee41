"""The signature index: all that triage needs of the entries, as one JSON document.

`build_index` writes it when the site or the wheel is made; `load_index` reads it where a log is triaged.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .signature import Clause, Signature, parse_signature

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

    def candidates(self, words: frozenset[str], kinds: Collection[str]) -> Iterator[Signature]:
        """Signatures that may hold in a log of these words and event kinds, in order, without a look at the rest."""
        keys = {None, *(self._by_key.keys() & words), *(f"event {kind}" for kind in kinds)}
        places = {place for key in keys for place in self._by_key.get(key, ())}
        return (self.signatures[place] for place in sorted(places))

    @cached_property
    def _by_key(self) -> Mapping[str | None, tuple[int, ...]]:
        """Places of signatures by something a log must have for them to hold; None: nothing that can be looked up."""
        found: dict[str | None, list[int]] = {}
        for place, signature in enumerate(self.signatures):
            for key in _keys(signature):
                found.setdefault(key, []).append(place)
        return {key: tuple(places) for key, places in found.items()}

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """A literal for each clause that is searched in records: a window reader must not pass over them."""
        clauses = [c for s in self.signatures for c in (*s.all, *s.any, *s.none, *s.against) if not c.event]
        return tuple(dict.fromkeys(t.literals[0] for clause in clauses for t in clause.templates))


def _keys(signature: Signature) -> set[str | None]:
    """One key of a clause that must hold; without such a clause, one of each that may."""
    needed = [key for clause in signature.all if (key := _key(clause))]
    return {min(needed, key=_commonness)} if needed else {_key(clause) for clause in signature.any} or {None}


def _key(clause: Clause) -> str | None:
    word = max((template.word for template in clause.templates if template.word), key=len, default=None)
    return word or (f"event {clause.event}" if clause.event else None)


def _commonness(key: str) -> tuple[bool, int]:
    """A guess: long words are rarer than short ones, words rarer than kinds of event."""
    return key.startswith("event "), -len(key)


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
        "confused_with": [_sibling(row) for row in entry["confused_with"]],
        "signatures": [{k: v for k, v in one.items() if k not in _SHOWN} for one in entry["signatures"]],
    }  # fmt: skip


def _sibling(row: Mapping) -> dict:
    other = {"id": row["id"]} if row.get("id") else {"name": row["name"]}
    answered = {"answered_by": list(row["answered_by"])} if row.get("answered_by") else {}
    return {**other, "question": row["question"], "command": row.get("command") or "", "yes": row["yes"], **answered}


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
