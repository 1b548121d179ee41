"""The pure verdict: what two runs of a script prove about its entry."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..match.types import Diagnosis
from ..model import Entry
from .runner import ReproRun

_MEASURE = re.compile(r"^measure ([a-z][a-z0-9_]*)=(-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)\s*$", re.MULTILINE)
_COMPARE = {"==": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class Judged:
    """One run with the matcher's answer on its output: ids best first, and the printed measures."""

    run: ReproRun
    ranked: tuple[str, ...]
    measures: Mapping[str, float]


def judged(run: ReproRun, diagnosis: Diagnosis) -> Judged:
    measures = {name: float(value) for name, value in _MEASURE.findall(run.output)}
    return Judged(run, tuple(finding.id for finding in diagnosis.findings), measures)


def objections(entry: Entry, symptom: Judged, fixed: Judged) -> tuple[str, ...]:
    """Every reason why the two runs do not prove the entry; empty means proven."""
    return (*_against_symptom(entry, symptom), *_against_fix(entry, fixed))


def _against_symptom(entry: Entry, it: Judged):
    silent = bool(entry.repro.measure)
    codes = _accepted(entry, "symptom")
    if it.run.overrun:
        yield f"symptom run ended by its {it.run.overrun}"
    if codes and it.run.exit_code not in codes:
        yield f"symptom run left with exit code {it.run.exit_code}, expected one of {list(codes)}"
    if not codes and not silent and it.run.exit_code == 0:
        yield "symptom run left with exit code 0, expected a failure"
    if it.ranked[:1] != (entry.id,) and (it.ranked or not silent):
        yield f"symptom run is read as {it.ranked[0] if it.ranked else 'nothing known'}, expected {entry.id}"
    yield from _against_measures(entry, it, "symptom")


def _against_fix(entry: Entry, it: Judged):
    codes = _accepted(entry, "fixed") or (0,)
    if it.run.overrun:
        yield f"fixed run ended by its {it.run.overrun}"
    if it.run.exit_code not in codes:
        yield f"fixed run left with exit code {it.run.exit_code}, expected {list(codes)}"
    if it.ranked:
        yield f"fixed run still reads as {it.ranked[0]}"
    yield from _against_measures(entry, it, "fixed")


def _accepted(entry: Entry, side: str) -> tuple[int, ...]:
    codes = entry.repro.exit_codes
    return tuple(getattr(codes, side) or ()) if codes else ()


def _against_measures(entry: Entry, it: Judged, side: str):
    for bound in entry.repro.measure:
        sign, limit = getattr(bound, side).split()
        value = it.measures.get(bound.name)
        if value is None:
            yield f"{side} run printed no 'measure {bound.name}=…' line"
        elif not _COMPARE[sign](value, float(limit)):
            yield f"{side} run measured {bound.name} = {value:g} {bound.unit}, expected {sign} {limit}"
