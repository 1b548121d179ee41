"""The formulas on an entry's page: answered by the Python of the triage box."""

from __future__ import annotations

import pytest
from conftest import Box
from playwright.sync_api import expect
from test_access import use_palette, violations

pytestmark = pytest.mark.browser

ENTRY = "memory/unable-to-mmap-bytes-from-dev-shm-no-space-left-on-device-torch-multiprocessing/"


def test_other_numbers_give_other_rows(box: Box):
    form = box.open(ENTRY).page.locator(".fb-calculator")
    row = form.locator("tr", has_text="In /dev/shm at most").locator("td")
    before = row.inner_text()
    form.get_by_label("num_workers").fill("100")
    expect(row).not_to_have_text(before)
    expect(row).to_have_text("7.25 GiB")  # (100 * 2 + 2) * 64 * 0.574 MiB
    form.get_by_label("num_workers").fill("")
    expect(form.get_by_role("status")).to_contain_text("num_workers")
    box.paste("RuntimeError: DataLoader worker (pid 16620) is killed by signal: Bus error.").wait()
    assert len(box.workers) == 1  # the same one, in turn


def test_nothing_starts_before_a_number_is_changed(box: Box):
    box.open(ENTRY).page.locator(".fb-calculator input").first.focus()
    assert box.workers == []


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_axe_finds_nothing(box: Box, scheme):
    box.open(ENTRY)
    use_palette(box.page, scheme)
    assert violations(box.page) == []
