"""The tree of two entries that page and site tests share: one with every fact, one with the fewest."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultbook.catalog import load_catalog
from faultbook.model import Catalog, Entry
from faultbook.problem import render_text

TREE = Path(__file__).parent / "tree"


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    catalog, problems = load_catalog(TREE)
    assert not problems, render_text(problems)
    return catalog


@pytest.fixture(scope="session")
def full(catalog: Catalog) -> Entry:
    return catalog.by_id["full-example"]


@pytest.fixture(scope="session")
def plain(catalog: Catalog) -> Entry:
    return catalog.by_id["plain-example"]
