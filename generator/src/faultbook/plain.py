"""An Entry back as plain data: the mapping that its YAML holds, without what is absent or a default."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from .model import Entry, Proof, Signature

_ABSENT = (None, (), False)


def entry_data(entry: Entry) -> dict[str, Any]:
    """The entry as JSON-ready data, field names as in entry.schema.json."""
    return _plain(entry)


def proof_data(proof: Proof) -> dict[str, Any]:
    """The proof as the object of format 1; its logs' text stays in their files."""
    data = {"reason": None, **_plain(proof)}
    data.pop("path", None)
    for side in ("symptom", "fixed"):
        data.get(side, {}).pop("text", None)
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, Signature):
        counters = [_plain(counter) for counter in value.counter_examples]
        return {**_plain(dict(value.spec)), "examples": list(value.examples), "counter_examples": counters}
    if is_dataclass(value):
        named = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
        return {name: _plain(it) for name, (it, default) in named.items() if it not in _ABSENT or it != default}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
