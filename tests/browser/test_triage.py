"""From a log to its entry, through the page, in a real browser."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile

import pytest
from conftest import ROOT, Box
from logs import CLEAN, ONE_RANK_ID, OUT_OF_MEMORY, OUT_OF_MEMORY_ID, UNKNOWN, waiting_rank
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

OWN_PAGE = f"memory/{OUT_OF_MEMORY_ID}/"
PROOFS = sorted((ROOT / "repro").glob("*/*.json"))


def proven() -> list:
    """(id, log) of every proof whose log must lead to its entry."""
    proofs = [(path, json.loads(path.read_text())) for path in PROOFS]
    return [
        pytest.param(proof["entry"], path.with_name(proof["symptom"]["log"]), id=path.stem)
        for path, proof in proofs
        if proof["verdict"] in ("proven", "recorded") and proof["symptom"]["ranked"]
    ]


def test_there_are_recorded_logs():
    assert proven()


@pytest.mark.parametrize(("entry", "log"), proven())
def test_recorded_log_leads_to_its_entry(box: Box, entry, log):
    box.open().choose((log.name, log.read_bytes())).wait()
    assert box.lead == entry
    expect(box.part("What speaks for it").locator("li").first).to_contain_text(f"{log.name}:")


def test_pasted_log_is_diagnosed(box: Box):
    box.open().paste(OUT_OF_MEMORY).wait()
    assert (box.verdict, box.lead) == ("match", OUT_OF_MEMORY_ID)
    evidence = box.part("What speaks for it")
    expect(evidence).to_contain_text("pasted.log:9")
    expect(evidence).to_contain_text("Tried to allocate 12.00 GiB")
    expect(box.answer).to_contain_text("does not by itself confirm the cause")
    expect(box.part("Fix")).not_to_be_empty()


def test_link_opens_the_entry(box: Box):
    box.open().paste(OUT_OF_MEMORY).wait()
    box.title.get_by_role("link").click()
    expect(box.page).to_have_url(re.compile(rf"/{OWN_PAGE}$"))


def python_asked_for(box: Box) -> list[str]:
    return [request.url for request in box.requests if "/runtime/" in request.url]


def test_python_starts_only_when_the_box_is_touched(box: Box):
    box.open()
    box.page.wait_for_load_state("networkidle")
    box.text.focus()  # as Tab on its way to elsewhere
    assert not python_asked_for(box)
    box.text.click()
    expect(box.page.get_by_role("status").filter(has_text="Ready.")).to_be_visible()
    assert python_asked_for(box)


@pytest.mark.parametrize("empty_file", [False, True])
def test_nothing_to_read_is_said_and_downloads_nothing(box: Box, empty_file):
    box.open()
    if empty_file:
        box.choose(("rank0.log", b""))
    else:
        box.page.get_by_role("button", name="Diagnose").click()
    words = "rank0.log: nothing is in there." if empty_file else "Paste a log or choose files first."
    asks = box.page.get_by_role("status").filter(has_text=words)
    expect(asks).to_be_visible()
    expect(asks).to_be_in_viewport()
    box.page.wait_for_load_state("networkidle")
    assert not python_asked_for(box)
    box.paste(OUT_OF_MEMORY).wait()
    assert box.lead == OUT_OF_MEMORY_ID


def test_what_was_read_is_in_words_and_units(box: Box):
    log = next((ROOT / "repro/memory").glob("computation-graph-memory-leak*.cpu.log"))
    box.open().choose((log.name, log.read_bytes())).wait()
    read = box.part("Read from the log")
    expect(read).to_contain_text(re.compile(r"growth a line\s*\d+\.\d\d MiB"))
    expect(read).not_to_contain_text(re.compile(r"monotonic|\d{5}"))


def test_strength_is_in_words_and_why_the_precise_one_leads(box: Box):
    log = next((ROOT / "tests/cases/match/eval-oom-validate-frame").glob("*.[lt][ox][gt]"))
    box.open().choose(("run.log", log.read_bytes())).wait()
    expect(box.part("Other candidates")).to_contain_text("A more precise entry leads a more general one")
    expect(box.answer).not_to_contain_text(re.compile(r"0\.\d\d\)"))


def test_unknown_failure_leads_to_how_an_entry_is_written(box: Box):
    box.open().paste(UNKNOWN).wait()
    box.answer.get_by_role("link", name="How to write an entry").click()
    expect(box.page.get_by_role("heading", level=1)).to_contain_text("Contributing")


@pytest.mark.parametrize(("log", "verdict"), [(UNKNOWN, "unknown failure"), (CLEAN, "no failure found")])
def test_other_verdicts_are_words(box: Box, log, verdict):
    box.open().paste(log).wait()
    assert box.verdict == verdict
    expect(box.title.get_by_role("link")).to_have_count(0)


def test_first_rank_of_several_files(box: Box):
    files = [(f"rank{rank}.log", waiting_rank(rank).encode()) for rank in (0, 1, 3)]
    box.open().choose(*files, ("rank2.log", OUT_OF_MEMORY.encode())).wait()
    assert box.lead == ONE_RANK_ID
    first = box.part("What failed first")
    expect(first).to_contain_text("Rank 2")
    expect(first.locator("li.fbt-rank")).to_have_count(4)
    expect(first.locator("li:not(.fbt-rank)")).to_have_count(3)
    expect(first).to_contain_text("3 failures that followed from it")


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"logs/{name}.log", text)
    return buffer.getvalue()


def test_gzip_and_zip_are_opened(box: Box):
    box.open().choose(("run.log.gz", gzip.compress(OUT_OF_MEMORY.encode()))).wait()
    assert box.lead == OUT_OF_MEMORY_ID
    box.page.get_by_role("button", name="Another log").click()
    expect(box.answer).to_have_count(0)
    box.choose(("logs.zip", zipped(rank0=waiting_rank(0), rank1=OUT_OF_MEMORY))).wait()
    assert box.lead == ONE_RANK_ID
    expect(box.part("What failed first")).to_contain_text("Rank 1")


def test_dropped_file_is_read_wherever_it_lands(box: Box):
    box.open()
    transfer = box.page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "dropped.log"));
            return transfer;
        }""",
        OUT_OF_MEMORY,
    )
    box.page.dispatch_event("footer", "drop", {"dataTransfer": transfer})
    box.wait()
    assert box.lead == OUT_OF_MEMORY_ID
    expect(box.page.get_by_label("Files to read")).to_contain_text("dropped.log")


