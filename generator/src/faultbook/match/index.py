"""The signature index: all that triage needs of the entries, as one JSON document.

`build_index` and `index_text` write it when the site or the wheel is made; `load_index` reads it where a log is
triaged. It has a line for each entry, and ahead of them says which signatures may hold in a log with which words:
so a log costs the entries it speaks of, not those there are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from .signature import Clause, Signature, parse_signature

FORMAT = 1
_SHOWN = ("examples", "counter_examples", "versions")  # of a signature: for the page, not for triage
_ROWS = '"entries":[\n'
Place = tuple[int, int]  # an entry's number, and that of one of its signatures


class SignatureIndex:
    """`entries` maps an id to the facts an answer shows of it; signatures keep the order of the entries.

    `head` is what `build_index` gives beside the entries; it is worked out where an index comes without.
    """

    def __init__(self, entries: Mapping[str, Mapping] | None = None, head: Mapping | None = None) -> None:
        self.entries = entries or {}
        self._ids = tuple(self.entries)
        self._head = head if head and "keys" in head else head_of(list(self.entries.values()))
        self._parsed: dict[Place, Signature] = {}

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """For each entry that refines another one: the more general ones, directly or through others."""
        return {id: frozenset(general) for id, general in self._head["ancestors"].items()}

    @property
    def needles(self) -> tuple[str, ...]:
        """A literal for each clause that is searched in records: a window reader must not pass over them."""
        return tuple(self._head["needles"])

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """All of them. Triage takes `candidates`."""
        rows = enumerate(self.entries.values())
        return tuple(self._signature((number, at)) for number, row in rows for at in range(len(row["signatures"])))

    def candidates(self, words: frozenset[str], kinds: Collection[str]) -> Iterator[Signature]:
        """Signatures that may hold in a log of these words and event kinds, in order, without a look at the rest."""
        keys = self._head["keys"]
        found = {"", *(keys.keys() & words), *(f"event {kind}" for kind in kinds)}
        places = {tuple(place) for key in found for place in keys.get(key, ())}
        return (self._signature(place) for place in sorted(places))

    def _signature(self, place: Place) -> Signature:
        if place not in self._parsed:
            id = self._ids[place[0]]
            self._parsed[place] = parse_signature(self.entries[id]["signatures"][place[1]], id)
        return self._parsed[place]


# --- writing --------------------------------------------------------------------------------------


def build_index(entries: Iterable[Mapping]) -> dict:
    """JSON-ready index of entries given as the plain data of their YAML (plus `url`), in id order.

    Raises SignatureError for a signature that cannot be used.
    """
    rows = [_entry(entry) for entry in sorted(entries, key=lambda entry: entry["id"])]
    return {"format": FORMAT, **head_of(rows), "entries": rows}


def index_text(data: Mapping) -> str:
    """The index as JSON with a line for each entry, as `load_index` reads it quickest."""
    head = _json({key: value for key, value in data.items() if key != "entries"})
    rows = ",\n".join(_json(row) for row in data["entries"])
    return f"{head[:-1]},{_ROWS}{rows}\n]}}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def head_of(rows: Sequence[Mapping]) -> dict:
    """What is looked up before any entry: `keys` of signatures, `ancestors` of entries, `needles` for long logs."""
    parsed = [[parse_signature(one, row["id"]) for one in row["signatures"]] for row in rows]
    keys: dict[str, list[Place]] = {}
    for number, signatures in enumerate(parsed):
        for at, signature in enumerate(signatures):
            for key in sorted(_keys(signature)):
                keys.setdefault(key, []).append((number, at))
    general = {row["id"]: tuple(row.get("refines", ())) for row in rows}
    ancestors = {id: sorted(found) for id in general if (found := _general(id, general))}
    every = (signature for signatures in parsed for signature in signatures)
    return {
        "ids": list(general), "keys": keys, "ancestors": ancestors,
        "needles": list(dict.fromkeys(literal for signature in every for literal in _needles(signature))),
    }  # fmt: skip


def _general(id: str, refines: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    left = [id]
    while left:
        general = [one for one in refines.get(left.pop(), ()) if one not in found]
        found.update(general)
        left += general
    return found


def _needles(signature: Signature) -> Iterator[str]:
    for clause in (*signature.all, *signature.any, *signature.none, *signature.against):
        if not clause.event:
            yield from (template.literals[0] for template in clause.templates)


def _keys(signature: Signature) -> set[str]:
    """One key of a clause that must hold; without such a clause, one of each that may. Empty: nothing to look up."""
    needed = [key for clause in signature.all if (key := _key(clause))]
    return {min(needed, key=_commonness)} if needed else {_key(clause) for clause in signature.any} or {""}


def _key(clause: Clause) -> str:
    word = max((template.word for template in clause.templates if template.word), key=len, default="")
    return word or (f"event {clause.event}" if clause.event else "")


def _commonness(key: str) -> tuple[bool, int]:
    """A guess: long words are rarer than short ones, words rarer than kinds of event."""
    return key.startswith("event "), -len(key)


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


# --- reading --------------------------------------------------------------------------------------


class _Rows(Mapping):
    """The entries by id, each parsed when it is asked for."""

    def __init__(self, ids: Iterable[str], lines: Sequence[str]) -> None:
        self._lines = dict(zip(ids, lines, strict=True))
        self._parsed: dict[str, Mapping] = {}

    def __getitem__(self, id: str) -> Mapping:
        if id not in self._parsed:
            self._parsed[id] = json.loads(self._lines[id].removesuffix(","))
        return self._parsed[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def load_index(text: str) -> SignatureIndex:
    """Parse an index. Raises ValueError where it is no index, or of another format than this code reads."""
    head, rows, rest = text.partition(_ROWS)
    data = json.loads(f"{head.removesuffix(',')}}}" if rows else text)
    if not isinstance(data, dict) or "format" not in data:
        raise ValueError("this is no signature index")
    if data["format"] != FORMAT:
        raise ValueError(
            f"the index has format {data['format']}, this version reads format {FORMAT}: update the older one"
        )
    if not rows:
        return from_data(data)
    return SignatureIndex(_Rows(data["ids"], [line for line in rest.split("\n")[:-2] if line]), data)


def from_data(data: Mapping) -> SignatureIndex:
    return SignatureIndex({entry["id"]: entry for entry in data["entries"]}, data)
