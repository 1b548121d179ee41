"""What a recorded proof still shows today: one whose script has changed since proves nothing about the new script."""

from __future__ import annotations

from dataclasses import replace

from ..model import Catalog, Proof

STALE = "stale"
# The strongest first. A fresh failure outweighs an outdated success, and that one still says more than a skip.
ORDER = ("proven", "recorded", "failed", STALE, "skipped")


def proofs(catalog: Catalog, id: str) -> list[Proof]:
    """The proofs of an entry, strongest first, an outdated one with the verdict `stale`."""
    return sorted((_today(catalog, proof) for proof in catalog.proofs_of(id)), key=lambda it: ORDER.index(it.verdict))


def proof(catalog: Catalog, id: str) -> Proof | None:
    """The proof that pages show of an entry, None if it has none."""
    return next(iter(proofs(catalog, id)), None)


def _today(catalog: Catalog, proof: Proof) -> Proof:
    script = catalog.scripts.get(proof.entry)
    changed = script is not None and script.sha256 != proof.script_sha256
    # A skip claims nothing about the script, so nothing of it can be outdated.
    return replace(proof, verdict=STALE) if changed and proof.verdict != "skipped" else proof
