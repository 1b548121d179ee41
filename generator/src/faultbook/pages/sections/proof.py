"""Proof: the script, what it printed, where it ran, and the same script with the fix applied."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof, ProofRun
from .. import standing
from ..render import section

LINES = 120  # of a log; the whole file is linked
LABELS = ("Without the fix", "With the fix")


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    script = catalog.scripts.get(entry.id)
    sides = (proof.symptom, proof.fixed) if proof else (None, None)
    return section(
        "proof",
        entry=entry,
        proof=proof,
        others=[other for other in standing.proofs(catalog, entry.id) if proof and other.path != proof.path],
        script=script,
        runs=[(label, run, _tail(run.text)) for label, run in zip(LABELS, sides, strict=True) if run],
        measures=[(bound, *(_measured(run, bound.name) for run in sides)) for bound in entry.repro.measure],
        records=f"../assets/faultbook/records/{entry.category}/",
    )


def _measured(run: ProofRun | None, name: str) -> float | None:
    return run.measures.get(name) if run else None


def _tail(log: str) -> str:
    lines = log.rstrip("\n").split("\n")
    left_out = len(lines) - LINES
    return "\n".join(lines if left_out <= 0 else [f"[{left_out} lines left out here]", *lines[-LINES:]])
