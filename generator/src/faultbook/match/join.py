"""Wrapped lines made whole again, only where the log itself shows that they were wrapped.

Evidence that counts:
1. rows of a Rich box (`│ … │`): a path row and its `in function` belong together; behind the box the
   message goes on as long as the next word would not have fitted into the box's width;
2. a Rich log line with a right-hand `file.py:12` column, followed by rows padded to the message's column;
3. a terminal of width W: several lines nearby are exactly W long and none is longer;
4. a known message that stops in mid-sentence: an open parenthesis or a trailing comma, and a next line that
   starts in lower case or with a digit.

Nothing is joined to a line that carries its own log level, another rank, or the look of a new message.
"""

from __future__ import annotations

from collections.abc import Sequence

from .lazy import Lazy
from .prefixes import NO_FACTS, Facts

MOST = 40  # physical lines in one record
NARROWEST, WIDEST = 60, 400
NEAR = 12  # lines looked at on either side for a terminal's width


class Line:
    """One physical line on its way to a record."""

    __slots__ = ("facts", "lines", "number", "raw", "text", "width")

    def __init__(
        self, number: int, raw: str, text: str, facts: Facts = NO_FACTS, lines: int = 1, width: int = 0
    ) -> None:
        self.number, self.raw, self.text, self.facts = number, raw, text, facts
        self.lines, self.width = lines, width  # width on screen, prefixes and padding included


# Substrings of messages worth completing. Gluing is refused elsewhere: tables and banners have equal widths too.
WORTH = (
    "Error", "Exception", "out of memory", "Tried to allocate", "total capac", "Watchdog", "Work", "exits with",
    "Assertion", "oom-kill", "Killed process", "Xid", "Timed out", "timed out", "File \"", "terminate called",
)  # fmt: skip
_NEW = Lazy(
    r"\s*(?:Traceback \(most recent|File \"|During handling of|The above exception|[-=+*#_~]{4}|[╭╰│┌└|]|\$ |>>> "
    r"|(?:[A-Za-z_][\w.]{0,100}(?:Error|Exception|Interrupt|Warning)\b)|[A-Z]{4,10}[: ]|\w{1,20}: \["
    r"|srun:|slurmstepd|wandb:|terminate called|oom_reaper|[\w.-]{1,60} exited with|Killed\b|Aborted|Segmentation"
    r"|\d{1,3}%\||[-*•] )"
)
_ADVICE = ("CUDA kernel errors might", "For debugging consider", "Compile with", "Search for `", "Device-side assert")
_CODE_ROW = Lazy(r"(?:❱ )?\d{1,6} (?:│|\|)|❱")
_PATH_ROW = Lazy(r"(?:[/~.]|[A-Za-z]:\\|in )\S")
_FRAME_END = Lazy(r":\d{1,7} in \S+$")
_FRAME_HEADER = Lazy(r"\s*File \"[^\"\n]{1,300}\", line \d{1,7}, in \S{1,200}$")  # whole: code follows, not its rest
_RIGHT_COLUMN = Lazy(r"(?P<body>.*\S) {1,200}(?P<source>[\w-]{1,60}\.py:\d{1,6})$")
_PLAIN_WORD = Lazy(r"(?:^| )[a-z]{1,20}$")
_DIGITS = Lazy(r"\d+")
_GOES_ON = Lazy(r"[a-z0-9(]")
_PROSE = Lazy(r"[a-z]{1,20}(?: |$)")


def unbox(text: str) -> str:
    """A row of a Rich box without its borders; any other text unchanged."""
    body = text.rstrip()
    if len(body) > 1 and body[0] in "│┃" and body[-1] in "│┃":
        inner = body[1:-1]
        return inner[1:].rstrip() if inner.startswith(" ") else inner.rstrip()
    return text


def join(lines: Sequence[Line], final: bool = True) -> tuple[list[Line], int]:
    """`lines` with wrapped ones merged, and how many were used up.

    Unless `final`, the last `MOST` lines are left for the next call, which sees them again with what follows.
    """
    done: list[Line] = []
    index, end = 0, len(lines) if final else max(0, len(lines) - MOST)
    width = 0
    while index < end:
        first = lines[index]
        body = first.text.rstrip()
        if body[:1] in "╭╰" and body[-1:] in "╮╯":
            width = len(body)
        taken = _boxed(lines, index) or _behind_box(lines, index, width) or _column(lines, index)
        taken = taken or _terminal(lines, index) or _sentence(lines, index)
        text, count = taken or (unbox(first.text), 1)
        if body and body[0] not in "╭╰│┃" and not taken:
            width = 0
        covered = lines[index + count - 1].number - first.number + 1
        done.append(Line(first.number, first.raw, text, first.facts, covered))
        index += count
    return done, index


def _boxed(lines: Sequence[Line], index: int) -> tuple[str, int] | None:
    """Rows of one frame header inside a box: `/long/path/file.py:12 in` + `train`."""
    row = _row(lines[index])
    if row is None or not _PATH_ROW.match(row) or _CODE_ROW.match(row):
        return None
    full = len(lines[index].text.rstrip()) - 4
    text, count = row, 1
    while count < 6 and index + count < len(lines) and not _FRAME_END.search(text):
        more = _row(lines[index + count])
        if not more or _CODE_ROW.match(more) or not _same_source(lines[index], lines[index + count]):
            break
        text += more if len(row) >= full else " " + more
        row, count = more, count + 1
    return (text, count) if count > 1 else None


