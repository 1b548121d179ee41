"""What loggers, launchers and containers put before a line: stripped again and again, facts kept.

Two sorts. DIRECT prefixes cannot be mistaken and are stripped wherever they stand. CONTEXTUAL ones
(`0: ` of srun -l, `web  | ` of compose, `node3: ` of pdsh, the bars of an exception group) look like parts of
messages; they go only if the neighbouring lines carry them too, which `read.py` decides.

Each pattern is anchored, starts with a known character class and has bounded repeats. At most one space
after a prefix belongs to it, so the indentation of tracebacks survives.
"""

from __future__ import annotations

import re

from .frozen import Frozen, replace
from .lazy import Lazy

LEVEL = r"(?P<level>TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL|SEVERE|EXCEPTION)"
ANY_LEVEL = r"(?P<level>(?i:trace|debug|info|notice|warning|warn|error|critical|fatal|severe))"
DATE = r"(?P<date>\d{4}[-/]\d\d[-/]\d\d)"
CLOCK = r"(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
ZONE = r"(?: ?(?P<zone>Z|UTC|[+-]\d\d:?\d\d))?"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTH = f"(?P<month>{'|'.join(MONTHS)})"
SOURCE = r"[\w./<>-]{1,120}:\d{1,6}"

# Grouped by what the line starts with: most lines of a log fail after one look at one character.
_BRACKET = (
    r"\[rank(?P<rank>\d{1,6})\]: ?",
    r"\[(?:default|trainer|worker)(?P<local>\d{1,4})\]:",
    r"\[\d{1,6},(?P<rank>\d{1,6})\]<std(?:out|err)>:? ?",
    r"\[(?:rank: |RANK )(?P<rank>\d{1,6})\] ?",
    rf"\[(?P<level>[IWEF])\d{{3,4}} {CLOCK} (?:\d{{1,8}} )?{SOURCE}\] ?",
    rf"\[(?P<level>[IWEF]) {SOURCE}\] ?",
    rf"\[{LEVEL}\|[^\]\n]{{1,120}}\] (?:{DATE} {CLOCK} )?(?:>> ?)?",
    rf"\[{DATE}[ T-]{CLOCK}{ZONE}\]:? ?",
    rf"\[[\w.]{{1,100}}\]\[{LEVEL}\](?: - )? ?",
    rf"\[\d\d/\d\d/\d\d {CLOCK}\] +(?:{LEVEL} +)?",
    rf"\[{CLOCK}\] +(?:{LEVEL} +)?",
    r"\[ {0,8}(?P<boot>\d{1,9}\.\d{3,9})\] ?",
    rf"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {MONTH} {{1,2}}(?P<day>\d{{1,2}}) {CLOCK} (?P<year>\d{{4}})\] ?",
    rf"\[{ANY_LEVEL}\] \[(?!rank\d|[\w.]{{0,60}}(?:Error|Exception)\])[A-Za-z][\w.-]{{0,60}}\] ",
    rf"\[{ANY_LEVEL}\] {{0,4}}",
    r"\[[\w.-]{1,80}\.(?:py|cpp|cc|cu|go|rs|h):\d{1,6}(?::[\w<>.]{1,80})?\] ?",
    r"\[[\w.-]{1,40}\] (?=20\d\d-\d\d-\d\d )",
    r"\[pod/(?P<node>[^\]/\n]{1,120})/[^\]\n]{1,120}\] ?",
)
_PAREN = (
    r"\((?:VllmWorker|Worker)_TP(?P<rank>\d{1,4}) pid=(?P<pid>\d{1,9})\) ?",
    r"\([\w.:<>-]{1,80} rank=(?P<rank>\d{1,6}) pid=(?P<pid>\d{1,9})\) ?",
    r"\((?:[\w.:<>-]{1,100} )?pid=(?P<pid>\d{1,9})(?:, ip=(?P<node>[\w.:-]{1,80}))?\) ?",
    r"\((?:raylet|gcs_server|autoscaler[^)\n]{0,20})(?:, ip=(?P<node>[\w.:-]{1,80}))?\) ?",
)
_DIGIT = (
    rf"{DATE}[T ]{CLOCK}{ZONE}(?: std(?:out|err) [FP](?= |$))?:?(?:(?= [|-] )|[ \t]?)",
    rf"{CLOCK} (?=[\[A-Z(-])",
    rf"(?P<year>\d{{2}})(?:/\d\d/\d\d) {CLOCK} (?:{LEVEL} )?",
)
_LETTER = (
    rf"{LEVEL} (?:{DATE}|\d\d-\d\d) {CLOCK} (?:\[[^\]\n]{{1,120}}\]|[^\]\s]{{1,120}}\]) ?",
    rf"(?P<level>[IWEF])\d{{3,4}} {CLOCK} +(?P<pid>\d{{1,9}}) {SOURCE}\] ?",
    rf"{LEVEL}:[\w.]{{1,120}}:",
    rf"{LEVEL}: {{4,9}}",
    rf"(?:torch|deepspeed|accelerate)\.[\w.]{{1,120}}: \[{LEVEL}\] ?",
    rf"{MONTH} {{1,2}}\d{{1,2}} {CLOCK} (?P<node>[\w.-]{{1,80}}) [\w./@-]{{1,60}}(?:\[(?P<pid>\d{{1,9}})\])?: ?",
    r"(?P<node>[\w.-]{1,100}):(?P<pid>\d{1,9}):\d{1,9} (?:\[-?\d{1,3}\] )?(?:[\w./]{1,100}:\d{1,6} )?(?=NCCL )",
    r"(?P<node>[\w.-]{1,60}[-_]\d{1,4}) {1,20}\|(?: |$)",
    r"(?P<node>[\w.-]{1,80}) \[std(?:err|out)\] ",
    r"std(?:err|out): (?=\S| )",
    r"E {3,15}(?=\S)",
    r"kernel: ?",
)
_NO_CLASS = r"(?![\w.]{0,120}(?:Error|Exception|Interrupt):)"  # `ERROR ValueError: …` names no logger
# Only right behind a time: elsewhere these are ordinary words.
_AFTER_TIME = (
    rf" ?\| {LEVEL} {{0,8}}\| [\w.<>-]{{1,120}}(?::[\w.<>-]{{1,120}}){{0,2}} (?:\| |- )",
    rf" ?(?:\||-) [\w.]{{1,120}} - {LEVEL} - ",
    rf" ?(?:\||-) {LEVEL} - (?:[\w.]{{1,120}} - )?",
    r" ?- (?=\S)",
    rf"[ \t]?{LEVEL} {{1,4}}{SOURCE} -- ",
    rf"{LEVEL} {{1,5}}{SOURCE}\] ?",
    rf"(?:\([\w-]{{1,60}}\) )?{LEVEL} {{1,5}}"
    rf"(?:\[[\w.$: -]{{1,120}}\] |{_NO_CLASS}[\w.]{{1,120}}(?::\d{{1,6}})? ?[:-] )?"
    r"(?! |\d\d-\d\d )",
    rf"{LEVEL}\t",
    rf"[\w.]{{1,120}} {LEVEL} ",
)
_PIPE = (rf"\| {LEVEL} {{0,8}}\| std(?:err|out) \| ?",)

