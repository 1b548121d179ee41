"""The log stays in the page: nothing carries it, and the policy would stop what tried."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest
from conftest import Box, serve
from logs import OUT_OF_MEMORY
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

MARKER = "zq7-marker-of-this-log"
LOG = OUT_OF_MEMORY.replace("train.py", f"{MARKER}.py")


@pytest.fixture
def elsewhere():
    """Another origin that lets everybody in, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *args) -> None:
            pass

    servers = serve(Handler)
    yield next(servers), asked
    servers.close()


def test_no_request_leaves_the_site_or_carries_the_log(box: Box):
    box.open().paste(LOG).wait()
    expect(box.part("What speaks for it")).to_be_visible()
    box.page.get_by_role("button", name="Copy as Markdown").click()
    assert box.requests
    foreign = [request.url for request in box.requests if not request.url.startswith((box.site, "blob:", "data:"))]
    assert foreign == []
    assert [request.url for request in box.requests if request.method not in ("GET", "HEAD")] == []
    sent = [f"{request.url} {request.headers} {request.post_data}" for request in box.requests]
    assert [line for line in sent if MARKER in line] == []


def test_nothing_is_stored(box: Box):
    box.open().paste(LOG).wait()
    kept = box.page.evaluate(
        """async () => JSON.stringify([
            {...localStorage}, {...sessionStorage}, document.cookie, location.href,
            await indexedDB.databases(), await caches.keys(),
        ])"""
    )
    assert MARKER not in kept


@pytest.mark.parametrize("place", ["page", "worker"])
def test_policy_blocks_another_origin(box: Box, elsewhere, place):
    address, asked = elsewhere
    box.open().paste(LOG).wait()
    scope = box.page if place == "page" else box.workers[0]
    outcome = scope.evaluate("url => fetch(url).then(() => 'sent', () => 'blocked')", f"{address}?{MARKER}")
    assert outcome == "blocked"
    assert asked == []


def test_policy_blocks_code_from_text_in_the_worker(box: Box):
    box.open().paste(LOG).wait()
    # In a timer: what the debugger itself evaluates is exempt from the policy.
    outcome = box.workers[0].evaluate(
        """() => new Promise(resolve => setTimeout(() => {
            try { resolve(Function("return 1")()); } catch (error) { resolve(error.name); }
        }))"""
    )
    assert outcome == "EvalError"


def test_working_page_breaks_no_policy(box: Box):
    box.open().paste(LOG).wait()
    assert [line for line in box.console if "Content Security Policy" in line] == []
