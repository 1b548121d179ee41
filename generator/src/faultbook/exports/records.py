"""`records/`: every proof as JSON and the logs it was judged on, to be read beside the page."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..artifact import Artifact
from ..model import Catalog, Proof
from ..plain import proof_data


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    published = [proof for proof in catalog.proofs if proof.entry in catalog.by_id]
    return tuple(artifact for proof in published for artifact in _of(proof, catalog))


def _of(proof: Proof, catalog: Catalog) -> Iterator[Artifact]:
    folder = f"records/{catalog.by_id[proof.entry].category}"
    text = json.dumps(proof_data(proof), ensure_ascii=False, indent=2) + "\n"
    yield Artifact(f"{folder}/{proof.entry}.{proof.lane}.json", text.encode())
    for run in (proof.symptom, proof.fixed):
        if run:
            yield Artifact(f"{folder}/{run.log}", run.text.encode())
