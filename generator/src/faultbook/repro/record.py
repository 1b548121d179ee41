"""Prove one entry in one lane and keep the proof: the verdict, both captures, where and when it ran."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..match.types import Diagnosis
from ..model import Entry
from .lanes import LANES
from .machine import PACKAGES, Machine
from .proof import Judged, judged, objections
from .runner import Limits, ReproRun, run

Triage = Callable[[str], Diagnosis]


@dataclass(frozen=True)
class Outcome:
    """What came of one entry: `verdict` is proven, recorded, failed or skipped; runs are None if skipped."""

    entry: str
    lane: str
    verdict: str
    reason: str | None
    date: str
    script_sha256: str
    symptom: Judged | None = None
    fixed: Judged | None = None


def prove(entry: Entry, root: Path, machine: Machine, triage: Triage) -> Outcome:
    """Run the entry's script twice and judge it; where it cannot run, judge the recorded captures again."""
    script = script_path(root, entry)
    blank = Outcome(entry.id, entry.repro.lane, "skipped", None, datetime.date.today().isoformat(), sha256(script))
    refusal = LANES[entry.repro.lane].refusal(machine)
    if refusal:
        return _not_run(entry, root, triage, blank, refusal)
    limits = Limits(float(entry.repro.timeout), entry.repro.memory_mib or Limits.memory_mib)
    symptom = run(script, root, fixed=False, limits=limits)
    refusal = symptom.skip_reason or missing_package(symptom, machine)
    if refusal:
        return _not_run(entry, root, triage, blank, refusal)
    fixed = run(script, root, fixed=True, limits=limits)
    return _verdict(entry, blank, judged(symptom, triage(symptom.output)), judged(fixed, triage(fixed.output)))


def missing_package(symptom: ReproRun, machine: Machine) -> str | None:
    """Why the script could not start, if all it lacks is one of the packages that scripts may use."""
    found = re.search(r"^ModuleNotFoundError: No module named '(\w+)", symptom.output, re.MULTILINE)
    if found and found[1] in PACKAGES and found[1] not in machine.packages:
        return f"{found[1]} is not installed: pip install -e '.[repro]'"
    return None


def _not_run(entry: Entry, root: Path, triage: Triage, blank: Outcome, reason: str) -> Outcome:
    return _replayed(entry, root, triage, replace(blank, reason=reason)) or replace(blank, reason=reason)


def _verdict(entry: Entry, blank: Outcome, symptom: Judged, fixed: Judged) -> Outcome:
    faults = objections(entry, symptom, fixed)
    verdict = "failed" if faults else "proven"
    return replace(blank, verdict=verdict, reason="; ".join(faults) or None, symptom=symptom, fixed=fixed)


def _replayed(entry: Entry, root: Path, triage: Triage, blank: Outcome) -> Outcome | None:
    """Judge the captures of a run elsewhere again; None if there are none, or the script changed since."""
    path = proof_path(root, entry)
    if not path.is_file():
        return None
    proof = json.loads(path.read_text(encoding="utf-8"))
    if proof["verdict"] not in ("proven", "recorded") or proof["script_sha256"] != blank.script_sha256:
        return None
    runs = []
    for side in ("symptom", "fixed"):
        text = (path.parent / proof[side]["log"]).read_text(encoding="utf-8")
        kept = ReproRun(proof[side]["exit_code"], proof[side]["seconds"], text)
        runs.append(judged(kept, triage(text)))
    outcome = _verdict(entry, replace(blank, date=proof["date"]), *runs)
    if outcome.verdict != "proven":
        return outcome
    reason = f"not run here ({blank.reason}); judged from the capture of {proof['date']}"
    return replace(outcome, verdict="recorded", reason=reason)


def write(outcome: Outcome, entry: Entry, root: Path, machine: Machine) -> Path | None:
    """Write proof and captures beside the script. A replay, or a skip over a still valid proof, writes nothing."""
    path = proof_path(root, entry)
    if outcome.verdict == "recorded" or (outcome.verdict == "skipped" and _still_valid(path, outcome.script_sha256)):
        return None
    data = {
        "format": 1, "entry": outcome.entry, "lane": outcome.lane, "verdict": outcome.verdict,
        "reason": outcome.reason, "shown": entry.repro.shows, "date": outcome.date,
        "environment": environment(machine), "script_sha256": outcome.script_sha256,
    }  # fmt: skip
    for side, it in (("symptom", outcome.symptom), ("fixed", outcome.fixed)):
        log = path.with_suffix(".log" if side == "symptom" else ".fixed.log")
        if it is None:
            log.unlink(missing_ok=True)
            continue
        log.write_text(it.run.output, encoding="utf-8")
        data[side] = {
            "exit_code": it.run.exit_code, "seconds": it.run.seconds, "log": log.name,
            "ranked": list(it.ranked), "measures": dict(it.measures),
        }  # fmt: skip
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def environment(machine: Machine) -> dict:
    return {
        "python": machine.python, "platform": machine.platform,
        "device": machine.device, "packages": dict(machine.packages),
    }  # fmt: skip


def is_proven(entry: Entry, root: Path) -> bool:
    """Whether a recorded proof of the script as it is now says proven."""
    return _still_valid(proof_path(root, entry), sha256(script_path(root, entry)))


def _still_valid(path: Path, script_sha256: str) -> bool:
    if not path.is_file():
        return False
    kept = json.loads(path.read_text(encoding="utf-8"))
    return kept["verdict"] in ("proven", "recorded") and kept["script_sha256"] == script_sha256


def script_path(root: Path, entry: Entry) -> Path:
    return root / "repro" / entry.category / f"{entry.id}.py"


def proof_path(root: Path, entry: Entry) -> Path:
    return script_path(root, entry).with_suffix(f".{entry.repro.lane}.json")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
