"""Python exceptions: tracebacks of Python, Rich and IPython, chained ones, and bare `SomeError: …` lines.

Ranks interleave, so each stream (file, rank, node, pid) is followed by a state of its own. A message may
run over many lines (`Error(s) in loading state_dict`); PyTorch's advice at its end is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..lazy import Lazy
from ..types import Event, Frame, Record
from .common import HARMLESS, Raised, known
from .frames import distinct, frame_of, is_carets, is_frame, marked_code, set_code
from .resources import facts_of

TRIGGERS = (
    "Traceback (most recent call last)", "Error", "Exception", 'File "', "OutOfResources", "❱", "Interrupt",
    "During handling of", "direct cause of",
)  # fmt: skip

_CLASS = r"[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){0,8}"
_HEAD = Lazy(rf"(?P<type>{_CLASS})(?::(?: (?P<message>.*)|$)|$)", re.DOTALL)
_BARE = Lazy(
    r"(?:(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z_]\w{0,80}(?:Error|Exception)"
    r"|(?:[A-Za-z_]\w{0,80}\.){0,8}(?:Exception|OutOfResources)|KeyboardInterrupt|SystemExit)(?::(?: |$)|$)"
)
_RICH_ROW = Lazy(r"\d{1,9}(?: |$)")
_SKIPPED = ("[Previous line repeated", "...<")
_ADVICE = (
    "CUDA kernel errors might be asynchronously", "For debugging consider passing", "Compile with `TORCH_USE_",
    "Search for `cuda", "Device-side assertions were", "HIP kernel errors might be",
    "Exception raised from ", "frame #",
)  # fmt: skip
_SECOND_LINES = ("Memory on the node (",)  # of messages that have always two, Ray's with its numbers
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_NOT_TYPES = {"INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL", "FATAL", "NOTE", "TRACE", "Traceback", "Epoch", "Step"}
_SMALL_TYPES = {"timeout", "gaierror", "herror", "error"}
_STOP = Lazy(
    r"(?:\S{1,100} exited with code|Traceback \(most|srun:|slurmstepd|wandb:|Killed|Aborted|Segmentation"
    r"|terminate called|[-=*╭]{4}|\[\w|\d{1,3}%\||/\S{1,300}\.cu:\d|\.\./aten"
    r"|[IWE]\d{4} |20\d\d-|\"\"\"|[\w.-]{1,40}[$#] |(?:INFO|WARNING|ERROR)\b)"
)
_MOST_LINES, _MOST_CHARS = 200, 16_000
_MOST_FRAMES, _MOST_STRAY = 500, 60


class _Stream:
    """What is known about the traceback that one stream is in the middle of."""

    def __init__(self) -> None:
        self.frames: list[Frame] | None = None  # None: not inside a traceback
        self.caused_by: str | None = None
        self.last_type: str | None = None
        self.head: Record | None = None  # set while the lines of a message are gathered
        self.body: list[Record] = []
        self.bare = False
        self.size = 0
        self.open = 0  # tracebacks begun and not ended: more than one when unprefixed ranks interleave
        self.stray = 0  # unindented lines since the last frame that are no exception
        self.ignored = False
        self.rich = False  # the last frame was one of Rich's or IPython's, whose code row is marked
        self.quoted: list[Record] = []


def recognise(records: Sequence[Record], candidates: Iterable[int]) -> tuple[tuple[Raised, ...], frozenset[int]]:
    """Every exception in `records` by place of its message, and the id() of records that are quoted source.

    `candidates`: indices of the records that hold a trigger; the others matter only inside a traceback.
    """
    triggered = set(candidates)
    streams: dict[tuple[object, ...], _Stream] = {}
    found: list[Raised] = []
    for index, record in enumerate(records):
        key = (record.file, record.rank, record.node, record.pid)
        stream = streams.get(key)
        if stream is None:
            stream = streams[key] = _Stream()
        if stream.frames is not None or stream.head is not None or index in triggered:
            found.extend(_feed(stream, record))
    for stream in streams.values():
        found.extend(_finish(stream) or _cut_off(stream))
    order = {id(record): index for index, record in enumerate(records)}
    quoted = frozenset(id(record) for stream in streams.values() for record in stream.quoted)
    return tuple(sorted(found, key=lambda raised: order[id(raised.records[0])])), quoted


def _feed(stream: _Stream, record: Record) -> Iterable[Raised]:
    text = record.text
    if stream.head is not None:
        if _belongs(stream, record):
            stream.body.append(record)
            stream.size += len(text)
            return ()
        done = _finish(stream)
    else:
        done = []
    if "Traceback (most recent call last)" in text:
        kept = stream.frames if stream.frames and len(stream.frames) < _MOST_FRAMES else []
        stream.open = stream.open + 1 if kept else 1
        stream.frames, stream.stray = kept, 0
    elif text.startswith("Exception ignored in"):
        stream.ignored = True
    elif text.lstrip().startswith(_CHAINED):
        stream.caused_by = stream.last_type
    elif stream.frames is not None:
        _inside(stream, record)
    elif _BARE.match(text) and not _is_warning(text):
        stream.head, stream.bare, stream.size = record, True, len(text)
    elif is_frame(text):  # the top of the traceback was cut off
        stream.frames = []
        _inside(stream, record)
    return done


def _inside(stream: _Stream, record: Record) -> None:
    """One line of a traceback: a frame, its code, or the exception that ends it."""
    assert stream.frames is not None
    text = record.text
    found = frame_of(text, record)
    if found:
        frame, stream.rich = found
        stream.frames.append(frame)
        stream.stray = 0
    elif code := marked_code(text):
        stream.quoted.append(record)
        set_code(stream.frames, *code)
    elif text[:1] in " \t" or text[:1] in "╭╰│":
        stream.quoted.append(record)
        if not stream.rich and not is_carets(text) and not text.lstrip().startswith(_SKIPPED):
            set_code(stream.frames, text.strip())
    elif stream.rich and _RICH_ROW.match(text):
        stream.quoted.append(record)
    elif _is_head(text, bool(stream.frames)):
        stream.head, stream.bare, stream.size = record, False, len(text)
    else:
        stream.stray += 1
        if stream.stray > _MOST_STRAY:
            stream.frames, stream.open = None, 0


def _is_head(text: str, framed: bool) -> bool:
    if _BARE.match(text):
        return True
    found = _HEAD.match(text)
    if not found or not framed or found["type"] in _NOT_TYPES:
        return False
    last = found["type"].rsplit(".", 1)[-1]
    return last[0].isupper() or (last in _SMALL_TYPES and "." in found["type"])


def _is_warning(text: str) -> bool:
    return text.split(":", 1)[0].endswith("Warning")


def _belongs(stream: _Stream, record: Record) -> bool:
    """Whether `record` goes on with the message that `stream.head` began."""
    head, last = stream.head, stream.body[-1] if stream.body else stream.head
    assert head is not None and last is not None
    text = record.text
    if len(stream.body) >= _MOST_LINES or stream.size > _MOST_CHARS:
        return False
    if text.startswith(_ADVICE) or last.text.startswith(_ADVICE):
        return text.startswith(_ADVICE)  # advice ends a message
    if record.line > last.line + max(last.lines, 1) + last.count - 1:  # a blank line, or other streams, in between
        return record.rank is not None and text[:1] in " \t" and not is_frame(text)
    if (record.level is not None and head.level is None) or (record.time is None) != (head.time is None):
        return False
    if _BARE.match(text) or _STOP.match(text) or text.lstrip().startswith(_CHAINED) or is_frame(text):
        return False
    if text[:1] in " \t":
        return True
    return not stream.bare or last.text.rstrip().endswith((":", ",", ";", "(")) or text.startswith(_SECOND_LINES)


def _finish(stream: _Stream) -> list[Raised]:
    """The exception whose message is complete now, if one was being gathered."""
    if stream.head is None:
        return []
    head = stream.head
    kept = [record.text for record in stream.body if not record.text.startswith(_ADVICE)]
    message = "\n".join([head.text, *kept])
    found = _HEAD.match(head.text)
    name = found["type"] if found else head.text.split(":", 1)[0]
    frames = distinct(stream.frames or ())
    fields = {**known([("type", name), ("caused_by", stream.caused_by)]), **facts_of(message, frames)}
    quiet = HARMLESS + (("WARNING",) if stream.bare else ())
    told = head.level in quiet and not _is_relayed(head, frames)
    failure = not told and not stream.ignored and name not in ("SystemExit", "KeyboardInterrupt")
    event = Event("exception", head, message, fields, frames, failure)
    raised = Raised(event, (head, *stream.body))
    stream.last_type, stream.caused_by = name, None
    stream.open -= 1
    if stream.open <= 0:
        stream.frames, stream.open = None, 0
    stream.head, stream.body, stream.size, stream.ignored = None, [], 0, False
    return [raised]


def _is_relayed(head: Record, frames: Sequence[Frame]) -> bool:
    """Whether a parent process gave every line of its child's output one level, which then says nothing."""
    return bool(frames) and all(frame.record.level == head.level for frame in frames)


def _cut_off(stream: _Stream) -> list[Raised]:
    """A traceback whose log ends among its frames: something failed, what it was is not in the log."""
    if not stream.frames or not stream.open or stream.stray or stream.ignored:
        return []  # without the head line it may be `Stack (most recent call last)`, which is no failure
    last = stream.frames[-1].record
    return [Raised(Event("exception", last, "", {}, distinct(stream.frames)), (last,))]
