"""Mermaid blocks as pictures, drawn when the site is built: no script, no request, both colour schemes.

A fence formatter for pymdownx.superfences. Plain Markdown keeps the Mermaid source, which GitHub and
editors draw themselves; where the renderer is not installed or refuses, the page shows the source too.
"""

from __future__ import annotations

import base64
import html
import re

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
    shown = "".join(
        f'<img class="fb-only-{scheme}" src="{_data_url(recoloured(svg, colours))}" alt="{alt}">'
        for scheme, colours, alt in (
            ("light", _LIGHT, "Diagram, described in words below"),
            ("dark", _DARK, "Diagram, described in words below"),
        )
    )
    return f'<div class="fb-diagram">{shown}</div>'


def draw(source: str) -> str | None:
    """The diagram as SVG, None if it cannot be drawn here."""
    try:
        import mmdr

        backend = "mermaid-rs-renderer" if source.lstrip().startswith(("flowchart", "graph")) else "merman"
        return mmdr.render(source, backend=backend).svg()
    except Exception:  # whatever a contributed source does to the renderer, the text remains
        return None


def recoloured(svg: str, colours: dict[str, str]) -> str:
    return _COLOUR.sub(lambda hit: colours.get(hit[0], hit[0]), svg)


def _data_url(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
