"""A signature index straight from entries' data, as the checks need it: built and loaded in one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .match.index import SignatureIndex, build_index, index_text, load_index


def index_of(rows: Iterable[Mapping[str, Any]]) -> SignatureIndex:
    """The index of entries given as their YAML holds them, each with its page's address as `url`."""
    return load_index(index_text(build_index(rows)))
