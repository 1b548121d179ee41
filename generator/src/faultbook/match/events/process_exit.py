"""Processes that ended badly, told by whoever noticed: shell, launcher, scheduler, container, DataLoader.

Exit status 0 is no event. What a launcher did itself (`Sending process 12 closing signal SIGTERM`) is an
event with `failure=False`: the pid missing from that list is the one that failed first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import Frozen
from ..lazy import Lazy
from ..types import Event, Record, Value
from .common import HARMLESS, SIGNALS, Sayings, known, signal_of

TRIGGERS = (
    "Killed", "killed", "exit code", "exit status", "Exit Code", "exitcode", "return code = ", "exited with code",
    "terminated with", "core dumped", "Bus error", "bus error", "Segmentation fault", "segmentation fault", "Aborted",
    "closing signal", "received by PID", "exited unexpectedly", "died unexpectedly", "died with <Signals",
    "Fatal Python error", "Killing subprocess", "Terminated", "Exited with", "low on resource: memory", "Hangup",
    "xitCode", "Out Of Memory", "death signal",
)  # fmt: skip

MOST_TASKS = 256  # written out of lists in one log
_WORDS = {"Killed": 9, "killed": 9, "Terminated": 15, "terminated": 15, "Aborted": 6, "abort": 6, "Hangup": 1,
          "Segmentation fault": 11, "segmentation fault": 11, "Bus error": 7, "bus error": 7,
          "Out Of Memory": 9, "Floating point exception": 8, "Illegal instruction": 4}  # fmt: skip
_WORD = "|".join(word for word in _WORDS if word != "Out Of Memory")  # that one only Slurm says


class Rule(Frozen):
    __slots__ = ()

    reporter: str
    pattern: re.Pattern[str]
    failure: bool = True


def _rule(reporter: str, pattern: str, failure: bool = True) -> Rule:
    return Rule(reporter, Lazy(pattern), failure)


_PID = r"(?P<pid>\d{1,9})"
_CODE = r"(?P<code>-?\d{1,5})"
_TASK = r"(?:srun|slurmstepd): error: [^\n]{0,200}?tasks? \[?(?P<task>\d[\d,-]{0,200})?\]?"
_SHELL = r"(?:\S{1,200}: line \d{1,7}:|\[\d{1,4}\]\s?[+-]?|zsh:)"
_SAID = r"(?:exited with code|failed with exit code|completed with exit code|exit code:?|exit status)"
RULES = (
    _rule("dataloader", rf"DataLoader worker \(pid {_PID}\) is killed by signal: (?P<word>{_WORD}|Unknown signal)"),
    _rule("dataloader", rf"DataLoader worker \(pid {_PID}\) exited unexpectedly with exit code {_CODE}"),
    _rule("dataloader", rf"DataLoader worker \(pid\(s\) {_PID}[\d, ]{{0,400}}\) exited unexpectedly"),
    _rule("dataloader", rf"Unexpected (?P<word>{_WORD}) encountered in worker"),
    _rule("torchelastic", rf"failed \(exitcode: {_CODE}\)(?: local_rank: (?P<local>\d{{1,5}}))?(?: \(pid: {_PID}\))?"),
    _rule("torchelastic", rf"Sending process {_PID} closing signal SIG(?P<name>[A-Z]{{3,4}})", failure=False),
    # the launcher's own signal; before torch 2.3 as a number
    _rule("torchelastic", r"Received (?:Signals\.SIG(?P<name>[A-Z]{3,4})|(?P<number>1|15)) death signal"),
    _rule("deepspeed", rf"exits with return code = {_CODE}"),
    _rule("deepspeed", rf"Killing subprocess {_PID}", failure=False),
    _rule("slurm", rf"{_TASK}: Exited with exit code {_CODE}"),
    _rule("slurm", rf"{_TASK}: (?P<word>{_WORD}|Out Of Memory)"),
    _rule("kubernetes", rf"^\s{{0,40}}Exit Code:\s{{1,20}}{_CODE}\s{{0,9}}$"),
    _rule("kubernetes", rf"\"?[eE]xitCode\"?: ?{_CODE}\b"),
    _rule("kubernetes", rf"command terminated with (?:non-zero )?exit code:? ?{_CODE}"),
    _rule("kubernetes", r"The node was low on resource: memory"),
    _rule("docker", rf"^[\w.-]{{1,100}} exited with code {_CODE}\b"),
    _rule("docker", rf"Exited \({_CODE}\) "),
    _rule("python", r"process \d{1,6} terminated with signal SIG(?P<name>[A-Z]{3,4})"),
    _rule("python", rf"process \d{{1,6}} terminated with exit code {_CODE}"),
    _rule("python", rf"returned non-zero exit status {_CODE}\b"),
    _rule("python", r"died with <Signals\.SIG(?P<name>[A-Z]{3,4}): \d{1,3}>"),
    _rule("python", rf"Fatal Python error: (?P<word>{_WORD})"),
    _rule("shell", rf"^(?P<word>{_WORD})(?: \(core dumped\))?$"),
    _rule("shell", rf"^{_SHELL}\s{{1,9}}(?:{_PID} )?\s{{0,9}}(?P<word>{_WORD})\b"),
    _rule("shell", rf"\b(?P<word>{_WORD}) \(core dumped\)"),
    _rule("torchelastic", rf"^Signal \d{{1,3}} \(SIG(?P<name>[A-Z]{{3,4}})\) received by PID {_PID}"),
    _rule("other", r"\b(?:[Ww]orker|[Ee]ngine|[Pp]rocess|[Aa]ctor)\b[^\n]{0,120} died unexpectedly"),
    _rule("other", rf"{_SAID} ?{_CODE}\b(?!\.\d| means| indicates)"),
)  # fmt: skip

# "exit code" also names variables and documentation; the last rule needs a word of ending before or behind it
_ENDING = Lazy(
    r"exited|failed|completed|terminated|died|crash|killed|finished|stopped|returned|##\[error\]|ERROR|^exit",
    re.IGNORECASE,
)


def recognise(sayings: Sayings) -> Iterator[Event]:
    written_out = 0
    for record, text, raised in sayings.lines(TRIGGERS):
        found = _which(text[:8000])
        if found is None:
            continue
        rule, groups = found
        fields = _fields(rule, record, groups)
        if fields.get("exit_code") == 0:
            continue
        failure = rule.failure and (raised.event.failure if raised else record.level not in HARMLESS)
        frames = raised.event.frames if raised else ()
        tasks = _tasks(groups.get("task")) if written_out < MOST_TASKS else []
        written_out += max(0, len(tasks) - 1)
        for rank in tasks or (None,):
            named = fields if rank is None else {**fields, "rank": rank}
            yield Event("process-exit", record, text, named, frames, failure)


def _tasks(text: str | None) -> list[int]:
    """Slurm's `0-2,5` written out; of a long list the first ones."""
    tasks: list[int] = []
    for part in (text or "").strip(",-").split(","):
        low, _, high = part.partition("-")
        if low:
            tasks.extend(range(int(low), min(int(high or low), int(low) + MOST_TASKS) + 1))
        if len(tasks) >= MOST_TASKS:
            break
    return tasks[:MOST_TASKS]


def _which(text: str) -> tuple[Rule, dict[str, str | None]] | None:
    body = text
    for rule in RULES:
        found = rule.pattern.search(body)
        if found and (rule is not RULES[-1] or _ENDING.search(text[max(0, found.start() - 200) : found.end() + 60])):
            return rule, found.groupdict()
    return None


def _fields(rule: Rule, record: Record, groups: dict[str, str | None]) -> dict[str, Value]:
    code = int(groups["code"]) if groups.get("code") else None
    number = int(groups.get("number") or 0)
    signal = number or SIGNALS.get(groups.get("name") or "") or _WORDS.get(groups.get("word") or "") or signal_of(code)
    numbers = {"pid": groups.get("pid"), "local_rank": groups.get("local")}
    return known(
        [
            ("exit_code", code),
            ("signal", signal),
            *((name, int(value) if value else None) for name, value in numbers.items()),
            ("reporter", rule.reporter),
        ]
    )
