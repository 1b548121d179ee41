"""Find the browser the site is tested in. Run as a script it says what to install if there is none."""

from __future__ import annotations

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
MISSING = (
    "The browser tests need Chromium or Chrome, and none was found.\n"
    "  Debian, Ubuntu:  apt-get install -y chromium\n"
    "  elsewhere:       set CHROMIUM=/path/to/the/browser"
)


def find_chromium() -> str | None:
    """Path of the browser: $CHROMIUM, else the first known name on the PATH."""
    return os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)


if __name__ == "__main__":
    if not find_chromium():
        sys.exit(MISSING)
