"""Shared by all tests. That it is here also puts this folder on the import path (`projects`, `chromium`)."""

import pytest
from chromium import FLAGS, MISSING, find_chromium


@pytest.fixture(scope="session")
def browser():
    """The one browser of the run: a second Playwright in the same process would refuse to start."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if not path:
        pytest.fail(MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()
