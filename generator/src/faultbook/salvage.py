"""What can still be checked of a faulty document: its data brought into the schema's shape.

What is not as it should be is replaced by a blank of the right type (an empty text, an empty list, the first
allowed value), in its place, so that pointers stay true. Checks then run on a file with faults of shape as on
any other; whatever they say about a blank is dropped, since its fault has been told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .document import Document, Pointer, strings
from .schema import ENTRY, FILL, fits

_EMPTY: dict[str, Callable[[], Any]] = {
    "array": list, "object": dict, "string": str, "integer": int, "number": float, "boolean": bool,
}  # fmt: skip


def salvage(document: Document, schema: str = ENTRY) -> tuple[dict[str, Any] | None, tuple[Pointer, ...]]:
    """Data of the schema's shape, and the place of everything in it that is not as written.

    None where the document is no mapping.
    """
    if not isinstance(document.data, dict):
        return None, ((),)
    blanks: list[Pointer] = []
    return _salvaged(document.data, *fits(schema), (), blanks), tuple(blanks)


def _salvaged(value: Any, table: dict[str, Any], fit: Callable, pointer: Pointer, blanks: list[Pointer]) -> Any:
    if isinstance(value, dict) and "properties" in table:
        return _mapping(value, table, fit, pointer, blanks)
    if isinstance(value, dict) and isinstance(each := table.get("additionalProperties"), dict):
        return {key: _salvaged(inner, each, fit, (*pointer, key), blanks) for key, inner in value.items()}
    if isinstance(value, list) and "items" in table:
        items = enumerate(value)
        return [_salvaged(item, table["items"], fit, (*pointer, place), blanks) for place, item in items]
    if fit(value, table) and not any(text.startswith(FILL) for _, text in strings(value)):
        return value
    blanks.append(pointer)
    return _blank(table)


def _mapping(value: dict, table: dict[str, Any], fit: Callable, pointer: Pointer, blanks: list[Pointer]) -> dict:
    fields = table["properties"]
    absent = [name for name in table.get("required", ()) if name not in value]
    choice = {key: table[key] for key in ("oneOf", "anyOf", "minProperties") if key in table}
    blanks += [(*pointer, name) for name in (*absent, *(value.keys() - fields.keys()))]
    if not fit(value, choice):
        blanks.append(pointer)
    kept = {key: _salvaged(it, fields[key], fit, (*pointer, key), blanks) for key, it in value.items() if key in fields}
    return {**kept, **{name: _blank(fields[name]) for name in absent}}


def _blank(table: dict[str, Any]) -> Any:
    if "enum" in table:
        return table["enum"][0]
    if table.get("required"):
        return {name: _blank(table["properties"][name]) for name in table["required"]}
    return _EMPTY[table.get("type", "object")]()
