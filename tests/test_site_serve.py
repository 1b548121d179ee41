"""`faultbook serve` as an author meets it: what is wrong shows at the entry's address, and goes when mended."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from test_site import lay_out

from faultbook import scaffold
from faultbook.rendering import PageCache

PATIENCE = 90  # seconds: two busy cores


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    return lay_out(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "faultbook", "serve", "--addr", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}/"
    try:
        until(lambda: get(base), "What broke")  # `/` leads to where the site is mounted
        with urlopen(base, timeout=PATIENCE) as answer:
            yield answer.url
    finally:
        server.terminate()
        server.wait(20)


def get(url: str) -> str:
    """The page's text, empty when there is none."""
    try:
        with urlopen(url, timeout=PATIENCE) as answer:
            return answer.read().decode()
    except (HTTPError, URLError, ConnectionError):
        return ""


def until(read: Callable[[], str], words: str) -> str:
    """What `read` gives once `words` are in it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        text = read()
        if words in text:
            return text
        time.sleep(0.2)
    raise AssertionError(f"'{words}' never came:\n{text[-2000:]}")


def test_a_broken_entry_is_told_on_its_page_which_reloads_when_mended(root: Path, address: str):
    path, url = root / "entries/memory/plain-example.yaml", f"{address}memory/plain-example/"
    good = path.read_text()
    assert "Quick answer" in get(url)
    path.write_text(good.replace("severity: medium", "severity: dire<b>"))
    page = until(lambda: get(url), "to mend")
    assert "entries/memory/plain-example.yaml:5:" in page and "dire&lt;b&gt;" in page and "Quick answer" not in page
    # The open tab polls this address, which answers as soon as there is something newer than it knows.
    epoch, request = re.search(r"livereload\((\d+), (\d+)\);", page).groups()
    path.write_text(good)
    poll = f"{re.match('https?://[^/]*', address)[0]}/livereload/{epoch}/{request}"
    assert int(get(poll)) > int(epoch)
    assert "Quick answer" in get(url)


def test_a_fresh_draft_has_a_page_that_names_what_to_fill_in(root: Path, address: str):
    written = scaffold.write_new(root, "my-draft", "A title", "memory", "cpu")
    page = until(lambda: get(f"{address}memory/my-draft/"), "to mend")
    assert "entries/memory/my-draft.yaml:" in page and "livereload(" in page
    assert "plain-example" in get(f"{address}memory/") and "my-draft" not in get(f"{address}memory/")
    for path in written:
        (root / path).unlink()
    until(lambda: get(f"{address}memory/my-draft/") or "gone", "gone")


def test_only_what_changed_is_rendered_and_indexed_again(tmp_path: Path, monkeypatch):
    """Links and anchors are still checked: the builds are strict."""
    root, out = lay_out(tmp_path), tmp_path / "site"

    def built() -> dict[Path, bytes]:
        build(load_config(config_file=str(root / "mkdocs.yml"), site_dir=str(out), strict=True))
        return {path: path.read_bytes() for path in sorted([*out.rglob("*.html"), *out.rglob("search_index.json")])}

    config = load_config(config_file=str(root / "mkdocs.yml"), site_dir=str(out), strict=True)
    config.plugins.on_startup(command="serve", dirty=False)
    first = built()
    with monkeypatch.context() as without:
        without.delattr("mkdocs.structure.pages.Page.render")
        without.setattr("material.plugins.search.plugin.Parser.feed", None, raising=False)
        assert built() == first and len(first) > 15
    path = root / "entries/memory/plain-example.yaml"
    path.write_text(path.read_text().replace("mechanism: ", "mechanism: Zebras queue. ", 1))
    changed = {path.relative_to(out).as_posix() for path, text in built().items() if text != first[path]}
    assert "memory/plain-example/index.html" in changed and "memory/full-example/index.html" not in changed
    assert "Zebras queue" in (out / "search/search_index.json").read_text()


def test_a_changed_page_is_rendered_anew_and_a_new_target_is_linked(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    config = load_config(docs_dir=str(tmp_path / "docs"), site_dir=str(tmp_path / "site"))

    def text_file(path: str, text: str) -> File:
        (tmp_path / "docs" / path).write_text(text)
        return File(path, config.docs_dir, config.site_dir, config.use_directory_urls)

    cache, target = PageCache(), text_file("b.md", "# B")

    def html(markdown: str, *others: File) -> SimpleNamespace:
        file = text_file("a.md", markdown)
        files = Files([file, *others])
        page = Page(None, file, config)
        page.markdown = markdown
        cache.attach(page, markdown, files)
        page.render(config, files)
        return SimpleNamespace(content=page.content, title=page.title, toc=[it.title for it in page.toc])

    first = html("# A\n\n[b](b.md)", target)
    assert first == html("# A\n\n[b](b.md)", target)
    assert 'href="../b/"' in first.content and (first.title, first.toc) == ("A", ["A"])
    assert 'href="b.md"' in html("# A\n\n[b](b.md)").content
    assert html("# Other\n").title == "Other"
