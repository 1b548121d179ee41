"""Mermaid blocks as pictures, drawn when the site is built: no script, no request, both colour schemes.

A fence formatter for pymdownx.superfences. Plain Markdown keeps the Mermaid source, which GitHub and
editors draw themselves; where the renderer is not installed or refuses, the page shows the source too.
"""

from __future__ import annotations

import base64
import html
import re
from functools import cache

# mermaid-rs-renderer's palette → the site's two schemes; it has no theme with a dark ground.
_LIGHT = {"#FFFFFF": "none", "#F8FAFC": "#ffffff", "#F1F5F9": "#f1efe9"}
_DARK = {
    "#FFFFFF": "none",
    "#F8FAFC": "#1d242c",
    "#F1F5F9": "#171d24",
    "#0F172A": "#dde3ea",
    "#64748B": "#8b98a7",
    "#94A3B8": "#5b6774",
    "#CBD5E1": "#3a444f",
}
_COLOUR = re.compile(r"#[0-9A-F]{6}\b")


def fence(source: str, language: str, css_class: str, options: dict, md: object, **kwargs: object) -> str:
    """HTML of one Mermaid block: a picture for each scheme, or the source as text."""
    svg = draw(source)
    if svg is None:
        return f"<pre><code>{html.escape(source)}</code></pre>"
    if not _is_flowchart(source):  # the other renderer has colours of its own and a style sheet: give it a plate
        return f'<div class="fb-diagram">{_picture("fb-plate", svg)}</div>'
    shown = _picture("fb-only-light", recoloured(svg, _LIGHT)) + _picture("fb-only-dark", recoloured(svg, _DARK))
    return f'<div class="fb-diagram">{shown}</div>'


@cache
def draw(source: str) -> str | None:
    """The diagram as SVG, None if it cannot be drawn here."""
    try:
        import mmdr

        backend = "mermaid-rs-renderer" if _is_flowchart(source) else "merman"
        return mmdr.render(source, backend=backend).svg()
    except Exception:  # whatever a contributed source does to the renderer, the text remains
        return None


def recoloured(svg: str, colours: dict[str, str]) -> str:
    return _COLOUR.sub(lambda hit: colours.get(hit[0], hit[0]), svg)


def _is_flowchart(source: str) -> bool:
    return source.lstrip().startswith(("flowchart", "graph"))


def _picture(css_class: str, svg: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    return f'<img class="{css_class}" src="data:image/svg+xml;base64,{data}" alt="Diagram, described in words below">'
