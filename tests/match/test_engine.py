"""Order, verdict and evidence: decided by clauses and declared relations, never by the order of entries."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexes import entry, index, message

from faultbook.match.engine import triage
from faultbook.match.index import FORMAT, SignatureIndex, load_index

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def diagnose(log, *entries):
    return triage([("log", log.encode())], index(*entries))


def ids(diagnosis):
    return [finding.id for finding in diagnosis.findings]


def test_a_match_shows_the_line_the_reason_and_the_fix():
    it = diagnose(f"fine\n{OOM}\n", entry("oom", {"all": [{"message": "CUDA out of memory.", "note": "because"}]}))
    assert (it.verdict, ids(it)) == ("match", ["oom"])
    (line,) = it.findings[0].evidence
    assert (line.file, line.line, line.text, line.why) == ("log", 2, OOM, "because")
    assert it.findings[0].fix["command"] == "true"


def test_verdicts_without_a_match():
    known = entry("oom", message("CUDA out of memory."))
    assert diagnose("step 1\nstep 2\n", known).verdict == "clean"
    unknown = diagnose("[rank2]: ValueError: something new\n", known)
    assert unknown.verdict == "unknown"
    assert (unknown.initiating.rank, unknown.initiating.what) == (2, "ValueError: something new")
    assert triage([], index(known)).verdict == "clean"


def test_the_refining_entry_leads_whatever_the_order_and_the_strength():
    entries = [
        entry("general", message("CUDA out of memory.", strength="decisive")),
        entry("special", message("Tried to allocate {n:size}", strength="strong"), refines=["general"]),
        entry("finest", message("allocate 2.00 GiB", strength="strong"), refines=["special"]),
    ]
    for order in itertools.permutations(entries):
        it = diagnose(OOM, *order)
        assert ids(it) == ["finest", "special", "general"]
        assert it.verdict == "match"


def test_what_a_failure_leads_to_comes_after_it():
    cause = entry("cause", message("CUDA out of memory."), leads_to=["effect"])
    effect = entry("effect", message("peer is gone", strength="decisive"))
    it = diagnose(f"{OOM}\nRuntimeError: peer is gone\n", effect, cause)
    assert ids(it) == ["cause", "effect"]
    assert [(line.line, line.what) for line in it.collateral] == [(2, "RuntimeError: peer is gone")]


def test_a_cycle_of_relations_ends():
    one = entry("one", message("CUDA out of memory."), refines=["two"])
    two = entry("two", message("CUDA out of memory."), refines=["one"])
    assert sorted(ids(diagnose(OOM, one, two))) == ["one", "two"]


def test_suggestive_evidence_is_ambiguous_and_asks_the_entry_s_own_question():
    sibling = {"id": "other", "question": "Is it?", "command": "look", "yes": "other"}
    it = diagnose(
        OOM,
        entry("this", message("CUDA out of memory.", strength="suggestive"), confused_with=[sibling]),
        entry("other", message("never said")),
    )
    assert it.verdict == "ambiguous"
    (question,) = it.settle
    assert (question.question, question.command, question.if_yes, question.if_no) == ("Is it?", "look", "other", "this")


def test_two_unrelated_claims_to_one_line_are_ambiguous_two_lines_are_not():
    one, two = entry("one", message("CUDA out of memory.")), entry("two", message("Tried to allocate {n:size}"))
    assert diagnose(OOM, one, two).verdict == "ambiguous"
    apart = entry("two", message("disk is full"))
    assert diagnose(f"{OOM}\nOSError: disk is full\n", one, apart).verdict == "match"


def test_none_vetoes_and_against_lowers_and_is_shown():
    veto = entry("veto", {"all": [{"message": "CUDA out of memory."}], "none": [{"message": "allocate 2.00 GiB"}]})
    doubt = entry("doubt", {"all": [{"message": "CUDA out of memory."}], "against": [{"message": "allocate 2.00 GiB"}]})
    sure = entry("sure", message("CUDA out of memory."))
    it = diagnose(OOM, veto, doubt, sure)
    assert ids(it) == ["sure", "doubt"]
    assert it.findings[1].confidence < it.findings[0].confidence
    assert [line.line for line in it.findings[1].against] == [1]


def test_any_needs_one_clause():
    it = entry("e", {"any": [{"message": "never said"}, {"message": "CUDA out of memory."}]})
    assert ids(diagnose(OOM, it)) == ["e"]
    assert ids(diagnose("all fine", it)) == []


@pytest.mark.parametrize(("other", "found"), [("[rank1]: ", ["e"]), ("[rank0]: ", []), ("", [])])
def test_disjoint_ranks(other, found):
    both = entry(
        "e", {"all": [{"message": "CUDA out of memory."}, {"message": "gave up waiting"}], "ranks": "disjoint"}
    )
    assert ids(diagnose(f"[rank0]: {OOM}\n{other}RuntimeError: gave up waiting\n", both)) == found


def test_facts_are_the_captured_numbers_of_the_leading_entry():
    it = diagnose(OOM, entry("e", {"all": [{"event": "memory-report", "where": ["requested > 1 GiB"]}]}))
    assert it.facts["requested"] == 2 << 30


def test_an_index_of_another_format_is_refused():
    with pytest.raises(ValueError, match=f"format {FORMAT + 1}"):
        load_index(f'{{"format": {FORMAT + 1}, "entries": []}}')
    with pytest.raises(ValueError, match="no signature index"):
        load_index("[]")


def test_a_long_log_is_read_around_its_failures_and_says_so(monkeypatch):
    monkeypatch.setattr("faultbook.match.sources.WHOLE", 10_000)
    known = entry("oom", message("CUDA out of memory."), message("a line of our own"))
    log = "healthy line of a long log\n" * 5_000 + OOM + "\n" + "healthy line of a long log\n" * 5_000
    whole, chunks = log.encode(), (log.encode()[at : at + 777] for at in range(0, len(log), 777))
    for data in (whole, chunks):
        it = triage([("log", data)], index(known))
        assert [line.line for line in it.findings[0].evidence] == [5001]
        assert any("read in full only around" in note for note in it.notes)
    assert ids(triage([("log", ("x\n" * 9_000 + "a line of our own\n").encode())], index(known))) == ["oom"]


def test_records_between_the_first_and_the_last_are_left_out_with_a_note(monkeypatch):
    monkeypatch.setattr("faultbook.match.sources.RECORDS", 10)
    log = "".join(f"line {n} is there\n" for n in range(100))
    it = diagnose(log, entry("e", message("line {n:int} is there")))
    assert any("80 lines between line 10 and 91 were not judged" in note for note in it.notes)


def test_archives_are_opened():
    import gzip

    it = triage([("log.gz", gzip.compress(OOM.encode()))], index(entry("oom", message("CUDA out of memory."))))
    assert ids(it) == ["oom"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=400), max_size=3))
def test_any_bytes_are_diagnosed(blobs):
    it = triage([(f"f{n}", blob) for n, blob in enumerate(blobs)], index(entry("oom", message("CUDA out of memory."))))
    assert it.verdict in ("match", "ambiguous", "unknown", "clean")


def test_an_empty_index_knows_nothing():
    assert triage([("log", OOM.encode())], SignatureIndex()).verdict == "unknown"
