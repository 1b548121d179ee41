"""The questions that an ambiguous log leaves open, and what the reader's answers to them change.

An answer is evidence by the reader. It moves a candidate to the front or takes it away; it never adds to what the
log shows, and the answer given stays visible in the diagnosis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .condition import parse_condition
from .frozen import replace
from .index import SignatureIndex
from .types import Diagnosis, Event, Finding, Reply, Settle

QUESTIONS = 4
ANSWERS = ("yes", "no")


def questions(findings: Sequence[Finding], index: SignatureIndex, events: Sequence[Event] = ()) -> tuple[Settle, ...]:
    """Questions between the candidates first, then those that tell the leading one from others, each once.

    What the log's own memory reports answer is not asked.
    """
    chosen: dict[tuple[str, ...], Settle] = {}
    for id, row in _rows([finding.id for finding in findings], index):
        if _is_answered(row, events):
            continue
        key = tuple(sorted((id, row.get("id") or row["name"])))
        if key not in chosen and all(row["question"] != other.question for other in chosen.values()):
            chosen[key] = _question(id, row)
    return tuple(chosen.values())[:QUESTIONS]


def _rows(ids: Sequence[str], index: SignatureIndex) -> Iterator[tuple[str, Mapping]]:
    asked = [(id, row) for id in ids for row in index.entries[id]["confused_with"]]
    yield from ((id, row) for id, row in asked if row.get("id") in ids)
    yield from ((id, row) for id, row in asked if id == ids[0] and row.get("id"))
    yield from ((id, row) for id, row in asked if id == ids[0] and not row.get("id"))


def _is_answered(row: Mapping, events: Sequence[Event]) -> bool:
    """Whether every memory report has the facts that settle the question, so that the signatures have used them."""
    needed = frozenset().union(*(parse_condition(one).names for one in row.get("answered_by", ())))
    reports = [event for event in events if event.kind == "memory-report" and event.failure]
    return bool(needed and reports) and all(needed <= event.fields.keys() for event in reports)


def _question(id: str, row: Mapping) -> Settle:
    other = row.get("id") or ""
    yes, no = (id, other) if row["yes"] == "this" else (other, id)
    key = f"{id}/{other or _slug(row['name'])}"
    return Settle(key, row["question"], row["command"], yes, no, row.get("name") or "")


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())[:60]


def narrow(diagnosis: Diagnosis, answers: Mapping[str, str], index: SignatureIndex) -> Diagnosis:
    """The diagnosis after the reader's `answers` (question key to yes or no); other keys and answers change nothing.

    The side that an answer speaks for leads, the other side is taken out. `match` comes of it only where the log
    itself holds for what leads and no question about it is open.
    """
    for question in diagnosis.settle:
        if (answer := answers.get(question.key)) in ANSWERS and question in diagnosis.settle:
            diagnosis = _answered(diagnosis, question, answer, index)
    return diagnosis


def _answered(it: Diagnosis, question: Settle, answer: str, index: SignatureIndex) -> Diagnosis:
    kept, dropped = (question.if_yes, question.if_no) if answer == "yes" else (question.if_no, question.if_yes)
    left = [finding for finding in it.findings if finding.id != dropped]
    if kept and kept not in [finding.id for finding in left]:
        left.insert(0, _by_reader(index.entries[kept], answer, question))
    left.sort(key=lambda finding: finding.id != kept)  # stable: the others keep their order
    gone = dropped or None  # a side without an entry takes no other question along
    open_ = tuple(one for one in it.settle if one is not question and gone not in (one.if_yes, one.if_no))
    reply = Reply(question.key, question.question, answer)
    notes = it.notes if kept else (*it.notes, f"what your answer leads to has no entry: {question.name}")
    verdict = _verdict(left, open_)
    return replace(it, verdict=verdict, findings=tuple(left), settle=open_, replies=(*it.replies, reply), notes=notes)


def _by_reader(entry: Mapping, answer: str, question: Settle) -> Finding:
    """An entry that the log did not bring up: nothing but the reader's word speaks for it."""
    return Finding(
        id=entry["id"], title=entry["title"], category=entry["category"], severity=entry["severity"],
        confidence=0.05, signature="", strength="reader", url=entry["url"], fix=entry["fix"],
        says=f"You answered {answer} to: {question.question} The log itself does not show this entry's signature.",
    )  # fmt: skip


def _verdict(left: Sequence[Finding], open_: Sequence[Settle]) -> str:
    if not left:
        return "unknown"
    asked = any(left[0].id in (one.if_yes, one.if_no) for one in open_)
    return "ambiguous" if asked or not left[0].evidence else "match"
