"""The site in a real browser: policy, accessibility, both schemes, a phone, the filter and the search."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, Page
from test_site import lay_out

from faultbook import site

pytestmark = pytest.mark.browser
ENTRIES = ["memory/full-example/", "memory/plain-example/"]
BY_HAND = ["privacy/", "contributing/", "signature-language/"]
PAGES = ["", "memory/", *ENTRIES, "systems/pytorch/", "tags/", "proofs/", *BY_HAND]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    built = site.build(lay_out(tmp_path_factory.mktemp("project")))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def opened(browser: Browser, address: str):
    """`opened(page, scheme=…, width=…, height=…)` → the page, which must have made no foreign request or error."""
    contexts, faults = [], []

    def visit(path: str, scheme: str = "light", width: int = 1280, height: int = 800) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda it: it.url.startswith((address, "data:", "blob:")) or faults.append(it.url))
        page.on("console", lambda it: it.type == "error" and faults.append(it.text))
        page.on("pageerror", lambda it: faults.append(str(it)))
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not faults


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_no_axe_violation(opened, path, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = opened(path, scheme)
    results = Axe().run(page)
    assert not results.response["violations"], results.generate_report()


def test_the_scheme_follows_the_system_and_the_toggle(opened):
    dark, light = opened("", "dark"), opened("", "light")
    colours = [page.evaluate("getComputedStyle(document.body).backgroundColor") for page in (dark, light)]
    assert colours[0] != colours[1]
    light.locator("label[for=__palette_1]:visible").click()
    light.locator("label[for=__palette_2]:visible").click()
    assert light.evaluate("getComputedStyle(document.body).backgroundColor") == colours[0]


def test_the_quick_answer_fits_a_phone_without_scrolling(opened):
    page = opened("memory/full-example/", width=390, height=844)
    command = page.locator(".fb-quick pre").bounding_box()
    assert command["y"] + command["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("path", PAGES)
def test_no_page_scrolls_sideways_on_a_phone(opened, path):
    page = opened(path, width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_index_filters_in_the_page_and_keeps_the_choice_in_the_address(opened):
    page = opened("memory/")
    rows = page.locator("ul.fb-index > li:visible")
    assert rows.count() == 2
    page.get_by_label("Proof").select_option("proven")
    assert rows.count() == 1 and "full-example" in rows.first.inner_html()
    assert page.url.endswith("?proof=proven") and page.locator(".fb-count").inner_text() == "1 of 2"
    again = opened("memory/?severity=medium")
    assert again.locator("ul.fb-index > li:visible").count() == 1


def test_the_search_finds_an_entry(opened):
    page = opened("")
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.type("wholly free segments")
    page.locator(".md-search-result__item a").first.wait_for()
    assert "full-example" in page.locator(".md-search-result__item a").first.get_attribute("href")


def test_a_template_is_copied_as_it_stands(opened):
    page = opened("memory/full-example/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#quick-answer ~ .highlight button[data-md-type=copy]").click()
    assert page.evaluate("navigator.clipboard.readText()").strip() == (
        "PYTORCH_ALLOC_CONF=expandable_segments:True python train.py"
    )
