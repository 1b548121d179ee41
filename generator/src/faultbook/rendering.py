"""What `mkdocs serve` need not do again at a save: pages that have not changed, templates already compiled.

A save changes one page of many, while reading Markdown takes half of a build, indexing for the search a quarter
and compiling the theme's templates a tenth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

# What Page.render sets, besides the links to anchors.
_RENDERED = ("content", "toc", "_title_from_render", "present_anchor_ids")


@dataclass(frozen=True)
class _Kept:
    key: str
    values: dict[str, Any]
    anchors: dict[str, dict[str, str]]
    """Path of the page linked to → links to its anchors."""


class PageCache:
    """Remembers each page's last HTML. A page is known by its Markdown and by the paths it could link to."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def attach(self, page: Page, markdown: str, files: Files) -> None:
        """Make `page.render` take the HTML from here if nothing changed, and leave it here if something did."""
        key = _key(markdown, files)
        kept = self._kept.get(page.file.src_uri)
        page.render = _restore(page, kept) if kept and kept.key == key else self._keep(page, key)  # type: ignore

    def _keep(self, page: Page, key: str) -> Callable[..., None]:
        def render(config: Any, files: Files) -> None:
            Page.render(page, config, files)
            anchors = {file.src_uri: links for file, links in (page.links_to_anchors or {}).items()}
            values = {name: getattr(page, name) for name in _RENDERED}
            self._kept[page.file.src_uri] = _Kept(key, values, anchors)

        return render


def _restore(page: Page, kept: _Kept) -> Callable[..., None]:
    def render(config: Any, files: Files) -> None:
        for name, value in kept.values.items():
            setattr(page, name, value)
        found = ((files.get_file_from_path(path), links) for path, links in kept.anchors.items())
        page.links_to_anchors = {file: links for file, links in found if file}

    return render


def _key(markdown: str, files: Files) -> str:
    return sha256("\0".join([markdown, *sorted(files.src_uris)]).encode()).hexdigest()


class TemplateCache(BytecodeCache):
    """Compiled templates in memory; Jinja itself drops one whose source has changed."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.bytecode_to_string()


class SearchCache:
    """Remembers what each page gave to the theme's search index, which reads all HTML anew: a quarter of a build."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[tuple[object, ...], list[dict]]] = {}

    def attach(self, index: Any) -> None:
        """Make `index.add_entry_from_context` look here first."""
        add = index.add_entry_from_context

        def remembered(page: Page) -> None:
            key, start = (page.url, page.content, page.meta), len(index.entries)
            known, entries = self._kept.get(page.file.src_uri, (None, []))
            if known == key:
                index.entries += entries
                return
            add(page)
            self._kept[page.file.src_uri] = key, index.entries[start:]

        index.add_entry_from_context = remembered
