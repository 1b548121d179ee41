"""Sizes and durations as programs print them, as integers: bytes and milliseconds."""

from __future__ import annotations

from .lazy import Lazy

SIZE = r"\d{1,15}(?:\.\d{1,6})? ?(?:[KMGTPE]i?B|[kKMGT]B|bytes|B)\b"
DURATION = r"\d{1,15}(?:\.\d{1,6})? ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|h)\b"
_QUANTITY = Lazy(r"(?P<number>\d{1,15}(?:\.\d{1,6})?) ?(?P<unit>[A-Za-z]{0,14})")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


def to_bytes(text: str) -> int:
    """`1.50 GiB`, `900 KiB`, `67108864 bytes`, `1024kB` as bytes. Units are binary, as these programs mean them."""
    found = _QUANTITY.match(text.strip())
    if not found:
        raise ValueError(f"not a size: {text[:40]!r}")
    unit = found["unit"].upper()
    return round(float(found["number"]) * 1024 ** _POWERS.get("" if unit in ("BYTES", "B") else unit[:1], 0))


def to_milliseconds(text: str) -> int:
    """`600000 milliseconds`, `5000ms`, `30 s`, `2 hours` as milliseconds."""
    found = _QUANTITY.match(text.strip())
    if not found:
        raise ValueError(f"not a duration: {text[:40]!r}")
    unit = found["unit"]
    factor = 1 if unit.startswith(("ms", "milli")) else {"s": 1000, "m": 60_000, "h": 3_600_000}[unit[0]]
    return round(float(found["number"]) * factor)
