"""Each example is won by its own entry: a reader who pastes it must be led to this entry, and to no other.

An example that another entry wins, or claims with as much confidence, is told where that entry's signature
stands (`signature-steals`), once for all that this signature claims: it may be too broad, and which of the two
entries is newer cannot be known. Where the other entry shows the very same log as an example of its own, its
signature does what it should; then the example is at fault and is told there (`example-lost`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..document import Document
from ..match.engine import triage
from ..match.index import SignatureIndex
from ..match.signature import Clause, Signature
from ..match.types import Diagnosis, Finding
from ..model import Catalog, Entry
from ..problem import Mark, Problem

SCOPE = "index-catalog"
CODES = ("example-lost", "signature-steals")
_LISTED = 3


@dataclass(frozen=True)
class _Lost:
    """An example of `loser` at `mark` that `winner` leads in, or claims as well."""

    loser: str
    mark: Mark
    log: str
    winner: Finding


def check(catalog: Catalog, documents: Mapping[str, Document], index: SignatureIndex) -> Iterator[Problem]:
    thefts: dict[tuple[str, str], list[_Lost]] = {}
    for entry in catalog.entries:
        for lost in _lost(entry, documents[entry.path], index):
            winner = catalog.by_id[lost.winner.id]
            if own := _same_example(winner, documents[winner.path], lost.log):
                yield _double(lost, own)
            else:
                thefts.setdefault((winner.id, lost.winner.signature), []).append(lost)
    for (id, signature), lost in thefts.items():
        winner = catalog.by_id[id]
        yield _theft(winner, documents[winner.path], signature, lost, index)


def _lost(entry: Entry, document: Document, index: SignatureIndex) -> Iterator[_Lost]:
    """Examples with a rival; one that its own entry does not match at all is no matter of rank."""
    for place, signature in enumerate(entry.signatures):
        for number, example in enumerate(signature.examples):
            diagnosis = triage([("log", example.encode())], index)
            if rival := _rival(entry.id, diagnosis, index):
                mark = document.mark(("signatures", place, "examples", number))
                yield _Lost(entry.id, mark, example, rival)


def _rival(id: str, diagnosis: Diagnosis, index: SignatureIndex) -> Finding | None:
    """The finding that leads instead of `id`, or the first that makes an otherwise sure answer ambiguous."""
    findings = diagnosis.findings
    if id not in [finding.id for finding in findings]:
        return None
    lead = findings[0]
    if lead.id != id:
        return lead
    if diagnosis.verdict != "ambiguous" or lead.strength == "suggestive":
        return None
    related = index.ancestors.get(id, frozenset()) | set(index.entries[id]["leads_to"])
    return next((finding for finding in findings[1:] if finding.id not in related), None)


def _same_example(winner: Entry, document: Document, log: str) -> Mark | None:
    for place, signature in enumerate(winner.signatures):
        for number, example in enumerate(signature.examples):
            if example.split() == log.split():
                return document.mark(("signatures", place, "examples", number))
    return None


def _double(lost: _Lost, own: Mark) -> Problem:
    return Problem(
        lost.mark, "example-lost",
        f"this entry does not win its example alone: '{lost.winner.id}' shows the same log as its own in {own}",
        "use a log that only this entry explains, sharpen the signature, or declare `refines`",
    )  # fmt: skip


def _theft(winner: Entry, document: Document, id: str, lost: list[_Lost], index: SignatureIndex) -> Problem:
    place = next(number for number, one in enumerate(winner.signatures) if one.id == id)
    signature = next(one for one in index.signatures if (one.entry_id, one.id) == (winner.id, id))
    return Problem(
        document.mark(("signatures", place)), "signature-steals",
        f"'{id}' also claims {_counted(lost)}: {_reason(signature, lost[0])}", _hint(winner, lost),
    )  # fmt: skip


def _counted(lost: list[_Lost]) -> str:
    (first, count), *rest = Counter(one.loser for one in lost).items()
    return ", ".join([f"{count} example{'s' * (count > 1)} of {first}", *(f"{n} of {loser}" for loser, n in rest)])


def _hint(winner: Entry, lost: list[_Lost]) -> str:
    general = [loser for loser in dict.fromkeys(one.loser for one in lost) if loser in winner.refines]
    leads = f" (it leads wherever it matches, since this entry refines {', '.join(general)})" if general else ""
    places = ", ".join(f"{one.mark.path}:{one.mark.line}" for one in lost[:_LISTED])
    more = f" and {len(lost) - _LISTED} more" if len(lost) > _LISTED else ""
    return (
        f"write more of the line, narrow it by `where` or `none`, or lower its strength{leads}; "
        f"if it is right, give the other entry examples of its own: {places}{more}"
    )


def _reason(signature: Signature, lost: _Lost) -> str:
    """Which clause holds there, and on what piece of the log."""
    lines = [line.text for line in lost.winner.evidence]
    for clause in (*signature.all, *signature.any):
        template = clause.message
        for line in lines if template else ():
            if piece := _piece(clause, line):
                return f"its template '{template.source}' is found in '{piece}'"
    return f"it holds in '{' '.join(lines[0].split())[:100]}'" if lines else "it holds there"


def _piece(clause: Clause, line: str) -> str | None:
    """The words of the line that the template's longest literal is found in."""
    template = clause.message
    if template is None or template.search(line) is None:
        return None
    literal = r"\s+".join(re.escape(word) for word in template.literals[0].split())
    found = re.search(rf"\S*{literal}\S*", line)
    return " ".join(found[0].split())[:100] if found else None
