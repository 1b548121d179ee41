"""Entries near a log that nothing explains: never a match, only where to look next."""

from __future__ import annotations

from collections.abc import Iterator

from .evaluate import Log, hits_of
from .index import SignatureIndex
from .signature import Clause, Signature
from .types import Related

SHOWN = 3
_MESSAGE, _FRAME, _EVENT = 4, 2, 1
# Every failure has one of these, so they bring nothing nearer.
_COMMON = ("exception", "process-exit", "launcher-report")


def related_entries(log: Log, index: SignatureIndex) -> tuple[Related, ...]:
    """The nearest entries by signs of theirs that the log has without the rest; the nearest first."""
    best: dict[str, tuple[int, str]] = {}
    for signature in index.candidates(log.words, log.kinds):
        score, why = _nearness(signature, log)
        if score > best.get(signature.entry_id, (0, ""))[0]:
            best[signature.entry_id] = (score, why)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))[:SHOWN]
    entries = index.entries
    return tuple(Related(id, entries[id]["title"], entries[id]["url"], why) for id, (_, why) in ranked)


def _nearness(signature: Signature, log: Log) -> tuple[int, str]:
    signs = [*_signs((*signature.all, *signature.any), log)]
    if not signs:
        return 0, ""
    _, clause, line = max(signs, key=lambda sign: sign[0])
    veto = next((one for one in signature.none if hits_of(one, log)), None)
    but = f"against it stands: {veto.note or _name(veto)}" if veto else "but its other signs are missing"
    return sum(sign[0] for sign in signs), f"{line} has {_name(clause)}, {but}"


def _signs(clauses: tuple[Clause, ...], log: Log) -> Iterator[tuple[int, Clause, str]]:
    for clause in clauses:
        if hits := hits_of(clause, log):
            weight = _weight(clause)
            record = hits[0].record
            if weight:
                yield weight, clause, f"{record.file}:{record.line}"


def _weight(clause: Clause) -> int:
    if clause.message:
        return _MESSAGE
    if clause.frame or clause.frames:
        return _FRAME
    return _EVENT if clause.event not in _COMMON or clause.type else 0


def _name(clause: Clause) -> str:
    if clause.message:
        return f"‘{clause.message.source}’"
    if clause.event:
        return f"an event of the kind {clause.event}"
    return "a frame of its traceback"