def test_long_paste_becomes_a_file_and_the_page_stays_alive(box: Box):
    noise = "".join(f"step {step} loss 2.0 lr 3e-4 grad_norm 0.9 tokens/s 18234\n" for step in range(60_000))
    box.open().paste(noise + OUT_OF_MEMORY).wait()
    assert box.lead == OUT_OF_MEMORY_ID
    expect(box.text).to_have_value("")
    expect(box.page.get_by_label("Files to read")).to_contain_text("pasted.log")


def test_entry_page_says_whether_it_is_this_one(box: Box):
    box.open(OWN_PAGE).paste(OUT_OF_MEMORY).wait()
    expect(box.answer).to_contain_text("Yes, it is this page’s entry.")


def test_entry_page_says_that_it_is_another_one(box: Box):
    other = next(entry for entry, _ in (param.values for param in proven()) if entry != OUT_OF_MEMORY_ID)
    box.open(f"memory/{other}/").paste(OUT_OF_MEMORY).wait()
    assert box.lead == OUT_OF_MEMORY_ID
    expect(box.answer.locator(".fbt-own")).to_have_text(re.compile("^(Not|Less likely) this page’s entry"))


def test_reply_to_a_question_leads_to_another_entry(box: Box):
    case = ROOT / "tests/cases/match/eval-oom-validate-frame"
    box.open().choose(("run.log", next(case.glob("*.[lt][ox][gt]")).read_bytes())).wait()
    assert (box.verdict, box.lead) == ("not settled", "evaluation-loop-oom-due-to-missing-torch-no-grad")
    box.part("What would settle it").locator("li").first.get_by_role("button", name="No").click()
    expect(box.title.get_by_role("link")).to_have_attribute("href", re.compile(f"/{OUT_OF_MEMORY_ID}/$"))
    assert box.verdict.endswith("by you")
    expect(box.title).to_be_focused()
    expect(box.answer.locator("header")).to_contain_text("No: ")
    box.page.get_by_role("button", name="Copy as Markdown").click()
    expect(box.page.get_by_role("button", name="Copied")).to_be_visible()
    assert "Answered by the reader" in box.page.evaluate("() => navigator.clipboard.readText()")
    box.page.get_by_role("button", name="Take it back").click()
    expect(box.answer.locator(".fbt-verdict")).to_have_text(re.compile("not settled", re.IGNORECASE))


def test_each_answer_says_where_it_leads(box: Box):
    case = ROOT / "tests/cases/match/eval-oom-validate-frame"
    box.open().choose(("run.log", next(case.glob("*.[lt][ox][gt]")).read_bytes())).wait()
    questions = box.part("What would settle it").locator(".fbt-questions > li").all()
    assert questions
    for question in questions:
        assert len([text for text in question.locator(".fbt-aside").all_inner_texts() if text.strip()]) == 2


def test_the_reports_numbers_are_judged(box: Box):
    box.open().paste(OUT_OF_MEMORY).wait()
    numbers = box.part("What the report’s own numbers say")
    expect(numbers).to_contain_text("More was asked for than can be had.")
    expect(numbers).to_contain_text("12.00 GiB were asked for")


def test_related_entries_are_no_match(box: Box):
    case = ROOT / "tests/cases/match/negative-embedding-word-in-another-assert"
    box.open().choose(("run.log", next(case.glob("*.[lt][ox][gt]")).read_bytes())).wait()
    assert box.verdict == "unknown failure"
    near = box.part("Not a match, but related")
    expect(near).to_contain_text("None of these matches.")
    expect(near.get_by_role("link").first).to_have_attribute("href", re.compile(r"/memory/[a-z0-9-]+/$"))


def test_ranks_are_drawn_with_the_first_one_marked(box: Box):
    ranks = [(f"rank{rank}.log", waiting_rank(rank).encode()) for rank in (0, 1, 3)]
    box.open().choose(*ranks, ("rank2.log", OUT_OF_MEMORY.encode())).wait()
    rows = box.answer.locator(".fbt-ranks > li")
    expect(rows).to_have_count(4)
    expect(rows.nth(2)).to_contain_text("failed first")
    expect(rows.nth(2).locator(".fbt-mark--first")).to_be_visible()
    expect(rows.nth(0)).to_contain_text("failed after it")
    box.answer.get_by_text("Their times and lines").click()
    expect(box.answer.get_by_role("table")).to_contain_text("rank2.log:9")


def test_answer_is_copied_as_markdown(box: Box):
    box.open().paste(OUT_OF_MEMORY).wait()
    box.page.get_by_role("button", name="Copy as Markdown").click()
    expect(box.page.get_by_role("button", name="Copied")).to_be_visible()
    copied = box.page.evaluate("() => navigator.clipboard.readText()")
    assert OUT_OF_MEMORY_ID in copied
    assert "pasted.log:9" in copied


def test_sample_is_diagnosed(box: Box):
    box.open().page.get_by_role("button", name="Try a recorded log").click()
    box.wait()
    assert box.verdict in ("match", "not settled")
