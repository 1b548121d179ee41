"""Questions that an ambiguous log leaves open, and what answers to them change."""

from indexes import entry, index, message

from faultbook.match.engine import triage
from faultbook.match.settle import narrow

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
WEAK = message("CUDA out of memory.", strength="suggestive")


def row(other, question, yes="other", **more):
    return {
        **({"name": other} if " " in other else {"id": other}),
        "question": question,
        "command": "",
        "yes": yes,
        **more,
    }


def settled(*entries, **answers):
    it = index(*entries)
    diagnosis = triage([("log", OOM.encode())], it)
    return narrow(diagnosis, {key.replace("__", "/"): answer for key, answer in answers.items()}, it)


ASKS = [
    entry("this", WEAK, confused_with=[row("other", "First?"), row("A driver bug", "Second?")]),
    entry("other", message("never said")),
]


def test_rows_without_an_entry_ask_too():
    assert [(one.key, one.name) for one in settled(*ASKS).settle] == [
        ("this/other", ""),
        ("this/a-driver-bug", "A driver bug"),
    ]


def test_a_question_that_two_entries_ask_is_asked_once():
    both = [
        entry("this", WEAK, confused_with=[row("other", "Is it?")]),
        entry("other", WEAK, confused_with=[row("this", "Is it not?")]),
    ]
    assert [one.question for one in settled(*both).settle] == ["Is it not?"]


def test_match_only_once_every_question_is_answered_for_it():
    one = settled(*ASKS, **{"this__other": "no"})
    assert (one.verdict, [finding.id for finding in one.findings]) == ("ambiguous", ["this"])
    both = settled(*ASKS, **{"this__other": "no", "this__a-driver-bug": "no"})
    assert (both.verdict, [reply.answer for reply in both.replies]) == ("match", ["no", "no"])


def test_an_entry_that_only_the_reader_speaks_for_is_no_match():
    it = settled(*ASKS, **{"this__other": "yes"})
    lead = it.findings[0]
    assert (lead.id, lead.strength, lead.evidence, it.verdict) == ("other", "reader", (), "ambiguous")
    assert "First?" in lead.says


def test_what_has_no_entry_leaves_the_failure_unknown():
    it = settled(*ASKS, **{"this__a-driver-bug": "yes"})
    assert (it.verdict, it.findings) == ("unknown", ())
    assert "A driver bug" in it.notes[-1]


def test_other_keys_and_answers_change_nothing():
    assert settled(*ASKS, **{"nobody": "yes", "this__other": "perhaps"}) == settled(*ASKS)


def test_what_the_reports_numbers_answer_is_not_asked():
    full = OOM.replace("2.00 GiB.", "2.00 GiB (GPU 0; 8.00 GiB total capacity; 7.00 GiB already allocated; "
                       "0 bytes free; 7.50 GiB reserved in total by PyTorch)")  # fmt: skip
    asks = row("other", "Is the gap large enough?", answered_by=["unallocated >= requested"])
    it = index(entry("this", WEAK, confused_with=[asks, row("A driver bug", "Second?")]), ASKS[1])
    asked = {log: [one.question for one in triage([("log", log.encode())], it).settle] for log in (OOM, full)}
    assert asked == {OOM: ["Is the gap large enough?", "Second?"], full: ["Second?"]}
