"""Sources and an index in, a Diagnosis out. Pure: the same bytes always give the same answer.

bytes -> records -> events (reading) -> signatures that hold -> findings in order -> verdict
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from .index import SignatureIndex
from .ranks import collateral_of, initiating_of
from .signature import STRENGTHS, Clause, Hit, Signature
from .sources import Progress, Source, read_sources
from .template import Template
from .types import Collateral, Diagnosis, Event, Evidence, Finding, Record, Settle, Value

SHOWN = 4  # lines shown for one clause
QUESTIONS = 4
_MORE = 0.02  # what each further signature that holds adds
_LESS = 0.15  # what evidence against takes away
_NEAR = 0.05  # two findings as close as this do not settle anything


def triage(sources: Iterable[Source], index: SignatureIndex, progress: Progress = lambda _: None) -> Diagnosis:
    """Diagnose logs given as (name, bytes or iterable of chunks). Several sources are one run.

    Never raises for what is in the logs: what could not be read is said in `notes`. `progress` is called with
    the number of bytes just read, now and then.
    """
    read = read_sources(sources, index.needles, progress)
    log = Log(read.records, read.events)
    found = [held for signature in index.candidates(log.words, log.kinds) if (held := _evaluate(signature, log))]
    findings = _ordered(_findings(found, index), index)
    return _diagnosis(findings, found, log, index, read.notes)


@dataclass(frozen=True)
class Log:
    """What was read, with what is needed to pass over signatures quickly."""

    records: Sequence[Record]
    events: Sequence[Event]

    def texts(self) -> Iterator[str]:
        """All that a template can be searched in."""
        yield from (record.text for record in self.records)
        yield from (event.message for event in self.events)
        yield from (frame.code for event in self.events for frame in event.frames)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.texts())

    @cached_property
    def words(self) -> frozenset[str]:
        # text by text: one list of all words would take many times the log's size
        return frozenset(chain.from_iterable(map(str.split, self.texts())))

    @cached_property
    def kinds(self) -> Mapping[str, Sequence[Event]]:
        groups: dict[str, list[Event]] = {}
        for event in self.events:
            groups.setdefault(event.kind, []).append(event)
        return groups

    def may_hold(self, template: Template) -> bool:
        """False only if the template is certainly nowhere in the log; costs a set look-up where it can."""
        return template.word in self.words if template.word else template.needle in self.text


@dataclass(frozen=True)
class Held:
    """A signature that holds, with the hits of its clauses."""

    signature: Signature
    hits: tuple[tuple[Clause, tuple[Hit, ...]], ...]
    against: tuple[tuple[Clause, tuple[Hit, ...]], ...]

    @property
    def records(self) -> frozenset[tuple[str, int]]:
        return frozenset((hit.record.file, hit.record.line) for _, hits in self.hits for hit in hits)


def _evaluate(signature: Signature, log: Log) -> Held | None:
    if not all(log.may_hold(template) for template in signature.required):
        return None
    needed = [(clause, _hits(clause, log)) for clause in signature.all]
    if not all(hits for _, hits in needed):
        return None
    choice = [(clause, hits) for clause in signature.any if (hits := _hits(clause, log))]
    if (signature.any and not choice) or any(_hits(clause, log) for clause in signature.none):
        return None
    if signature.disjoint_ranks and not _disjoint(hits for _, hits in needed):
        return None
    against = [(clause, hits) for clause in signature.against if (hits := _hits(clause, log))]
    return Held(signature, (*needed, *choice), tuple(against))


def _hits(clause: Clause, log: Log) -> tuple[Hit, ...]:
    if not all(log.may_hold(template) for template in clause.templates):
        return ()
    events = log.kinds.get(clause.event, ()) if clause.event else log.events
    return tuple(clause.hits(log.records, events))


def _disjoint(groups: Iterable[Iterable[Hit]]) -> bool:
    """Whether every group has a known rank and no rank is in two groups."""
    seen: set[int] = set()
    for hits in groups:
        ranks = {hit.rank for hit in hits if hit.rank is not None}
        if not ranks or ranks & seen:
            return False
        seen |= ranks
    return True


def _findings(found: Sequence[Held], index: SignatureIndex) -> list[Finding]:
    groups: dict[str, list[Held]] = {}
    for held in found:
        groups.setdefault(held.signature.entry_id, []).append(held)
    return [_finding(index.entries[id], helds) for id, helds in groups.items()]


def _finding(entry: Mapping, found: Sequence[Held]) -> Finding:
    ordered = sorted(found, key=lambda held: (bool(held.against), -STRENGTHS[held.signature.strength]))
    best = ordered[0].signature
    confidence = STRENGTHS[best.strength] + _MORE * (len(found) - 1) - (_LESS if ordered[0].against else 0)
    return Finding(
        id=entry["id"], title=entry["title"], category=entry["category"], severity=entry["severity"],
        confidence=round(min(max(confidence, 0.05), 0.99), 2), signature=best.id, strength=best.strength,
        says=best.says, url=entry["url"], fix=entry["fix"],
        evidence=_evidence((held.signature, pair) for held in ordered for pair in held.hits),
        against=_evidence((held.signature, pair) for held in ordered for pair in held.against),
    )  # fmt: skip


def _evidence(pairs: Iterable[tuple[Signature, tuple[Clause, tuple[Hit, ...]]]]) -> tuple[Evidence, ...]:
    """The lines to show, each once, in the order of the clauses."""
    lines: dict[tuple[str, int], Evidence] = {}
    for signature, (clause, hits) in pairs:
        for hit in hits[:SHOWN]:
            record = hit.record
            line = Evidence(record.file, record.line, record.text, clause.note or signature.says, hit.rank)
            lines.setdefault((record.file, record.line), line)
    return tuple(lines.values())


def _ordered(findings: Sequence[Finding], index: SignatureIndex) -> tuple[Finding, ...]:
    """Best first: a finding comes before what it refines, then before what it leads to, then by confidence."""
    left = sorted(findings, key=lambda finding: (-finding.confidence, finding.id))
    done: list[Finding] = []
    while left:
        free = [one for one in left if not any(_precedes(other, one, index) for other in left if other is not one)]
        chosen = (free or left)[0]
        done.append(chosen)
        left.remove(chosen)
    return tuple(done)


def _precedes(one: Finding, other: Finding, index: SignatureIndex) -> bool:
    if other.id in index.ancestors.get(one.id, ()):
        return True
    leads = other.id in index.entries[one.id].get("leads_to", ())
    return leads and one.id not in index.ancestors.get(other.id, ())


def _related(one: Finding, other: Finding, index: SignatureIndex) -> bool:
    return _precedes(one, other, index) or _precedes(other, one, index)


def _diagnosis(
    findings: tuple[Finding, ...], found: Sequence[Held], log: Log, index: SignatureIndex, notes: tuple[str, ...]
) -> Diagnosis:
    verdict = _verdict(findings, found, log, index)
    first = initiating_of(log.events)
    return Diagnosis(
        verdict=verdict, findings=findings, initiating=first,
        collateral=_with_effects(collateral_of(log.events, first), findings, index),
        settle=_settle(findings, index) if verdict == "ambiguous" else (),
        facts=_facts(findings, found, log), notes=notes,
    )  # fmt: skip


def _with_effects(
    collateral: tuple[Collateral, ...], findings: Sequence[Finding], index: SignatureIndex
) -> tuple[Collateral, ...]:
    """`collateral`, and the lines of entries that the leading one leads to, as far as it has no claim to them."""
    if not findings:
        return collateral
    effects = index.entries[findings[0].id].get("leads_to", ())
    known = {(line.file, line.line) for line in (*findings[0].evidence, *collateral)}
    lines = (line for finding in findings if finding.id in effects for line in finding.evidence)
    more = (Collateral(it.rank, it.file, it.line, it.text) for it in lines if (it.file, it.line) not in known)
    return (*collateral, *dict.fromkeys(more))


def _verdict(findings: Sequence[Finding], found: Sequence[Held], log: Log, index: SignatureIndex) -> str:
    if not findings:
        return "unknown" if any(event.failure for event in log.events) else "clean"
    if findings[0].strength == "suggestive" or len(_rivals(findings, found, index)) > 1:
        return "ambiguous"
    return "match"


def _rivals(findings: Sequence[Finding], found: Sequence[Held], index: SignatureIndex) -> list[Finding]:
    """The leading finding and those that claim one of its lines with as much confidence."""
    lead = findings[0]
    lines = _lines(lead, found)
    return [lead] + [
        other for other in findings[1:]
        if not _related(lead, other, index)
        and abs(lead.confidence - other.confidence) < _NEAR and lines & _lines(other, found)
    ]  # fmt: skip


def _lines(finding: Finding, found: Sequence[Held]) -> frozenset[tuple[str, int]]:
    return frozenset().union(*(held.records for held in found if held.signature.entry_id == finding.id))


def _settle(findings: Sequence[Finding], index: SignatureIndex) -> tuple[Settle, ...]:
    """Questions between the candidates first, then those that tell the leading one from its siblings."""
    ids = [finding.id for finding in findings]
    asked = [(id, row) for id in ids for row in index.entries[id]["confused_with"]]
    between = [(id, row) for id, row in asked if row["id"] in ids]
    about = [(id, row) for id, row in asked if id == ids[0]]
    chosen: dict[frozenset[str], Settle] = {}
    for id, row in (*between, *about):
        yes, no = (id, row["id"]) if row["yes"] == "this" else (row["id"], id)
        chosen.setdefault(frozenset((id, row["id"])), Settle(row["question"], row["command"], yes, no))
    return tuple(chosen.values())[:QUESTIONS]


def _facts(findings: Sequence[Finding], found: Sequence[Held], log: Log) -> dict[str, Value]:
    """What was read at the leading finding's lines, else at the first failure."""
    facts: dict[str, Value] = {}
    if findings:
        for held in found:
            if held.signature.entry_id == findings[0].id:
                for _, hits in held.hits:
                    facts = {**hits[0].facts, **facts}
        return facts
    first = next((event for event in log.events if event.failure), None)
    return dict(first.fields) if first else {}
