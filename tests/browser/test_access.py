"""Usable with a keyboard, a screen reader, a phone; in both palettes."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import Box
from logs import OUT_OF_MEMORY, OUT_OF_MEMORY_ID
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ENTRY = f"memory/{OUT_OF_MEMORY_ID}/"
PAGES = {"home": "", "index": "memory/", "entry": ENTRY, "proofs": "proofs/"}
SCHEMES = {"default": "light", "slate": "dark"}
PHONE = {"width": 360, "height": 740}


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


def use_palette(page: Page, scheme: str) -> None:
    """The site follows the system's setting until a reader chooses."""
    page.emulate_media(color_scheme=SCHEMES[scheme])
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", scheme)
    page.wait_for_timeout(400)  # colours fade


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_axe_finds_nothing(page: Page, site: str, path, scheme):
    page.goto(site + path)
    use_palette(page, scheme)
    assert violations(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("path", ["", ENTRY], ids=["home", "entry"])
def test_axe_finds_nothing_in_an_answer(box: Box, path, scheme):
    box.open(path).paste(OUT_OF_MEMORY).wait()
    use_palette(box.page, scheme)
    assert violations(box.page) == []


def test_axe_finds_nothing_in_a_failure(box: Box):
    box.page.route("**/index.json", lambda route: route.fulfill(status=404))
    box.open().paste(OUT_OF_MEMORY).wait()
    assert box.verdict == "no answer"
    assert violations(box.page) == []


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control with this accessible name has the focus."""
    focused = "() => document.activeElement?.innerText || document.activeElement?.labels?.[0]?.innerText || ''"
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(focused).strip() == name:
            return
    raise AssertionError(f"Tab never reaches {name}")


def test_keyboard_alone(box: Box):
    box.open()
    tab_to(box.page, "Log")
    box.page.keyboard.insert_text(OUT_OF_MEMORY)
    box.page.keyboard.press("Control+Enter")
    box.wait()
    expect(box.title).to_be_focused()
    tab_to(box.page, "Copy as Markdown")
    box.page.keyboard.press("Enter")
    expect(box.page.get_by_role("button", name="Copied")).to_be_focused()
    tab_to(box.page, "Another log")
    box.page.keyboard.press("Space")
    expect(box.answer).to_have_count(0)
    expect(box.text).to_be_focused()


def test_progress_and_outcome_are_announced(box: Box):
    box.open()
    status = box.page.locator(".fb-triage").get_by_role("status")
    box.paste(OUT_OF_MEMORY)
    expect(status).to_contain_text("…")
    box.wait()
    expect(status).to_contain_text("Done: match.")


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_phone_never_scrolls_sideways(page: Page, site: str, path):
    page.set_viewport_size(PHONE)
    page.goto(site + path)
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_phone_answer_never_scrolls_sideways(box: Box):
    box.page.set_viewport_size(PHONE)
    box.open().paste(OUT_OF_MEMORY + "x" * 3000).wait()
    assert box.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_still_without_motion_where_the_reader_asks_for_it(box: Box):
    box.page.emulate_media(reduced_motion="reduce")
    box.page.route("**/index.json", lambda route: None)  # keeps it waiting
    box.open().paste(OUT_OF_MEMORY)
    step = box.page.locator(".fbt-step--now").first
    step.wait_for()
    assert step.evaluate("node => getComputedStyle(node).animationName") == "none"


# Words of a table's code and cells that stand on more than one line, though no hyphen or space parts them.
BROKEN = """() => [...document.querySelectorAll("article td")].flatMap(cell => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
    for (let node; (node = walker.nextNode()); )
        for (const { 0: word, index } of node.data.matchAll(/[\\w.]+/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
        }
    return broken;
})"""


@pytest.mark.parametrize("path", [ENTRY, "proofs/", "systems/pytorch/", "signature-language/"])
def test_no_word_of_a_table_is_broken_on_a_laptop(page: Page, site: str, path):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(site + path)
    assert page.locator("article td").count() > 10
    assert page.evaluate(BROKEN) == []
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_no_date_of_the_proofs_is_broken(page: Page, site: str):
    page.goto(f"{site}proofs/")
    dates = page.locator(".fb-proofs td:last-child")
    assert {cell.evaluate("cell => getComputedStyle(cell).whiteSpace") for cell in dates.all()} == {"nowrap"}
