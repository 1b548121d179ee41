"""Stage 3, model: an entry as frozen dataclasses, field for field as in entry.schema.json.

`entry_from` takes data that has passed stage 2 (shape) and therefore cannot fail on it. Absent optional
fields are None, absent lists are (). Nothing here touches the disk: what other stages need of a file (a
script's text, a recorded log) is carried as text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cattrs import Converter

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Code:
    """Code a reader copies. `runnable` Python blocks are executed alone by the tests and must exit 0."""

    lang: str
    code: str
    runnable: bool = False


@dataclass(frozen=True, slots=True)
class AffectedSystem:
    id: str
    versions: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class QuickAnswer:
    symptom: str
    cause: str
    fix: str
    command: Code


@dataclass(frozen=True, slots=True)
class Diagram:
    mermaid: str
    alt: str


@dataclass(frozen=True, slots=True)
class Misconception:
    claim: str
    truth: str


@dataclass(frozen=True, slots=True)
class RaisedBy:
    project: str
    file: str
    version: str
    url: str
    says: str
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """`inconclusive` says why these lines alone do not establish the failure (others print them too)."""

    text: str
    versions: str
    source: str
    inconclusive: str | None = None


@dataclass(frozen=True, slots=True)
class Symptom:
    sign: str
    why: str
    certainty: str


@dataclass(frozen=True, slots=True)
class ConfirmStep:
    step: str
    check: Code
    expect: str
    rules_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfusedWith:
    """Exactly one of `id` (an entry) and `name` (a failure without one) is set."""

    observation: str
    question: str
    yes: str
    id: str | None = None
    name: str | None = None
    command: str | None = None
    answered_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CounterExample:
    log: str
    because: str


@dataclass(frozen=True, slots=True)
class Signature:
    """`spec` is the plain mapping as written, without examples and counter-examples: what `match` takes."""

    id: str
    strength: str
    says: str
    examples: tuple[str, ...]
    counter_examples: tuple[CounterExample, ...]
    spec: Data
    versions: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    title: str
    stack: str
    why: str
    cost: str
    snippet: Code


@dataclass(frozen=True, slots=True)
class Verify:
    check: Code
    expect: str


@dataclass(frozen=True, slots=True)
class Alert:
    system: str
    summary: str
    rule: Code


@dataclass(frozen=True, slots=True)
class Perspectives:
    oncall: str
    engineer: str
    lead: str


@dataclass(frozen=True, slots=True)
class Origin:
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class TimeToFix:
    typical: str
    why: str


@dataclass(frozen=True, slots=True)
class Workload:
    training: bool
    inference: bool
    why: str


@dataclass(frozen=True, slots=True)
class Recurs:
    likely: bool
    why: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What the FAQ is answered from; a None fact leaves its question out."""

    scale: str | None = None
    origin: Origin | None = None
    time_to_fix: TimeToFix | None = None
    workload: Workload | None = None
    recurs: Recurs | None = None
    in_production: str | None = None
    automatic: str | None = None


@dataclass(frozen=True, slots=True)
class ExitCodes:
    symptom: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """`symptom` and `fixed` are comparisons such as `>= 20` over the number the script prints."""

    name: str
    unit: str
    symptom: str
    fixed: str
    says: str


