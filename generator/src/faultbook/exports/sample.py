"""`sample.log`: a recorded log that the home page's box offers to try. None without a proof."""

from __future__ import annotations

from ..artifact import Artifact
from ..model import Catalog, Proof

PATH = "sample.log"
_LINES = 400  # of a log that a reader can still look through


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    logs = sorted((_length(proof), proof.entry, proof.symptom.text) for proof in catalog.proofs if _serves(proof))
    return (Artifact(PATH, logs[-1][2].encode()),) if logs else ()


def _serves(proof: Proof) -> bool:
    shown = proof.verdict in ("proven", "recorded") and proof.symptom is not None
    return shown and proof.symptom.ranked[:1] == (proof.entry,) and _length(proof) <= _LINES


def _length(proof: Proof) -> int:
    return len(proof.symptom.text.splitlines())
