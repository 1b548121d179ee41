"""Each signature matches its examples and none of its counter-examples; each example its entry wins.

`example-not-matched` and `counter-example-matched` judge the signature alone; `example-lost` judges it among
all signatures: a reader who pastes the example must be led to this entry first.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..match.engine import triage
from ..match.index import SignatureIndex
from ..model import Entry, Signature
from ..problem import Problem
from ..signature_index import index_of

SCOPE = "index"
CODES = ("counter-example-matched", "example-lost", "example-not-matched")


def check(entry: Entry, document: Document, index: SignatureIndex) -> Iterator[Problem]:
    for place, signature in enumerate(entry.signatures):
        alone = index_of([{**document.data, "signatures": [document.data["signatures"][place]]}])
        yield from _examples(entry, signature, document, place, alone, index)
        for number, counter in enumerate(signature.counter_examples):
            if ranked(counter.log, alone):
                yield Problem(
                    document.mark(("signatures", place, "counter_examples", number, "log")),
                    "counter-example-matched", f"the signature '{signature.id}' matches its counter-example",
                    f"narrow it: this is something else ({counter.because})",
                )  # fmt: skip


def _examples(
    entry: Entry, signature: Signature, document: Document, place: int, alone: SignatureIndex, index: SignatureIndex
) -> Iterator[Problem]:
    for number, example in enumerate(signature.examples):
        mark = document.mark(("signatures", place, "examples", number))
        if not ranked(example, alone):
            message = f"the signature '{signature.id}' does not match this example of it"
            yield Problem(mark, "example-not-matched", message, "each `all` clause must hold in the example itself")
            continue
        first = ranked(example, index)[:1]
        if first != (entry.id,):
            winner = f"'{first[0]}' explains it better" if first else "no entry explains it"
            hint = "use a log that only this entry explains, sharpen the signature, or declare `refines`"
            yield Problem(mark, "example-lost", f"this entry does not win its example: {winner}", hint)


def ranked(log: str, index: SignatureIndex) -> tuple[str, ...]:
    """Ids of the entries that explain the log, best first."""
    return tuple(finding.id for finding in triage([("log", log.encode())], index).findings)