# Rich leaves out a time that has not changed.
_INDENTED = (rf" {{8,24}}{LEVEL} {{2,9}}(?=\S)",)

SRUN = Lazy(r" {0,3}(?P<rank>\d{1,5}): ?")
COMPOSE = Lazy(r"(?P<node>[A-Za-z][\w.-]{0,60}) {1,20}\|(?: |$)")
PDSH = Lazy(r"(?P<node>[A-Za-z][\w.-]{0,50}\d[\w.-]{0,20}): (?=.)")
BRACKETED = Lazy(r"\[(?P<rank>\d{1,5})\]:? ")
GROUP = Lazy(r" {2,60}(?:\| ?|\+-\+?(?=-)|\+ (?=Exception Group Traceback))")
CONTEXTUAL = (SRUN, COMPOSE, PDSH, BRACKETED, GROUP)

_IN_TEXT = Lazy(r"\[(?:PG [^\]\n]{0,200}?Rank|Rank) (?P<rank>\d{1,6})\]")
_LETTERS = {"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL"}
_REPEATS = 10


def _compile(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(Lazy(pattern) for pattern in patterns)


_AFTER = _compile(_AFTER_TIME)
_NONE: tuple[re.Pattern[str], ...] = ()
_STARTS = {
    "[": _compile(_BRACKET),
    "(": _compile(_PAREN),
    "|": _compile(_PIPE),
    " ": _compile(_INDENTED),
    **dict.fromkeys("0123456789", _compile(_DIGIT) + _compile(_LETTER[6:8])),
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", _compile(_LETTER)),
}


class Facts(Frozen):
    """What prefixes said. `local` is a rank within its node, used as rank only if nothing better is known;
    `boot` is the kernel's clock, seconds since that machine started.
    """

    __slots__ = ()

    rank: int | None = None
    local: int | None = None
    node: str | None = None
    pid: int | None = None
    time: float | None = None
    level: str | None = None
    boot: float | None = None


NO_FACTS = Facts()


def strip(text: str, facts: Facts = NO_FACTS) -> tuple[str, Facts]:
    """`text` without its direct prefixes, and `facts` completed by what they said. Idempotent on plain text."""
    learned: dict[str, int | float | str] = {}
    after_time = False
    for _ in range(_REPEATS):
        found = _first(text, after_time)
        if found is None:
            break
        text = text[found.end() :]
        groups = found.groupdict()
        after_time = groups.get("clock") is not None
        _learn(learned, groups)
    if "Rank " in text and "rank" not in learned and facts.rank is None:
        inside = _IN_TEXT.match(text)
        if inside:
            learned["rank"] = int(inside["rank"])
    return text, _completed(facts, learned)


def strip_contextual(text: str, facts: Facts, pattern: re.Pattern[str]) -> tuple[str, Facts]:
    """As `strip`, for one prefix that the neighbouring lines have confirmed."""
    found = pattern.match(text)
    if not found:
        return text, facts
    learned: dict[str, int | float | str] = {}
    _learn(learned, found.groupdict())
    return strip(text[found.end() :], _completed(facts, learned))


def _first(text: str, after_time: bool) -> re.Match[str] | None:
    for pattern in _STARTS.get(text[:1], _NONE):
        found = pattern.match(text)
        if found and found.end():
            return found
    if after_time:
        for pattern in _AFTER:
            found = pattern.match(text)
            if found and found.end():
                return found
    return None


def _completed(facts: Facts, learned: dict[str, int | float | str]) -> Facts:
    """An outer prefix is the more trustworthy one, except for the level, which the program itself prints."""
    if not learned:
        return facts
    if facts is NO_FACTS:
        return Facts(**learned)  # type: ignore[arg-type]
    new = {name: value for name, value in learned.items() if name == "level" or getattr(facts, name) is None}
    return replace(facts, **new) if new else facts  # type: ignore[arg-type]


def _learn(learned: dict[str, int | float | str], groups: dict[str, str | None]) -> None:
    for name, value in groups.items():
        if value is None or (name in learned and name != "level"):
            continue
        if name in ("rank", "local", "pid"):
            learned[name] = int(value)
        elif name == "node":
            learned[name] = value
        elif name == "boot":
            learned[name] = float(value)
        elif name == "level":
            word = _LETTERS.get(value) or value.upper()
            learned[name] = "WARNING" if word == "WARN" else word
        elif name == "clock" and "time" not in learned:
            learned["time"] = _seconds(groups)


def _seconds(groups: dict[str, str | None]) -> float:
    clock = groups["clock"] or ""
    of_day = int(clock[:2]) * 3600 + int(clock[3:5]) * 60 + float(clock[6:].replace(",", "."))
    date = groups.get("date")
    if date:
        year, month, day = int(date[:4]), int(date[5:7]), int(date[8:10])
    elif groups.get("month") and groups.get("day") and groups.get("year"):
        year, day = int(groups["year"] or 0), int(groups["day"] or 0)
        month = MONTHS.index(groups["month"] or "") + 1
    else:
        return of_day
    return _days(year, month, day) * 86400 + of_day - _offset(groups.get("zone"))


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar (`datetime` is outside the allow-list)."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def _offset(zone: str | None) -> int:
    if not zone or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if zone[0] == "-" else seconds
