"""Mermaid sources become pictures at build time, and stay readable text where they cannot."""

from __future__ import annotations

import base64
import re
import sys

import pytest
from html_parts import tags

from faultbook.pages import diagram

FLOW = "flowchart LR\n  A[request] --> B[refused]"
SEQUENCE = "sequenceDiagram\n  participant A as rank 0\n  A->>A: waits"


@pytest.fixture(autouse=True)
def _forget():
    diagram.draw.cache_clear()
    yield
    diagram.draw.cache_clear()


def pictures(source: str) -> dict[str, str]:
    html = diagram.fence(source, "mermaid", "mermaid", {}, None)
    found = [attributes for tag, attributes in tags(html) if tag == "img"]
    assert all(attributes["alt"] for attributes in found)
    return {it["class"]: base64.b64decode(it["src"].partition(",")[2]).decode() for it in found}


def test_a_flowchart_has_a_picture_for_each_scheme():
    drawn = pictures(FLOW)
    assert set(drawn) == {"fb-only-light", "fb-only-dark"}
    assert all("refused" in svg for svg in drawn.values())
    assert "#0F172A" not in drawn["fb-only-dark"] and "#FFFFFF" not in drawn["fb-only-light"]


def test_another_kind_of_diagram_stands_on_a_plate():
    assert "rank 0" in pictures(SEQUENCE)["fb-plate"]


@pytest.mark.parametrize("source", ["", "no diagram at all", "flowchart LR\n  A[<script>alert(1)</script>] --> B"])
def test_no_source_puts_a_script_into_the_page(source):
    html = diagram.fence(source, "mermaid", "mermaid", {}, None)
    assert {tag for tag, _ in tags(html)} <= {"div", "img", "pre", "code"}


def test_without_the_renderer_the_source_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "mmdr", None)
    html = diagram.fence("flowchart LR\n  A --> B", "mermaid", "mermaid", {}, None)
    assert re.fullmatch(r"<pre><code>flowchart LR\n  A --&gt; B</code></pre>", html)