def _row(line: Line) -> str | None:
    inner = unbox(line.text)
    return inner if inner is not line.text else None


def _behind_box(lines: Sequence[Line], index: int, width: int) -> tuple[str, int] | None:
    if not width or lines[index].text[:1] in "╭╰│ ":
        return None
    text = last = lines[index].text.rstrip()
    count = 1
    while count < MOST and index + count < len(lines):
        more = lines[index + count].text.strip()
        fits = len(last) + 1 + len(more.split(" ", 1)[0]) <= width
        if not more or fits or _is_new(lines[index], lines[index + count]):
            break
        # Rich wraps between words, so a space was lost, unless one word alone filled the row
        text += more if " " not in last and len(last) >= width else " " + more
        last, count = more, count + 1
    return (text, count) if count > 1 else None


def _terminal(lines: Sequence[Line], index: int) -> tuple[str, int] | None:
    width = lines[index].width
    if not NARROWEST <= width <= WIDEST or not _full(lines[index], width) or index + 1 >= len(lines):
        return None
    if lines[index + 1].width > width or (index and lines[index - 1].width > width):
        return None
    seam = lines[index].text[-40:] + lines[index + 1].text[:40]
    if not (_worth(lines[index].text) or _worth(seam)) or not _is_width(lines, index, width):
        return None
    text, count = lines[index].text, 1
    while count < MOST and index + count < len(lines) and _full(lines[index + count - 1], width):
        nxt = lines[index + count]
        # a prefix is printed once a message, so the rows below it have none
        new = _is_new(nxt if nxt.facts == NO_FACTS else lines[index], nxt)
        code = nxt.text.startswith("    ") and _FRAME_HEADER.match(text)
        if not nxt.text.strip() or new or code or _alike(lines[index], nxt):
            break
        text, count = text + nxt.text, count + 1
    # the last row of a wrapped message is shorter; rows that are all equal are a table
    return (text.rstrip(), count) if count > 1 and not _full(lines[index + count - 1], width) else None


def _full(line: Line, width: int) -> bool:
    """The row reaches the terminal's edge, or all but: a space at the edge is often lost."""
    return line.width == width and len(line.text) - len(line.text.rstrip()) <= 1


def _alike(one: Line, other: Line) -> bool:
    """Two messages of one shape, not the two halves of one."""
    return _DIGITS.sub("0", one.text[:24]) == _DIGITS.sub("0", other.text[:24])


def _is_width(lines: Sequence[Line], index: int, width: int) -> bool:
    """Nothing nearby is longer than `width`, and at least one other line is exactly as long (or padded so).

    Lines of one shape count once: ranks without prefixes print the same message, of the same length.
    """
    near = lines[max(0, index - NEAR) : index + NEAR]
    if max(line.width for line in near) > width:
        return False
    return len({_DIGITS.sub("0", line.text[:WIDEST]) for line in near if line.width == width}) >= 2


def _column(lines: Sequence[Line], index: int) -> tuple[str, int] | None:
    """RichHandler: `ERROR    message that is            train.py:12`, then padded rows of the message."""
    first = lines[index]
    found = _RIGHT_COLUMN.match(first.text[-WIDEST:]) if first.text.endswith(tuple("0123456789")) else None
    if not found or first.facts.level is None or len(first.text) > WIDEST:
        return None
    text, count = found["body"], 1
    while count < MOST and index + count < len(lines):
        nxt = lines[index + count]
        if not nxt.text.startswith(" " * 12) or nxt.facts.level is not None:
            break
        text += " " + nxt.text.strip()
        count += 1
    return text, count


def _sentence(lines: Sequence[Line], index: int) -> tuple[str, int] | None:
    text = lines[index].text.rstrip()
    if len(text) < 30 or text[0] == " " or index + 1 >= len(lines) or not _GOES_ON.match(lines[index + 1].text.strip()):
        return None
    if not _worth(text):
        return None
    count = 1
    while count < 6 and index + count < len(lines):
        nxt = lines[index + count]
        more = nxt.text.strip()
        opened = text.count("(") > text.count(")")
        if not more or nxt.text.startswith("  ") or _is_new(lines[index], nxt) or not _GOES_ON.match(more):
            break
        cut = text[-1] in ",;(" or (len(text) >= 60 and _PLAIN_WORD.search(text[-30:]) and _PROSE.match(more))
        if not (opened or cut) or "=" in more.split(" ", 1)[0]:
            break
        text, count = f"{text} {more}", count + 1
    return (text, count) if count > 1 else None


def _worth(text: str) -> bool:
    return any(mark in text for mark in WORTH)


def _same_source(one: Line, other: Line) -> bool:
    return one.facts.rank == other.facts.rank and one.facts.pid == other.facts.pid


def _is_new(first: Line, line: Line) -> bool:
    """Whether `line` starts a message of its own as far as its looks tell."""
    if not _same_source(first, line) or (line.facts.level is not None):
        return True
    if line.facts.boot is not None or (line.facts.time is not None and first.facts.time is None):
        return True
    return _NEW.match(line.text) is not None or line.text.startswith(_ADVICE)
