"""What goes wrong is shown as what it is, and never as "no match"."""

from __future__ import annotations

import io
import time
import zipfile

import pytest
from conftest import Box
from logs import OUT_OF_MEMORY, OUT_OF_MEMORY_ID
from playwright.sync_api import Route, expect

pytestmark = pytest.mark.browser

ARCHIVE = "**/assets/faultbook/faultbook-match.zip"


def archive_with(bridge: str) -> bytes:
    """A match archive whose bridge is this text."""
    empty = dict.fromkeys(("faultbook/__init__.py", "faultbook/calculate.py", "faultbook/match/__init__.py"), "")
    files = {**empty, "faultbook/match/bridge.py": bridge}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def expect_failure(box: Box, words: str) -> None:
    box.wait()
    assert box.verdict == "no answer"
    expect(box.title).to_have_text("The matcher failed, so this says nothing about your log")
    expect(box.answer).to_contain_text(words)
    expect(box.answer).to_have_attribute("role", "alert")


def expect_ended(box: Box) -> None:
    """Chromium lets a worker that is busy finish for 2 s before it ends it by force."""
    deadline = time.monotonic() + 20
    while box.workers and time.monotonic() < deadline:
        pass  # asking for the workers waits
    assert box.workers == []


@pytest.mark.parametrize(
    "part",
    [
        "runtime/pyodide.asm.wasm",
        "runtime/python_stdlib.zip",
        "runtime/match-bytecode.zip",
        "faultbook-match.zip",
        "index.json",
        "worker.mjs",
    ],
)
def test_missing_part_is_a_failure(box: Box, part):
    box.page.route(f"**/assets/faultbook/{part}", lambda route: route.fulfill(status=404))
    box.open().paste(OUT_OF_MEMORY)
    expect_failure(box, "did not load or did not start")


def test_after_a_failure_it_can_be_tried_again(box: Box):
    box.page.route(ARCHIVE, lambda route: route.fulfill(status=503))
    box.open().paste(OUT_OF_MEMORY)
    expect_failure(box, "HTTP 503")
    box.page.unroute(ARCHIVE)
    box.page.get_by_role("button", name="Try again").click()
    expect(box.title.get_by_role("link")).to_be_visible()
    assert box.lead == OUT_OF_MEMORY_ID


def test_start_that_never_ends_is_given_up(box: Box):
    held: list[Route] = []
    box.page.clock.install()
    box.page.route("**/runtime/pyodide.asm.wasm", lambda route: held.append(route))  # neither answered nor refused
    box.open().paste(OUT_OF_MEMORY)
    while not held:
        box.page.wait_for_timeout(50)
    box.page.clock.fast_forward("05:00")
    expect_failure(box, "no answer for 120 s")
    for route in held:
        route.abort()


def test_endless_query_is_ended(box: Box):
    endless = "def load(index): pass\ndef query(files):\n    while True: pass\n"
    box.page.clock.install()
    box.page.route(ARCHIVE, lambda route: route.fulfill(body=archive_with(endless)))
    box.open().paste(OUT_OF_MEMORY)
    expect(box.page.get_by_role("status").filter(has_text="Reading the log")).to_be_visible()
    box.page.clock.fast_forward("05:00")
    expect_failure(box, "no answer for 60 s")
    expect_ended(box)
    box.page.unroute(ARCHIVE)
    box.page.get_by_role("button", name="Try again").click()
    expect(box.title.get_by_role("link")).to_be_visible()


def test_error_in_python_is_shown_with_its_report(box: Box):
    broken = "def load(index): pass\ndef query(files): raise RuntimeError('the <i>engine</i> broke')\n"
    box.page.route(ARCHIVE, lambda route: route.fulfill(body=archive_with(broken)))
    box.open().paste(OUT_OF_MEMORY)
    expect_failure(box, "RuntimeError: the <i>engine</i> broke")
    expect(box.answer.locator("details pre")).to_contain_text("Traceback")


def test_stop_ends_the_worker(box: Box):
    endless = "def load(index): pass\ndef query(files):\n    while True: pass\n"
    box.page.route(ARCHIVE, lambda route: route.fulfill(body=archive_with(endless)))
    box.open().paste(OUT_OF_MEMORY)
    expect(box.page.get_by_role("status").filter(has_text="Reading the log")).to_be_visible()
    box.page.get_by_role("button", name="Stop").click()
    expect(box.page.get_by_role("status").filter(has_text="Stopped.")).to_be_visible()
    expect_ended(box)
    expect(box.answer).to_have_count(0)


def test_markup_in_a_log_stays_text(box: Box):
    hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script><b>bold</b> `x`"
    log = OUT_OF_MEMORY.replace("torch.OutOfMemoryError:", f"torch.OutOfMemoryError: {hostile}")
    log += f"{hostile}\nValueError: {hostile} CUDA error: out of memory {hostile}\n"
    box.open()
    box.choose((f"{hostile.replace('/', '')}.log", log.encode())).wait()
    assert "owned" not in box.page.title()
    result = box.page.locator(".fb-triage")
    expect(result.locator("img, script, b")).to_have_count(0)
    expect(result).to_contain_text("<img src=x onerror")


def test_empty_box_asks_for_a_log(box: Box):
    box.open().page.get_by_role("button", name="Diagnose").click()
    expect(box.page.get_by_role("status").filter(has_text="Paste a log or choose files first.")).to_be_visible()
    expect(box.text).to_be_focused()
