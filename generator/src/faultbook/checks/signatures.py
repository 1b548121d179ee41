"""Each signature is well formed: templates, holes, comparisons, frames and event kinds can be parsed."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..match.signature import SignatureError, parse_signature
from ..model import Entry
from ..problem import Problem

SCOPE = "entry"
CODES = ("signature-error",)


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    for place, signature in enumerate(entry.signatures):
        try:
            parse_signature(signature.spec, entry.id)
        except SignatureError as error:
            mark = document.mark(("signatures", place, *error.pointer))
            yield Problem(
                mark, "signature-error", error.text, "see `signature`, `clause` and `where` in entry.schema.json"
            )
