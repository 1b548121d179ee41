"""From opening the page to the first diagnosis, against the least that Python in a page costs: loading Pyodide
as it comes from npm and computing 1 + 1. Both from this machine, so the download counts little."""

from __future__ import annotations

import functools
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from chromium import FLAGS, MISSING, find_chromium  # noqa: E402

PATIENCE_MS = 120_000
LOG = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
    "15.77 GiB of which 1.02 GiB is free."
)
PAGE = """<!doctype html><title>bare</title><script type="module">
import { loadPyodide } from "./%(folder)s/pyodide.mjs";
const python = await loadPyodide({ indexURL: new URL("./%(folder)s/", location.href).href });
document.title = String(python.runPython("1 + 1"));
</script>"""


def measure(rounds: int = 5) -> Iterator[str]:
    ways = {
        "first diagnosis": functools.partial(_diagnose, path="site/"),
        "npm's Pyodide, 1 + 1": functools.partial(_bare, path="npm.html"),
        "our runtime, 1 + 1": functools.partial(_bare, path="ours.html"),
    }
    with tempfile.TemporaryDirectory() as folder, _served(_lay_out(Path(folder))) as address, _chromium() as chromium:
        # In turn, so that other work on the machine disturbs all alike.
        times = [[_timed(chromium, address, way) for way in ways.values()] for _ in range(rounds)]
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    ours, *bare = medians
    for name, seconds in zip(list(ways)[1:], bare, strict=True):
        yield f"page to first diagnosis {ours:.2f} s, {name} {seconds:.2f} s, ratio {ours / seconds:.2f}"


def _lay_out(folder: Path) -> Path:
    environment = {"cwd": ROOT, "check": True}
    subprocess.run(["node", "theme/matcher/build-runtime.mjs"], stdout=subprocess.DEVNULL, **environment)
    site = ["-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder / "site")]
    subprocess.run([sys.executable, *site], stderr=subprocess.DEVNULL, **environment)
    (folder / "npm").symlink_to(ROOT / "theme/matcher/node_modules/pyodide")
    (folder / "ours").symlink_to(ROOT / "build/runtime")
    for name in ("npm", "ours"):
        (folder / f"{name}.html").write_text(PAGE % {"folder": name})
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    def guess_type(self, path) -> str:
        types = {".mjs": "text/javascript", ".wasm": "application/wasm"}
        return types.get(Path(path).suffix) or super().guess_type(path)

    def log_message(self, *args) -> None:
        pass


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@contextmanager
def _chromium() -> Iterator[Browser]:
    path = find_chromium()
    if not path:
        sys.exit(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def _timed(browser: Browser, address: str, way: Callable[[Page, str], None]) -> float:
    """Seconds in a context of its own: nothing is in its cache."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    started = time.perf_counter()
    way(page, address)
    took = time.perf_counter() - started
    context.close()
    return took


def _diagnose(page: Page, address: str, *, path: str) -> None:
    page.goto(address + path, wait_until="commit")
    page.get_by_role("textbox", name="Log", exact=True).fill(LOG)
    page.get_by_role("button", name="Diagnose").click()
    page.locator(".fbt-answer .fbt-title a").wait_for()


def _bare(page: Page, address: str, *, path: str) -> None:
    page.goto(address + path, wait_until="commit")
    page.wait_for_function("() => document.title === '2'")


if __name__ == "__main__":
    for row in measure():
        print(row)
