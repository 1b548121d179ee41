"""Each signature by itself matches its examples and none of its counter-examples."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..match.engine import triage
from ..match.index import SignatureIndex
from ..model import Entry
from ..plain import entry_data
from ..problem import Problem
from ..signature_index import index_of

SCOPE = "entry"
CODES = ("counter-example-matched", "example-not-matched")


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    row = entry_data(entry)
    for place, signature in enumerate(entry.signatures):
        alone = index_of([{**row, "signatures": [row["signatures"][place]]}])
        for number, example in enumerate(signature.examples):
            if not _matches(example, alone):
                yield Problem(
                    document.mark(("signatures", place, "examples", number)), "example-not-matched",
                    f"the signature '{signature.id}' does not match this example of it",
                    "each `all` clause must hold in the example itself",
                )  # fmt: skip
        for number, counter in enumerate(signature.counter_examples):
            if _matches(counter.log, alone):
                yield Problem(
                    document.mark(("signatures", place, "counter_examples", number, "log")),
                    "counter-example-matched", f"the signature '{signature.id}' matches its counter-example",
                    f"narrow it: this is something else ({counter.because})",
                )  # fmt: skip


def _matches(log: str, alone: SignatureIndex) -> bool:
    return bool(triage([("log", log.encode())], alone).findings)