@dataclass(frozen=True, slots=True)
class ReproSpec:
    """`timeout` in seconds, `memory_mib` in MiB of resident memory, both for one run."""

    lane: str
    shows: str
    timeout: int
    awaits: str | None = None
    memory_mib: int | None = None
    exit_codes: ExitCodes | None = None
    measure: tuple[Measure, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    url: str
    title: str
    supports: str
    kind: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One failure. `path` is its file, `url` its page's address relative to the site's root."""

    id: str
    title: str
    category: str
    gist: str
    severity: str
    tags: tuple[str, ...]
    systems: tuple[AffectedSystem, ...]
    phases: tuple[str, ...]
    quick_answer: QuickAnswer
    mechanism: str
    messages: tuple[Message, ...]
    symptoms: tuple[Symptom, ...]
    confirm: tuple[ConfirmStep, ...]
    confused_with: tuple[ConfusedWith, ...]
    signatures: tuple[Signature, ...]
    fix: tuple[Fix, ...]
    verify: Verify
    prevention: tuple[str, ...]
    perspectives: Perspectives
    facts: Facts
    repro: ReproSpec
    references: tuple[Reference, ...]
    updated: str
    aliases: tuple[str, ...] = ()
    refines: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()
    diagram: Diagram | None = None
    calculators: tuple[str, ...] = ()
    misconception: Misconception | None = None
    raised_by: tuple[RaisedBy, ...] = ()
    alerts: tuple[Alert, ...] = ()

    @property
    def path(self) -> str:
        return f"entries/{self.category}/{self.id}.yaml"

    @property
    def repro_path(self) -> str:
        return f"repro/{self.category}/{self.id}.py"

    @property
    def url(self) -> str:
        return f"{self.category}/{self.id}/"

    @property
    def sibling_ids(self) -> tuple[str, ...]:
        """Entries this one names itself, in the order a reader needs them; each once."""
        named = [sibling.id for sibling in self.confused_with if sibling.id]
        ruled_out = [other for step in self.confirm for other in step.rules_out]
        return tuple(dict.fromkeys([*self.refines, *named, *self.leads_to, *ruled_out]))


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a closed vocabulary: category, system or tag, with the text of its index page."""

    id: str
    title: str
    text: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A repro script. `sha256` is the hex digest of the file's bytes, as proofs record it."""

    path: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a proof's run took place; `driver` is the NVIDIA kernel module's version."""

    python: str
    platform: str
    device: str
    driver: str | None = None
    root: bool | None = None
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProofRun:
    """One run of the script. `log` names a file beside the proof; `text` is what that file holds."""

    exit_code: int
    seconds: float
    log: str
    ranked: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A judged run, as the runner wrote it to `path`. `symptom` and `fixed` may be absent if skipped."""

    format: int
    entry: str
    lane: str
    verdict: str
    shown: str
    date: str
    environment: Environment
    script_sha256: str
    reason: str | None = None
    symptom: ProofRun | None = None
    fixed: ProofRun | None = None
    path: str = ""


# The strongest first: what a page claims and a badge counts when an entry has proofs of several lanes.
VERDICTS = ("proven", "recorded", "failed", "skipped")


@dataclass(frozen=True)
class CaseSet:
    """Recorded score of one folder of labelled logs. Shares are 0 to 1, None where there is no such case.

    `confusion` counts (expected id, answered id), `none` for no entry. `rows` are as `faultbook score --record`
    writes them: case, kind, acceptable, verdict, answered, first_rank, told_rank, source, why.
    """

    name: str
    cases: int
    positives: int
    negatives: int
    top1: float | None
    top3: float | None
    false_alarms: float | None
    first_rank: float | None
    confusion: tuple[tuple[str, str, int], ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Catalog:
    """Everything that is published. Entries are sorted by id; vocabularies map an id to its Term."""

    entries: tuple[Entry, ...] = ()
    categories: Mapping[str, Term] = field(default_factory=dict)
    systems: Mapping[str, Term] = field(default_factory=dict)
    tags: Mapping[str, Term] = field(default_factory=dict)
    proofs: tuple[Proof, ...] = ()
    scripts: Mapping[str, Script] = field(default_factory=dict)
    """By entry id."""
    files: tuple[str, ...] = ()
    """Paths of all entry files that were read; those with faults are not among `entries`."""
    scores: tuple[CaseSet, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Entry]:
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def by_alias(self) -> Mapping[str, Entry]:
        return {alias: entry for entry in self.entries for alias in entry.aliases}

    @cached_property
    def by_tag(self) -> Mapping[str, tuple[Entry, ...]]:
        return _grouped((tag, entry) for entry in self.entries for tag in entry.tags)

    @cached_property
    def by_system(self) -> Mapping[str, tuple[Entry, ...]]:
        return _grouped((system.id, entry) for entry in self.entries for system in entry.systems)

    @cached_property
    def by_category(self) -> Mapping[str, tuple[Entry, ...]]:
        return _grouped((entry.category, entry) for entry in self.entries)

    @cached_property
    def _refiners(self) -> Mapping[str, tuple[Entry, ...]]:
        return _grouped((general, entry) for entry in self.entries for general in entry.refines)

    @cached_property
    def _causes(self) -> Mapping[str, tuple[Entry, ...]]:
        return _grouped((effect, entry) for entry in self.entries for effect in entry.leads_to)

    @cached_property
    def _proofs(self) -> Mapping[str, tuple[Proof, ...]]:
        return _grouped((proof.entry, proof) for proof in sorted(self.proofs, key=_strength))

    def entry(self, id: str) -> Entry | None:
        """The entry of this id or former id."""
        return self.by_id.get(id) or self.by_alias.get(id)

    def existing(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """The entries of these ids, in order, without those that are not in the catalog."""
        return tuple(self.by_id[id] for id in ids if id in self.by_id)

    def parents(self, id: str) -> tuple[Entry, ...]:
        """The more general entries that `id` refines."""
        return self.existing(self.by_id[id].refines) if id in self.by_id else ()

    def refiners(self, id: str) -> tuple[Entry, ...]:
        """The entries that explain `id` more precisely."""
        return self._refiners.get(id, ())

    def causes(self, id: str) -> tuple[Entry, ...]:
        """The entries that say they lead to `id`."""
        return self._causes.get(id, ())

    def proofs_of(self, id: str) -> tuple[Proof, ...]:
        """Strongest verdict first, the newest of equals first."""
        return self._proofs.get(id, ())

    def proof(self, id: str) -> Proof | None:
        """The proof that a page shows: the first of `proofs_of`."""
        return next(iter(self.proofs_of(id)), None)

    def related(self, id: str, limit: int = 8) -> tuple[Entry, ...]:
        """Siblings first (named by the entry, refining it, naming it, sharing a parent), then shared tags.

        Among the latter an entry with more and rarer shared tags comes first; equals by id.
        """
        if id not in self.by_id:
            return ()
        ids = dict.fromkeys([*self._siblings(self.by_id[id]), *self._by_shared_tags(self.by_id[id])])
        ids.pop(id, None)
        return self.existing(ids)[:limit]

    def _siblings(self, entry: Entry) -> Iterable[str]:
        yield from entry.sibling_ids
        for group in (self.refiners(entry.id), self.causes(entry.id)):
            yield from (other.id for other in group)
        for parent in entry.refines:
            yield from (other.id for other in self.refiners(parent))

    def _by_shared_tags(self, entry: Entry) -> list[str]:
        weights: dict[str, float] = defaultdict(float)
        for tag in entry.tags:
            sharing = self.by_tag[tag]
            for other in sharing:
                weights[other.id] += 1 / len(sharing)
        return sorted(weights, key=lambda id: (-weights[id], id))


def _grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: tuple(values) for key, values in groups.items()}


def _strength(proof: Proof) -> tuple[int, int]:
    return VERDICTS.index(proof.verdict), -int(proof.date.replace("-", ""))


def _structure_signature(data: Data, _: type) -> Signature:
    shown = {"examples", "counter_examples"}
    return Signature(
        id=data["id"],
        strength=data["strength"],
        says=data["says"],
        examples=tuple(data["examples"]),
        counter_examples=tuple(CounterExample(**row) for row in data["counter_examples"]),
        spec={key: value for key, value in data.items() if key not in shown},
        versions=data.get("versions"),
    )


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, detailed_validation=False)
    converter.register_structure_hook(Signature, _structure_signature)
    return converter


_CONVERTER = _converter()


def entry_from(data: Data) -> Entry:
    """An Entry from plain data of the schema's shape. Fails only if model and schema have drifted apart."""
    return _CONVERTER.structure(data, Entry)


def proof_from(data: Data) -> Proof:
    """A Proof from its JSON object (format 1) plus `path` and, in each run, `text`.

    Raises whatever cattrs raises when the object has another shape, ValueError for an unknown verdict.
    """
    proof = _CONVERTER.structure(data, Proof)
    if proof.verdict not in VERDICTS:
        raise ValueError(f"verdict '{proof.verdict}' is none of {', '.join(VERDICTS)}")
    return proof


def case_sets_from(data: Data) -> tuple[CaseSet, ...]:
    """The sets of a recorded score (format 1). Raises whatever cattrs raises when it has another shape."""
    return tuple(_CONVERTER.structure(one, CaseSet) for one in data["sets"])
