"""Lines of tracebacks that are frames or their code: Python's own, Rich's, and IPython's of all ages.

IPython prints the code around a frame and marks the row that ran with an arrow; up to 7.x only that row has the
line number. Methods carry their class since 8.0, which Python's own tracebacks do not print: it is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..frozen import replace
from ..lazy import Lazy
from ..types import Frame, Record

_PLAIN = Lazy(r'\s*File "(?P<file>[^"\n]{1,2000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,300}))?')
_RICH = Lazy(r"(?P<file>(?:[^\s:]|:\\)[^:]{0,1000}):(?P<line>\d{1,9}) in (?P<function>\S{1,300})$")
_IPYTHON = (
    Lazy(r"File (?P<file>(?![\s\"])[^:\n]{1,1000}):(?P<line>\d{1,9})(?:, in (?P<function>[\w.<>]{1,300})|$)"),
    Lazy(
        r"(?P<file>(?:Cell|Input) In ?\[\d{1,6}\])(?:, line (?P<line>\d{1,9}))?"
        r"(?:, in (?:<cell line: \d{1,9}>|(?P<function>[\w.<>]{1,300}))|$)"
    ),
    Lazy(r"(?P<file><ipython-input-[\w-]{1,60}>|[~/][^\n]{1,1000}?\.py) in (?P<function>[\w.<>]{1,300})(?:\(|$)"),
)
_ARROW = Lazy(r"-{1,8}> ?(?P<line>\d{1,9})(?: (?P<code>.*)|$)")
_RICH_CODE = Lazy(r"❱ {0,8}\d{1,9} (?P<code>.*)")
_CARETS = Lazy(r"[\s^~]*[\^~][\s^~]*$")
_GUIDES = Lazy(r"^[\s│|]*")
_STARTS = ("File ", "Cell In", "Input In", "<ipython-input-", "/", "~")


def is_frame(text: str) -> bool:
    """Whether the line is a frame of Python's own traceback, which needs no head to be known for one."""
    return _PLAIN.match(text) is not None


def frame_of(text: str, record: Record) -> tuple[Frame, bool] | None:
    """The frame that `text` is, and whether its code row will be marked (as Rich and IPython do)."""
    if plain := _PLAIN.match(text):
        return Frame(plain["file"], int(plain["line"]), (plain["function"] or "").strip(), "", record), False
    if rich := _RICH.match(text):
        return Frame(rich["file"], int(rich["line"]), rich["function"], "", record), True
    if not text.startswith(_STARTS):
        return None
    found = next((it for pattern in _IPYTHON if (it := pattern.match(text))), None)
    if found is None:
        return None
    line = found.groupdict().get("line")
    function = (found["function"] or "<module>").rpartition(".")[2]
    return Frame(found["file"], int(line) if line else None, function, "", record), True


def marked_code(text: str) -> tuple[str, int | None] | None:
    """Code of a marked row and the line number an arrow gives, or None."""
    if rich := _RICH_CODE.match(text.lstrip()):
        return _GUIDES.sub("", rich["code"]), None
    if arrow := _ARROW.match(text):
        return (arrow["code"] or "").strip(), int(arrow["line"])
    return None


def is_carets(text: str) -> bool:
    return _CARETS.match(text) is not None


def set_code(frames: list[Frame], code: str, line: int | None = None) -> None:
    """Complete the last frame, unless it has its code."""
    if frames and not frames[-1].code:
        last = frames[-1]
        frames[-1] = replace(last, code=code, line=last.line if last.line is not None else line)


def distinct(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Frames without the copies that interleaved ranks leave; a recursion's repeats go too."""
    return tuple({(f.file, f.line, f.function): f for f in reversed(frames)}.values())[::-1]
