"""HTML taken apart for assertions: every tag with its attributes, and the site's own Markdown settings."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import markdown
from mkdocs.config import load_config

ROOT = Path(__file__).parents[1]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def tags(html: str) -> list[tuple[str, dict[str, str]]]:
    parser = _Tags()
    parser.feed(html)
    parser.close()
    return parser.found


@cache
def _settings():
    config = load_config(config_file=str(ROOT / "mkdocs.yml"))
    return config.markdown_extensions, config.mdx_configs


def rendered(text: str) -> str:
    """Markdown as the site renders it."""
    extensions, configs = _settings()
    return markdown.markdown(text, extensions=extensions, extension_configs=configs)
