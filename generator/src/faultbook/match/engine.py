"""Sources and an index in, a Diagnosis out. Pure: the same bytes always give the same answer.

bytes -> records -> events (reading) -> signatures that hold -> findings in order -> verdict
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .account import account_of
from .attribution import attributed, ranks_of_processes
from .evaluate import Held, Log, evaluate
from .frozen import replace
from .index import SignatureIndex
from .nearby import related_entries
from .prefilter import Prefilter
from .ranks import collateral_of, initiating_of
from .settle import questions
from .signature import STRENGTHS, Clause, Hit, Signature
from .sources import Progress, Read, Source, read_sources
from .timeline import timeline_of
from .types import Collateral, Diagnosis, Evidence, Finding, Value

SHOWN = 4  # lines shown for one clause
_MORE = 0.02  # what each further signature that holds adds
_LESS = 0.15  # what evidence against takes away
_NEAR = 0.05  # two findings as close as this do not settle anything


def triage(
    sources: Iterable[Source],
    index: SignatureIndex,
    progress: Progress = lambda _: None,
    prefilter: type[Prefilter] = Prefilter,
) -> Diagnosis:
    """Diagnose logs given as (name, bytes or iterable of chunks). Several sources are one run.

    Never raises for what is in the logs: what could not be read is said in `notes`. `progress` is called with
    the number of bytes just read, now and then. `prefilter` finds the lines of long logs worth reading.
    """
    return judge(read_sources(sources, index.needles, progress, prefilter), index)


def judge(read: Read, index: SignatureIndex) -> Diagnosis:
    """Diagnose what has been read already."""
    processes = ranks_of_processes(read.records)
    log = Log(read.records, attributed(read.events, processes))
    found = [held for signature in index.candidates(log.words, log.kinds) if (held := evaluate(signature, log))]
    findings = _ordered(_findings(found, index), index)
    diagnosis = _diagnosis(findings, found, log, index, read.notes)
    ranks, left_out = timeline_of(log.records, log.events, diagnosis.initiating, processes)
    return replace(diagnosis, ranks=ranks, ranks_left_out=left_out)


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
        settle=questions(findings, index, log.events) if verdict == "ambiguous" else (),
        facts=_facts(findings, found, log), notes=notes, memory=account_of(log.events),
        related=related_entries(log, index) if verdict == "unknown" else (),
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
