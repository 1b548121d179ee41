"""A Diagnosis as the JSON contract (format 1) and as Markdown for an issue or a chat."""

from __future__ import annotations

from collections.abc import Iterator

from .frozen import plain
from .types import Diagnosis, Evidence, Finding

FORMAT = 1
MEANINGS = {
    "match": "The signature's clauses hold in this log. That alone does not confirm the cause.",
    "ambiguous": "The log fits, but does not settle between look-alikes.",
    "unknown": "Something failed, and no entry explains it.",
    "clean": "No failure seen.",
}
ROLES = {
    "first": "failed first",
    "unknown": "failed or fell silent, order not told",
    "collateral": "failed after it",
    "silent": "silent before it failed",
    "healthy": "no failure seen",
}  # the most telling first
_WIDTH = 400  # characters of a log line that are shown


def to_dict(diagnosis: Diagnosis) -> dict:
    """The object that `faultbook triage --format json` prints; new keys may come, none changes its meaning."""
    return {
        "format": FORMAT,
        "verdict": diagnosis.verdict,
        "diagnoses": [_finding(finding) for finding in diagnosis.findings],
        "initiating": plain(diagnosis.initiating) if diagnosis.initiating else None,
        "collateral": [plain(one) for one in diagnosis.collateral],
        "settle": [plain(one) for one in diagnosis.settle],
        "facts": dict(diagnosis.facts),
        "notes": list(diagnosis.notes),
        "memory": plain(diagnosis.memory) if diagnosis.memory else None,
        "related": [plain(one) for one in diagnosis.related],
        "replies": [plain(one) for one in diagnosis.replies],
        "ranks": [plain(one) for one in diagnosis.ranks],
        "ranks_left_out": diagnosis.ranks_left_out,
    }


def _finding(finding: Finding) -> dict:
    data = plain(finding)
    return {**data, "fix": dict(finding.fix), "evidence": list(data["evidence"]), "against": list(data["against"])}


def to_markdown(diagnosis: Diagnosis) -> str:
    """A report to paste. Log text stands in fences longer than any run of backticks in it, so it stays text."""
    return "\n".join(_report(diagnosis)) + "\n"


def _report(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"**Faultbook: {diagnosis.verdict}.** {MEANINGS[diagnosis.verdict]}"
    for reply in diagnosis.replies:
        yield from ("", f"Answered by the reader: {reply.question} {reply.answer}.")
    for place, finding in enumerate(diagnosis.findings[:3]):
        yield from _finding_report(finding, first=not place)
    if diagnosis.memory:
        at = _code(f"{diagnosis.memory.file}:{diagnosis.memory.line}")
        yield from ("", f"The report's own numbers ({diagnosis.memory.kind}), {at}: {diagnosis.memory.says}")
    for near in diagnosis.related:
        yield from ("", f"Not a match, but related: {near.title} ({_code(near.id)}): {_code(near.why)}")
    if diagnosis.initiating:
        first = diagnosis.initiating
        rank = "rank not told" if first.rank is None else f"rank {first.rank}"
        yield from ("", f"First failure: {rank}, {_code(f'{first.file}:{first.line}')}. {first.basis}")
        yield _fence(first.what[:_WIDTH])
    if diagnosis.collateral:
        ranks = sorted({str(one.rank) for one in diagnosis.collateral if one.rank is not None}, key=int)
        yield from (
            "",
            f"Collateral: {len(diagnosis.collateral)} lines" + (f" of ranks {', '.join(ranks)}" if ranks else ""),
        )
    if len(diagnosis.ranks) > 1:
        yield from ("", f"Ranks: {'; '.join(_roles(diagnosis))}.")
    for one in diagnosis.settle:
        yes, no = (_code(id) if id else one.name for id in (one.if_yes, one.if_no))
        yield from ("", f"To settle: {one.question} Yes: {yes}, no: {no}")
        if one.command:
            yield _fence(one.command)
    yield from (f"\nNote: {_code(note)}" for note in diagnosis.notes)


def _roles(diagnosis: Diagnosis) -> Iterator[str]:
    for role, says in ROLES.items():
        ones = [one for one in diagnosis.ranks if one.role == role]
        if ones:
            yield f"{', '.join(_code(one.file) if one.rank is None else str(one.rank) for one in ones)} {says}"
    if diagnosis.ranks_left_out:
        yield f"{diagnosis.ranks_left_out} more"


def _finding_report(finding: Finding, *, first: bool) -> Iterator[str]:
    yield from ("", f"{'###' if first else '####'} {finding.title} ({_code(finding.id)})")
    yield from ("", f"{finding.strength} evidence, confidence {finding.confidence:.2f}. {finding.says}")
    yield from _lines("Evidence", finding.evidence)
    yield from _lines("Against", finding.against)
    if first and finding.fix.get("text"):
        yield from ("", f"Fix: {finding.fix['text']}")
        if finding.fix.get("command"):
            yield _fence(finding.fix["command"])


def _lines(title: str, lines: tuple[Evidence, ...]) -> Iterator[str]:
    if lines:
        yield from ("", f"{title}:")
        yield _fence("\n".join(f"{line.file}:{line.line}: {line.text[:_WIDTH]}" for line in lines))


def _longest_run(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def _fence(text: str) -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}text\n{text}\n{ticks}"


def _code(text: str) -> str:
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if "`" in text else ""
    return f"{ticks}{pad}{' '.join(text.split())}{pad}{ticks}"
