"""The words pages use for what entries state in single terms. No page says more than these."""

from __future__ import annotations

import re

from ..model import Proof

SEVERITIES = ("critical", "high", "medium", "low")
SEVERITY_MEANS = {
    "critical": "work is lost or data is wrong",
    "high": "the job stops",
    "medium": "the job stops, with an easy way round",
    "low": "slower or noisier",
}
PHASES = {
    "load": "Loading",
    "data-loading": "Data loading",
    "first-step": "First step",
    "forward": "Forward pass",
    "backward": "Backward pass",
    "optimizer": "Optimizer step",
    "evaluation": "Evaluation",
    "checkpoint": "Checkpointing",
    "serving": "Serving",
    "teardown": "Teardown",
    "any": "Any time",
}
CERTAINTY = {"proves": "proves it", "strong": "strong sign", "weak": "weak sign"}
STRENGTH = {
    "decisive": "these lines can hardly mean anything else",
    "strong": "these lines usually mean this",
    "suggestive": "these lines mean this or a sibling; the verdict stays ambiguous",
}
ORIGIN = {
    "software": "Software",
    "hardware": "Hardware",
    "configuration": "Configuration, not hardware",
    "data": "The data, not hardware",
}
LANES = {
    "cpu": "CPU",
    "gpu": "one GPU",
    "multi-gpu": "several GPUs",
    "simulated": "simulation",
    "service": "running service",
    "hardware": "special hardware",
}
VERDICTS = {
    "proven": "Proven",
    "recorded": "Recorded elsewhere",
    "stale": "Script changed",
    "failed": "Failed",
    "skipped": "Not run here",
    "none": "Documented only",
}
_NOT_SHOWN = {"failed": "proof failed", "skipped": "not run here"}
# The lanes `make test` runs, so that only their proofs may say so.
_EVERY_RUN = ("cpu", "simulated")


def verdict(proof: Proof | None) -> str:
    return proof.verdict if proof else "none"


def badge(proof: Proof | None) -> str:
    """What the proof shows, in the exact words that a reader may rely on."""
    if proof is None:
        return "documented only: no run of its script is recorded"
    lane = LANES.get(proof.lane, proof.lane)
    if proof.verdict == "proven":
        when = "every CI run" if proof.lane in _EVERY_RUN else str(proof.date)
        return f"symptom and fix reproduced, {lane}, {when}"
    if proof.verdict == "recorded":
        return f"judged from the log of an earlier run ({lane}, {proof.date})"
    if proof.verdict == "stale":
        return f"script changed since its last recorded run ({lane}, {proof.date})"
    return f"{_NOT_SHOWN[proof.verdict]}: {proof.reason or lane}"


def environment(proof: Proof | None) -> str:
    """`Linux…, cpu, Python 3.11.7, torch 2.13.0+cpu`, as far as the proof records it."""
    if proof is None:
        return ""
    seen = proof.environment
    packages = ", ".join(f"{name} {version}" for name, version in sorted(seen.packages.items()))
    python = f"Python {seen.python}" if seen.python else ""
    return " · ".join(part for part in (python, packages, seen.device, seen.platform) if part)


def number(value: float | None) -> str:
    """A measured number without a trailing `.0`; a dash for one that was not printed."""
    return "–" if value is None else f"{value:,.10g}".replace(",", " ")


CASE_SETS = {"match": "Seen while signatures were written", "apart": "Kept apart"}  # folders of tests/cases


def share(value: float | None) -> str:
    return "no such case" if value is None else f"{100 * value:.1f} %"


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def release(version: str) -> str:
    """A tag as it is; of a full commit id the part that people read."""
    return version[:10] if re.fullmatch("[0-9a-f]{40}", version) else version


def sentence(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]
