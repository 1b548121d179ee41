"""Stage 5, second half of reading: records to events. One recogniser a module; this is the list of them.

A recogniser offers `TRIGGERS`, literal substrings at least one of which stands in every line that can be or
start one of its events, and `recognise(sayings) -> iterable of Event`. Exceptions come first: the others
take an exception's whole message for one text and share its frames.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Event, Record
from . import (
    collective,
    cuda_error,
    device_assert,
    exception,
    growth,
    kernel_oom,
    launcher,
    memory,
    mpi,
    process_exit,
    xid,
)
from .common import Haystack, Sayings

RECOGNISERS = (
    device_assert,
    memory,
    cuda_error,
    collective,
    kernel_oom,
    xid,
    launcher,
    mpi,
    process_exit,
    growth,
)
_ALL = dict.fromkeys([*exception.TRIGGERS, *(t for r in RECOGNISERS for t in r.TRIGGERS)])
# a trigger that holds another one finds nothing new
TRIGGERS: tuple[str, ...] = tuple(t for t in _ALL if not any(other in t for other in _ALL if other != t))

# Lines around a trigger that can belong to its event. Every frame line is a trigger itself, so these need not
# span a traceback, only what has no trigger: code lines, carets, wrapped rows, the lines of a long message.
CONTEXT_BEFORE = 16
CONTEXT_AFTER = 48


def recognise(records: Sequence[Record]) -> tuple[Event, ...]:
    """Every event in `records` in log order; an exception comes before what was read out of its message."""
    haystack = Haystack(records)
    raised, quoted = exception.recognise(records, haystack.holding(exception.TRIGGERS))
    sayings = Sayings(records, haystack, raised, quoted)
    events = [one.event for one in raised]
    for recogniser in RECOGNISERS:
        events.extend(recogniser.recognise(sayings))
    order = {id(record): index for index, record in enumerate(records)}
    return tuple(sorted(events, key=lambda event: order[id(event.record)]))
