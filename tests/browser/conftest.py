"""One built site, one browser, a fresh page a test. Everything is on the loopback interface."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Worker, expect

ROOT = Path(__file__).parents[2]
# Two busy cores: a cold start of Python in the page has been seen to take 6 s.
PATIENCE_MS = 90_000
expect.set_options(timeout=PATIENCE_MS)


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder; says nothing, and does not mind a browser that hangs up."""

    def guess_type(self, path) -> str:
        # Python 3.11 knows neither on every system, and a browser runs no module of another type.
        types = {".mjs": "text/javascript", ".wasm": "application/wasm"}
        return types.get(Path(path).suffix) or super().guess_type(path)

    def log_message(self, *args) -> None:
        pass

    def copyfile(self, source, outputfile) -> None:
        try:
            super().copyfile(source, outputfile)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


def serve(handler) -> Iterator[str]:
    """Base address of a server that lives as long as the generator."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def runtime() -> Path:
    """The browser's Python in build/runtime; made here when it is missing or old."""
    subprocess.run(["node", "theme/matcher/build-runtime.mjs"], cwd=ROOT, check=True, timeout=240)
    return ROOT / "build" / "runtime"


@pytest.fixture(scope="session")
def site_folder(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built from the working tree."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=280)
    return folder


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    yield from serve(functools.partial(Handler, directory=str(site_folder)))


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@dataclass
class Box:
    """The triage box of a page, driven as a reader would."""

    page: Page
    site: str
    requests: list[Request] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def open(self, path: str = "") -> Box:
        self.page.on("request", lambda request: self.requests.append(request))
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.goto(self.site + path)
        self.text.wait_for()
        return self

    @property
    def text(self):
        return self.page.get_by_role("textbox", name="Log", exact=True)

    @property
    def answer(self):
        return self.page.locator(".fbt-answer")

    @property
    def verdict(self) -> str:
        return self.answer.locator(".fbt-verdict").inner_text().casefold()

    @property
    def title(self):
        return self.answer.locator(".fbt-title")

    def part(self, name: str):
        return self.answer.locator("section", has=self.page.get_by_role("heading", name=name, exact=True))

    @property
    def workers(self) -> list[Worker]:
        """Ours: the theme's search has one too."""
        self.page.wait_for_timeout(200)  # lets a started or ended worker be noticed
        return [worker for worker in self.page.workers if worker.url.startswith("blob:")]

    def paste(self, text: str) -> Box:
        """Through the clipboard and the keyboard, as everyone does."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.text.focus()
        self.page.keyboard.press("ControlOrMeta+V")
        return self

    def choose(self, *files: tuple[str, bytes]) -> Box:
        payload = [{"name": name, "mimeType": "text/plain", "buffer": data} for name, data in files]
        self.page.locator(".fb-triage input[type=file]").set_input_files(payload)
        return self

    def wait(self) -> Box:
        self.answer.wait_for()
        return self

    @property
    def lead(self) -> str:
        """Id of the entry the answer leads with."""
        return self.title.get_by_role("link").get_attribute("href").rstrip("/").rsplit("/", 1)[-1]


@pytest.fixture
def box(page: Page, site: str) -> Box:
    return Box(page, site)
