"""Proof: the script, what it printed, where it ran, and the same script with the fix applied."""

from __future__ import annotations

from ...model import Catalog, Entry, Proof
from ..render import section

LINES = 120  # of a log; the whole file is linked


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    script = catalog.scripts.get(entry.id)
    runs = [run for run in (proof.symptom, proof.fixed) if run] if proof else []
    return section(
        "proof",
        entry=entry,
        proof=proof,
        others=[other for other in catalog.proofs_of(entry.id) if other is not proof],
        script=script,
        stale=bool(script and proof and script.sha256 != proof.script_sha256),
        runs=[(("With the fix" if run is proof.fixed else "Without the fix"), run, _tail(run.text)) for run in runs],
        measures=[(bound, *(run.measures.get(bound.name) for run in runs)) for bound in entry.repro.measure],
        records=f"../assets/faultbook/records/{entry.category}/",
    )


def _tail(log: str) -> str:
    lines = log.rstrip("\n").split("\n")
    left_out = len(lines) - LINES
    return "\n".join(lines if left_out <= 0 else [f"[{left_out} lines left out here]", *lines[-LINES:]])
