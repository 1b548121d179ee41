"""Each signature is well formed: templates, holes, comparisons, frames and event kinds can be parsed.

So are the comparisons by which a memory report answers a question itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..document import Document, Pointer
from ..match.condition import parse_condition
from ..match.signature import SignatureError, parse_signature
from ..match.types import KINDS
from ..model import Entry
from ..problem import Problem
from ..schema import described

SCOPE = "entry"
CODES = ("signature-error",)
SCHEMA = "generator/src/faultbook/entry.schema.json"


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    for place, signature in enumerate(entry.signatures):
        for pointer, text in _faults(signature.spec, entry.id):
            inner: Pointer = ("signatures", place, *pointer)
            yield _problem(document, inner, text)
    for place, sibling in enumerate(entry.confused_with):
        for number, comparison in enumerate(sibling.answered_by):
            if text := _comparison_fault(comparison):
                yield _problem(document, ("confused_with", place, "answered_by", number), text)


def _problem(document: Document, pointer: Pointer, text: str) -> Problem:
    fields, allowed = described(pointer)
    return Problem(document.mark(pointer), "signature-error", text, f"{allowed} ({SCHEMA}, {fields})")


def _comparison_fault(comparison: str) -> str | None:
    try:
        unknown = sorted(parse_condition(comparison).names - KINDS["memory-report"].keys())
    except SignatureError as error:
        return error.text
    return f"a memory report has no fact '{unknown[0]}': {', '.join(KINDS['memory-report'])}" if unknown else None


def _faults(spec: Mapping, entry_id: str) -> Iterator[tuple[Pointer, str]]:
    """The first fault of every clause. Each is parsed in a signature of its own, since parsing ends at a fault."""
    bare = {key: value for key, value in spec.items() if key not in ("all", "any", "none", "against")}
    for group in spec.keys() - bare.keys():
        for place, clause in enumerate(spec[group]):
            try:
                parse_signature({**bare, "all": [clause]}, entry_id)
            except SignatureError as error:
                inner = error.pointer[2:] if error.pointer[:1] == ("all",) else ()
                yield (group, place, *inner), error.text
