"""Recorded proofs belong to an entry, to its lane and to the script as it stands, and none has failed.

A proof of an older script (a warning) says nothing about the present one and is to be recorded again.
Where the script needs no special hardware (lanes cpu and simulated) a proof is owed: another warning. And
`repro.awaits` is owed where a run leaves something open: what a simulation cannot show, and, as long as no run
of another lane is recorded with its reason, what has yet to be run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from ..document import Document
from ..model import Catalog, Entry, Proof
from ..problem import Mark, Problem, Severity
from ..schema import described

SCOPE = "catalog"
CODES = ("failed-proof", "missing-awaits", "missing-proof", "orphan-proof", "stale-proof")


def check(catalog: Catalog, documents: Mapping[str, Document]) -> Iterator[Problem]:
    known = {PurePosixPath(path).stem for path in documents if path.count("/") > 1}
    for proof in catalog.proofs:
        if proof.entry not in known:
            yield _problem(proof, "orphan-proof", f"there is no entry '{proof.entry}'", "remove the proof and its logs")
        elif proof.verdict == "failed":
            yield _problem(
                proof, "failed-proof", proof.reason or "the run failed", "mend entry or script, record again"
            )
    for entry in catalog.entries:
        yield from _of_entry(entry, catalog, documents[entry.path])


def _of_entry(entry: Entry, catalog: Catalog, document: Document) -> Iterator[Problem]:
    record = f"run `faultbook repro {entry.id} --record`"
    script = catalog.scripts.get(entry.id)
    proofs = catalog.proofs_of(entry.id)
    for proof in proofs:
        if proof.lane != entry.repro.lane:
            message = f"this is a proof of lane {proof.lane}, the entry's lane is {entry.repro.lane}"
            yield _problem(proof, "stale-proof", message, f"remove it; {record}", Severity.WARNING)
        elif script and proof.script_sha256 != script.sha256:
            yield _problem(proof, "stale-proof", f"{script.path} has changed since", record, Severity.WARNING)
    if not proofs and script and entry.repro.lane in ("cpu", "simulated"):
        mark = document.mark(("repro", "lane"))
        message = f"lane {entry.repro.lane} needs no GPU, but no proof is recorded"
        yield Problem(mark, "missing-proof", message, record, Severity.WARNING)
    if entry.repro.awaits is None and (entry.repro.lane == "simulated" or (entry.repro.lane != "cpu" and not proofs)):
        mark = document.mark(("repro", "lane"))
        message = f"lane {entry.repro.lane} leaves something open, and `awaits` does not say what"
        yield Problem(
            mark, "missing-awaits", message, f"add 'awaits': {described(('repro', 'awaits'))[1]}", Severity.WARNING
        )


def _problem(proof: Proof, code: str, message: str, hint: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(Mark(proof.path), code, message, hint, severity)
