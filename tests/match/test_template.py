"""Templates: what holes take, what is refused, and that hostile text costs linear work."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultbook.match.template import HOLES, SignatureError, parse_template, to_grep, to_regex

FOUND = [
    ("Tried to allocate {n:size}.", "Tried to allocate 1.50 GiB.", {"n": 1610612736}),
    ("Tried to allocate {n:size}.", "Tried to allocate 512.00 MiB. GPU 0", {"n": 536870912}),
    ("needs {n:size} more", "it needs 67108864 bytes more", {"n": 67108864}),
    ("anon-rss:{n:size},", "anon-rss:1024kB,", {"n": 1048576}),
    ("exit code {n:int}", "exit code -9", {"n": -9}),
    ("loss is {x:number} now", "loss is 1.5e-3 now", {"x": 0.0015}),
    ("loss is {x:number} now", "loss is 12 now", {"x": 12}),
    ("address {x:hex} end", "address 0x7f00 end", {"x": "0x7f00"}),
    ("file <{p:path}> missing", "file </tmp/a-b.pt> missing", {"p": "/tmp/a-b.pt"}),
    ("type {t:ident} found", "type torch.nn.Linear found", {"t": "torch.nn.Linear"}),
    ("for {q:quoted} only", "for 'a b' only", {"q": "'a b'"}),
    ("Tensor on device {a:device} is", "Tensor on device cuda:0 is", {"a": "cuda:0"}),
    ("after {t:duration} gave", "after 600000 milliseconds gave", {"t": 600000}),
    ("waiting {t:duration} for", "Timed out waiting 5000ms for send", {"t": 5000}),
    ("waiting {t:duration} for", "waiting 2 minutes for", {"t": 120000}),
    ("name {w:word}, failed", "name a,b, failed", {"w": "a,b"}),
    ("begin {:text} finish {n:int}", "begin what ever finish 7", {"n": 7}),
    ("ends with {rest:text}", "it ends with all of this", {"rest": "all of this"}),
    ("a literal {{brace}} here", "a literal {brace} here", {}),
    ("white space between", "white  space\n\tbetween", {}),
]


@pytest.mark.parametrize(("source", "text", "captured"), FOUND)
def test_found(source, text, captured):
    assert parse_template(source).search(text) == captured


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Tried to allocate {n:size}.", "Tried to allocate a lot."),
        ("Tried to allocate {n:size}.", "tried to allocate 1.50 GiB."),
        ("exit code {n:int} of", "exit code nine of"),
        ("device {a:device} is", "device tpu:0 is"),
        ("white space between", "whitespace between"),
        ("file ended", "file en ded"),
    ],
)
def test_not_found(source, text):
    assert parse_template(source).search(text) is None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("lone { brace", "column 6"),
        ("lone } brace", "column 6"),
        ("{n:bytes} allocated", "no hole type 'bytes'"),
        ("{n:int} of {n:int} allocated", "twice"),
        ("was {a:text}{b:text} allocated", "nothing tells where"),
        ("{a:int} of {b:int}", "no word of 4"),
        ("", "no word of 4"),
        ("{:text} then failed", "cannot start with"),
    ],
)
def test_refused(source, said):
    with pytest.raises(SignatureError, match=re.escape(said)):
        parse_template(source)


def test_needle_and_word_are_in_every_text_that_is_found():
    template = parse_template("CUDA out of memory. Tried to allocate {n:size}. GPU")
    text = "x CUDA out  of memory. Tried to\n allocate 1.00 MiB. GPU 0"
    assert template.search(text)
    assert template.needle in text
    assert template.word in text.split()


def test_a_word_at_the_edge_of_a_literal_is_no_whole_word():
    assert parse_template("prefix{n:int}suffix").word is None
    assert parse_template("total capacty of {n:size}").word == "capacty"


@pytest.mark.parametrize(("source", "text", "captured"), FOUND)
def test_plain_regex_and_grep_find_what_the_template_finds(source, text, captured):
    assert re.search(to_regex(source), text)
    if "\n" not in text and shutil.which("grep"):
        assert (
            subprocess.run(["grep", "-E", "-q", "--", to_grep(source)], input=text.encode(), check=False).returncode
            == 0
        )


HOSTILE = [
    "CUDA out of memory. Tried to allocate " * 20_000,
    "a" * 1_000_000,
    "begin " * 100_000,
    "begin " + "finish " * 100_000,
    " " * 1_000_000,
    ("begin" + " " * 70) * 10_000,
    "'" * 300_000,
    "1" * 1_000_000,
    "begin " + "a" * 1_000_000,
    "finish " + "1" * 1_000_000,
]
SOURCES = [
    "begin {a:text} finish {b:text} middle {c:text} ending",
    "CUDA out of memory. Tried to allocate {n:size}. GPU {d:int} has {:text} capacity",
    "{a:word} begin {b:quoted} then",
    "{n:number}{s:ident} begin finish",
]


def repeats(pattern):
    """The upper bound of every repeat in a parsed pattern."""
    if isinstance(pattern, tuple) and len(pattern) == 2 and str(pattern[0]).endswith("_REPEAT"):
        yield pattern[1][1]
    if isinstance(pattern, list | tuple | re._parser.SubPattern):
        for part in pattern:
            yield from repeats(part)


@pytest.mark.parametrize("source", SOURCES)
def test_work_at_one_place_is_bounded(source):
    """No repeat is open, and what a literal closed is never tried again: the work is linear in the text."""
    pattern = parse_template(source)._regex.pattern
    assert max(repeats(re._parser.parse(pattern))) <= 400
    assert pattern.count("(?>") == sum(isinstance(part, str) for part in parse_template(source).parts)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:10].strip() or "blank")
@pytest.mark.parametrize("source", SOURCES)
def test_hostile_text_ends(source, text):
    """A pattern that backtracked would not end within the limit; each of these takes well under a second."""
    assert parse_template(source).search(text) is None


@given(st.text(max_size=200))
def test_any_source_parses_or_is_refused(source):
    try:
        template = parse_template(source)
    except SignatureError:
        return
    template.search(source)


@given(st.lists(st.sampled_from([*HOLES, "between", "x y", " "]), max_size=8), st.text(max_size=80))
def test_any_mixture_of_holes_searches_any_text(pieces, text):
    source = "literal " + "".join(f"{{:{piece}}}" if piece in HOLES else f" {piece} " for piece in pieces)
    try:
        template = parse_template(source)
    except SignatureError:
        return
    assert template.search(text) is None or template.needle in text
