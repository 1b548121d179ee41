"""Which signatures hold in a log: their clauses over its records, events and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from .frozen import Frozen
from .signature import Clause, Hit, Signature
from .template import Template
from .types import Event, Record


class Log(Frozen):
    """What was read, with what is needed to pass over signatures quickly."""

    records: Sequence[Record]
    events: Sequence[Event]

    def texts(self) -> Iterator[str]:
        """All that a template can be searched in."""
        yield from (record.text for record in self.records)
        yield from (event.message for event in self.events)
        yield from (frame.code for event in self.events for frame in event.frames)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.texts())

    @cached_property
    def words(self) -> frozenset[str]:
        # text by text: one list of all words would take many times the log's size
        return frozenset(chain.from_iterable(map(str.split, self.texts())))

    @cached_property
    def kinds(self) -> Mapping[str, Sequence[Event]]:
        groups: dict[str, list[Event]] = {}
        for event in self.events:
            groups.setdefault(event.kind, []).append(event)
        return groups

    def may_hold(self, template: Template) -> bool:
        """False only if the template is certainly nowhere in the log; costs a set look-up where it can."""
        return template.word in self.words if template.word else template.needle in self.text


class Held(Frozen):
    """A signature that holds, with the hits of its clauses."""

    signature: Signature
    hits: tuple[tuple[Clause, tuple[Hit, ...]], ...]
    against: tuple[tuple[Clause, tuple[Hit, ...]], ...]

    @property
    def records(self) -> frozenset[tuple[str, int]]:
        return frozenset((hit.record.file, hit.record.line) for _, hits in self.hits for hit in hits)


def evaluate(signature: Signature, log: Log) -> Held | None:
    """The signature with its hits if it holds in the log, else None."""
    if not all(log.may_hold(template) for template in signature.required):
        return None
    needed = [(clause, hits_of(clause, log)) for clause in signature.all]
    if not all(hits for _, hits in needed):
        return None
    choice = [(clause, hits) for clause in signature.any if (hits := hits_of(clause, log))]
    if (signature.any and not choice) or any(hits_of(clause, log) for clause in signature.none):
        return None
    if signature.disjoint_ranks and not _disjoint(hits for _, hits in needed):
        return None
    against = [(clause, hits) for clause in signature.against if (hits := hits_of(clause, log))]
    return Held(signature, (*needed, *choice), tuple(against))


def hits_of(clause: Clause, log: Log) -> tuple[Hit, ...]:
    """Where the clause holds, in log order."""
    if not all(log.may_hold(template) for template in clause.templates):
        return ()
    events = log.kinds.get(clause.event, ()) if clause.event else log.events
    return tuple(clause.hits(log.records, events))


def _disjoint(groups: Iterable[Iterable[Hit]]) -> bool:
    """Whether every group has a known rank and no rank is in two groups."""
    seen: set[int] = set()
    for hits in groups:
        ranks = {hit.rank for hit in hits if hit.rank is not None}
        if not ranks or ranks & seen:
            return False
        seen |= ranks
    return True
