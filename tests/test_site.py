"""The built site of a small tree: strict, complete, and held to its policy."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from html_parts import tags
from mkdocs.exceptions import Abort

from faultbook import site
from faultbook.catalog import load_catalog
from faultbook.exports import EXPORTS, match_archive, records
from faultbook.plain import entry_data

ROOT = Path(__file__).parents[1]
TREE = Path(__file__).parent / "pages" / "tree"
POLICY = re.compile(r'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="([^"]*)">')
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def lay_out(root: Path) -> Path:
    """A project of the two example entries with the real theme."""
    for folder in ("entries", "repro"):
        shutil.copytree(TREE / folder, root / folder)
    for name in ("theme", "generator"):
        (root / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "mkdocs.yml", root)
    (root / "tests/cases").mkdir(parents=True)
    shutil.copy(ROOT / "tests/cases/scores.json", root / "tests/cases")
    return root


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    return lay_out(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def built(root: Path) -> Path:
    return site.build(root, strict=True)


@pytest.fixture(scope="module")
def html(built: Path) -> dict[str, str]:
    return {path.relative_to(built).as_posix(): path.read_text() for path in sorted(built.rglob("*.html"))}


def test_a_strict_build_has_every_page(html):
    assert {
        "index.html", "404.html", "proofs/index.html", "memory/index.html", "memory/full-example/index.html",
        "memory/former-example/index.html", "systems/pytorch/index.html", "tags/cuda-oom/index.html",
        "privacy/index.html", "contributing/index.html",
    } <= set(html)  # fmt: skip


def test_every_page_carries_the_policy_with_its_own_scripts_hashes(html):
    for name, text in html.items():
        policy = POLICY.search(text)
        assert policy, name
        scripts = SCRIPT.findall(text)
        hashes = {f"'sha256-{base64.b64encode(sha256(code.encode()).digest()).decode()}'" for code in scripts}
        assert hashes and hashes == set(re.findall(r"'sha256-[^']*'", policy[1])), name
        assert "connect-src 'self';" in policy[1] and "unsafe-inline" not in policy[1]
        assert "default-src 'none'" in policy[1] and "form-action 'none'" in policy[1]


def test_a_script_in_the_content_is_not_allowed_by_the_policy():
    from faultbook import hook

    theme = '<html><head><meta charset="utf-8"><script>good()</script></head><body></body></html>'
    page = theme.replace("<body>", "<body><script>evil()</script>")
    assert hook._hash("good()") in hook.with_policy(page, theme)
    assert hook._hash("evil()") not in hook.with_policy(page, theme)


def test_no_page_asks_another_origin_for_anything(html, built):
    loading = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "form": "action"}
    for name, text in html.items():
        for tag, attributes in tags(text):
            assert "style" not in attributes and not any(key.startswith("on") for key in attributes), name
            if tag in loading and attributes.get("rel") != "canonical":
                address = attributes.get(loading[tag], "")
                assert not address.startswith(("http:", "https:", "//")), f"{name}: {address}"
    for sheet in built.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", sheet.read_text()), sheet


def test_every_link_and_anchor_within_the_site_is_there(html, built):
    ids = {name: {a["id"] for _, a in tags(text) if "id" in a} for name, text in html.items()}
    checked = 0
    for name, text in html.items():
        if name == "404.html":  # served at any depth, so its links are absolute to the site's address
            continue
        for tag, attributes in tags(text):
            address = attributes.get("href" if tag in ("a", "link") else "src", "")
            if not address or re.match(r"[a-z]+:", address):
                continue
            target, anchor = urldefrag(urljoin(f"/{name}", address))
            path = unquote(target).lstrip("/")
            path = f"{path}index.html" if path.endswith("/") or not path else path
            assert (built / path).is_file(), f"{name}: {address}"
            assert not anchor or path not in ids or anchor in ids[path] or anchor.startswith("__"), f"{name}: {address}"
            checked += 1
    assert checked > 300


def test_boxes_and_filters_bring_their_scripts_and_other_pages_do_not(html):
    entry, index, proofs = (html[f"{name}index.html"] for name in ("memory/full-example/", "memory/", "proofs/"))
    assert '<div class="fb-triage" data-entry="full-example"' in entry
    assert 'type="module" src="../../assets/faultbook/widget.mjs"' in entry
    assert 'src="assets/faultbook/widget.mjs"' in html["index.html"]
    assert "filter.mjs" in index and "filter.mjs" not in entry
    assert "widget.mjs" not in proofs and "filter.mjs" not in proofs


def test_the_first_thing_on_the_home_page_is_the_box(html):
    article = html["index.html"].partition("<article")[2]
    assert article.index("fb-triage") < article.index("fb-figures") < article.index("<h2")


def test_an_entry_page_links_to_its_source_and_a_form_without_the_log(html):
    entry = html["memory/full-example/index.html"]
    assert "/edit/main/entries/memory/full-example.yaml" in entry
    assert "/issues/new?template=wrong-diagnosis.yml" in entry
    assert "/edit/main/theme/pages/privacy.md" in html["privacy/index.html"]


def test_diagrams_are_pictures_of_both_schemes(html):
    pytest.importorskip("mmdr")
    pictures = [a for tag, a in tags(html["memory/full-example/index.html"]) if "fb-only" in a.get("class", "")]
    assert [a["class"] for a in pictures] == ["fb-only-light", "fb-only-dark"]
    for picture in pictures:
        svg = base64.b64decode(picture["src"].removeprefix("data:image/svg+xml;base64,")).decode()
        assert "OutOfMemoryError" in svg and "<script" not in svg
    assert pictures[0]["src"] != pictures[1]["src"]


def test_a_missing_page_is_not_said_never_to_have_been(html):
    text = html["404.html"]
    assert "may be mistyped, or of an entry that is not" in text and "never published" not in text


@pytest.mark.parametrize("page", ["index.html", "memory/full-example/index.html"])
def test_what_installs_it_is_what_works_today(html, page):
    text = re.sub(r"<[^>]*>", "", html[page])
    assert "pip install ." in text and "pip install faultbook" not in text


def test_the_moved_page_redirects(html):
    assert '<meta http-equiv="refresh" content="0; url=../full-example/">' in html["memory/former-example/index.html"]


def test_the_browser_gets_index_archive_and_records(built):
    assets = built / "assets" / "faultbook"
    assert json.loads((assets / "index.json").read_text())
    assert [row["id"] for row in json.loads((assets / "entries.json").read_text())["entries"]] == [
        "full-example", "plain-example",
    ]  # fmt: skip
    proof = json.loads((assets / "records/memory/full-example.cpu.json").read_text())
    assert proof["verdict"] == "proven" and "text" not in proof["symptom"]
    log = (assets / "records/memory/full-example.cpu.log").read_text()
    assert "CUDA out of memory" in log and log == (assets / "sample.log").read_text()


def test_errors_in_entries_stop_the_build(tmp_path, caplog):
    root = lay_out(tmp_path)
    path = root / "entries/memory/plain-example.yaml"
    path.write_text(path.read_text().replace("severity: medium", "severity: dire"))
    with pytest.raises(Abort):
        site.build(root)
    assert "entries/memory/plain-example.yaml:5:" in caplog.text


def test_plain_markdown_is_written_with_what_it_links_to(root, tmp_path):
    count = site.write_markdown(root, tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    assert count == len(files) and {"index.md", "memory/full-example.md", "privacy.md"} <= files
    for file in tmp_path.rglob("*.md"):
        for target in re.findall(r"\]\(((?:\.\./)*[\w./-]+)(?:#[\w-]+)?\)", file.read_text()):
            assert (file.parent / target).is_file(), f"{file}: {target}"


def test_the_archive_holds_exactly_the_matcher_and_is_the_same_each_time():
    (first,), (second,) = match_archive.artifacts(None), match_archive.artifacts(None)
    assert first == second
    names = zipfile.ZipFile(io.BytesIO(first.data)).namelist()
    assert names == sorted(names) and "faultbook/__init__.py" in names and "faultbook/match/types.py" in names
    alone = {"faultbook/__init__.py", "faultbook/calculate.py"}
    assert all(name in alone or name.startswith("faultbook/match/") for name in names)
    assert match_archive.archive({"b": b"1", "a": b"2"}) == match_archive.archive({"a": b"2", "b": b"1"})


def test_an_entry_survives_the_way_back_to_plain_data():
    from faultbook.model import entry_from
    from faultbook.source import parse

    catalog, _ = load_catalog(TREE)
    for entry in catalog.entries:
        written, _ = parse((TREE / entry.path).read_text(), entry.path)
        assert entry_data(entry) == written.data
        assert entry_from(json.loads(json.dumps(entry_data(entry)))) == entry


def test_exports_depend_on_the_catalog_alone():
    catalog, _ = load_catalog(TREE)
    for export in EXPORTS:
        assert export.artifacts(catalog) == export.artifacts(replace(catalog))
    assert records.artifacts(replace(catalog, proofs=())) == ()
