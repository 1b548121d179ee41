"""A log of 10 MB in the page against the same call in CPython, and how long the page's own thread was ever busy."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from browser import PATIENCE_MS, _chromium, _lay_out, _served
from triage import progress, prose, seconds, write_log

SIZE = 10_000_000
# The page's own clock: from the moment it is given the file to the moment the answer stands there. And the longest
# task over 50 ms, as the browser itself reports them.
WATCH = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask" });
  const root = document.querySelector(".fb-triage");
  root.addEventListener("change", () => { window.started = performance.now(); window.took = null; }, true);
  new MutationObserver(() => {
    if (window.took === null && root.querySelector(".fbt-answer")) window.took = performance.now() - window.started;
  }).observe(root, { childList: true, subtree: true });
}"""


def measure(rounds: int = 3) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        logs = {"alike": Path(folder) / "alike.log", "unlike": Path(folder) / "unlike.log"}
        write_log(logs["alike"], SIZE, progress)
        write_log(logs["unlike"], SIZE, prose)
        root = Path(folder) / "site"
        root.mkdir()
        with _served(_lay_out(root)) as address, _chromium() as chromium:
            page = chromium.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(address + "site/")
            page.get_by_role("textbox", name="Log", exact=True).click()
            page.get_by_role("status").filter(has_text="Ready.").wait_for()
            page.evaluate(WATCH)
            for name, log in logs.items():
                pairs = [(_in_page(page, log), _in_python(log)) for _ in range(rounds)]
                ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
                yield (f"10 MB of lines {name}: in the page {ours:.2f} s, in CPython {bare:.2f} s, "
                       f"ratio {ours / bare:.2f}")  # fmt: skip
            longest = page.evaluate("window.longest")
    yield f"longest task of the page's own thread: {longest:.0f} ms" + ("" if longest else " (none over 50 ms)")


def _in_page(page, log: Path) -> float:
    """Seconds."""
    page.locator(".fb-triage input[type=file]").set_input_files(log)
    page.locator(".fbt-answer .fbt-title a").wait_for()
    page.get_by_role("button", name="Another log").click()
    return page.evaluate("window.took") / 1000


def _in_python(log: Path) -> float:
    from faultbook.bundle import INDEX, read_bundle
    from faultbook.match import bridge

    bridge.load(read_bundle(INDEX))
    return seconds(lambda: bridge.query([(log.name, log.read_bytes())]))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    for row in measure():
        print(row)
