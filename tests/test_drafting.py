"""`faultbook new --from-log`: a draft finds its own log again, and holds nothing of the log's owner."""

import re
from pathlib import Path

import projects
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultbook.catalog import load_catalog
from faultbook.drafting import MOST_LINES, Draft, NothingToDraft, draft, template_of
from faultbook.match.engine import triage
from faultbook.match.index import SignatureIndex, from_data
from faultbook.match.signature import STRENGTHS
from faultbook.match.template import parse_template
from faultbook.private import without_private
from faultbook.scaffold import render, write_new
from faultbook.source import parse

CASES = sorted(path.parent for path in (Path(__file__).parent / "cases" / "match").glob("*/case.yaml"))


def sources(case):
    return [(file.name, file.read_bytes()) for file in sorted(case.iterdir()) if file.suffix in (".log", ".txt")]


def index_of(started: Draft):
    """An index that knows nothing but the draft's clause."""
    entry = {
        "id": started.id, "title": started.title, "category": "memory", "severity": "high", "url": "x/", "gist": "x",
        "fix": {}, "confused_with": [], "refines": [], "leads_to": [],
        "signatures": [{"id": "draft", "strength": next(iter(STRENGTHS)), "says": "x", "all": [started.clause]}],
    }  # fmt: skip
    return from_data({"entries": [entry]})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_draft_matches_its_example_and_the_log_it_came_from(case):
    if triage(sources(case), SignatureIndex()).initiating is None:
        with pytest.raises(NothingToDraft, match="no failure is seen"):
            draft(sources(case))
        return
    started = draft(sources(case))
    for log in ([("example", started.excerpt.encode())], sources(case)):
        assert [finding.id for finding in triage(log, index_of(started)).findings] == [started.id]
    assert len(started.excerpt.splitlines()) <= MOST_LINES
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", started.id)
    assert len(started.title) <= 140 and not set("<>\n") & set(started.title)


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("Tried to allocate 3.91 GiB on cuda:2", "Tried to allocate {:size} on {:device}"),
        ("failed after 600000ms, exit code -9", "failed after {:duration}, exit code {:int}"),
        ("tasks 0-7: Terminated", "tasks {:int}-{:int}: Terminated"),
        ("loss became 1.5e-07 at 0xdeadbeef", "loss became {:number} at {:hex}"),
        ("cannot open '/data/a b.bin': No such file", "cannot open {:quoted}: No such file"),
        ("cannot read /data/run/shard-3.bin: truncated", "cannot read {:path}: truncated"),
        ("a.cu:92: kernel: Assertion `i >= 0` failed.", "a.cu:{:int}: kernel: Assertion `i >= 0` failed."),
        ("/build/x/a.cu:92: kernel: Assertion `i >= 0` failed.", "kernel: Assertion `i >= 0` failed."),
        ("unexpected {key} in layer4.weight", "unexpected {{key}} in layer4.weight"),
        ("12", None),
        ("", None),
    ],
)
def test_what_varies_becomes_a_hole(message, template):
    assert template_of(message) == template


@given(st.text(max_size=400))
def test_a_template_finds_the_message_it_was_made_of(message):
    source = template_of(message)
    assert source is None or parse_template(source).search(" ".join(message.split())) is not None


def test_private_data_is_replaced(tmp_path):
    log = (
        "Traceback (most recent call last):\n"
        '  File "/home/jane.doe/run/train.py", line 3, in main\n'
        "    connect(token=TOKEN)\n"
        "ValueError: login of jane@corp.example.org at 10.31.4.7 with hf_AbCdEfGhIjKlMnOpQrSt failed\n"
    )
    started = draft([("run.log", log.encode())])
    whole = "".join(render(started.id, started.title, "memory", "cpu", "2026-12-01", started).values())
    assert not re.search(r"jane|corp|10\.31|AbCd", whole)
    assert "/home/user/run/train.py" in started.excerpt


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (r"C:\Users\jane\x.py", r"C:\Users\user\x.py"),
        ("api_key=abcdef1234567890", "api_key=<secret>"),
        ("https://jane:pw123456@host/x", "https://host/x"),
        ("127.0.0.1:29500", "127.0.0.1:29500"),
        ("torch 2.13.0 tokens: 8192", "torch 2.13.0 tokens: 8192"),
        ("/Users/jane/lib", "/home/user/lib"),
    ],
)
def test_known_forms_of_private_data(text, left):
    assert without_private(text) == left


@given(st.text())
def test_replacing_twice_changes_nothing_more(text):
    once = without_private(text)
    assert without_private(once) == once


def test_check_then_asks_for_the_rest_only(tmp_path):
    projects.good(tmp_path)
    log = b"[rank1]: RuntimeError: gremlin 17 ate {block} '3' of 4.00 GiB: see \xe2\x80\x9cdocs\xe2\x80\x9d #1\n"
    started = draft([("run.log", log)])
    path = tmp_path / write_new(tmp_path, started.id, started.title, "memory", "cpu", started)[0]
    data = parse(path.read_text(encoding="utf-8"), "x")[0].data
    assert data["signatures"][0]["all"] == [started.clause]
    assert data["signatures"][0]["examples"] == [started.excerpt] == [data["messages"][0]["text"]]
    mine = [problem for problem in load_catalog(tmp_path)[1] if started.id in problem.mark.path]
    assert {problem.code for problem in mine} == {"unfilled", "repro-unfilled"}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), min_size=1, max_size=5))
def test_any_failure_gives_yaml_that_reads_back(lines):
    log = "\n".join(
        ["Traceback (most recent call last):", '  File "a.py", line 1, in f', *lines, "OddError: " + lines[0]]
    )
    try:
        started = draft([("log", log.encode())])
    except NothingToDraft:
        return
    text = render(started.id, started.title, "memory", "cpu", "2026-12-01", started)[
        f"entries/memory/{started.id}.yaml"
    ]
    document, problems = parse(text, "x")
    assert problems == []
    assert document.data["signatures"][0]["examples"] == [started.excerpt]
    assert document.data["signatures"][0]["all"] == [started.clause]
