"""Each text under `messages` is matched by the entry's signatures, unless it says why it proves nothing.

A page that shows a wording its own matcher does not know would promise too much. Lines that other failures
print too carry `inconclusive`: then no signature need match them, and none may match them decisively.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Document
from ..match.engine import triage
from ..match.index import SignatureIndex
from ..model import Entry
from ..problem import Problem

SCOPE = "index"
CODES = ("message-not-inconclusive", "message-not-matched")


def check(entry: Entry, document: Document, index: SignatureIndex) -> Iterator[Problem]:
    for place, message in enumerate(entry.messages):
        diagnosis = triage([("log", message.text.encode())], index)
        ids = [finding.id for finding in diagnosis.findings]
        if message.inconclusive is None and entry.id not in ids:
            yield Problem(
                document.mark(("messages", place, "text")), "message-not-matched",
                "no signature of this entry matches these lines",
                "add the wording to a signature, or say in `inconclusive` why these lines alone prove nothing",
            )  # fmt: skip
        elif message.inconclusive and diagnosis.verdict == "match" and ids[:1] == [entry.id]:
            yield Problem(
                document.mark(("messages", place, "inconclusive")), "message-not-inconclusive",
                "these lines are said to prove nothing, yet the entry's signatures are sure of them",
                "remove `inconclusive`, or lower the signature's strength",
            )  # fmt: skip
