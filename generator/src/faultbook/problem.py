"""What is wrong, where, and what to do about it: the one type every stage reports with.

Text form, one problem (the hint is on its own line so that editors still parse the first):

    entries/memory/x.yaml:14:5: error: unknown-field: 'sympton' is not a field of a signature
      hint: did you mean 'symptom'?
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Mark:
    """A place in a file. `line` and `column` count from 1; `path` is relative to the project root."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    """One fault. `code` is a kebab-case noun phrase that names the fault, never the cure."""

    mark: Mark
    code: str
    message: str
    hint: str
    severity: Severity = Severity.ERROR

    @property
    def sort_key(self) -> tuple[Mark, str, str]:
        return (self.mark, self.code, self.message)


def render_text(problems: Iterable[Problem]) -> str:
    """`path:line:column: severity: code: message` and an indented hint, a problem after the other."""
    return "".join(f"{p.mark}: {p.severity.value}: {p.code}: {p.message}\n  hint: {p.hint}\n" for p in problems)


def _github_escape(text: str, *, prop: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if prop else text


def render_github(problems: Iterable[Problem]) -> str:
    """GitHub workflow commands, so that a pull request shows each problem at its line."""
    return "".join(
        f"::{p.severity.value} file={_github_escape(p.mark.path, prop=True)},line={p.mark.line},"
        f"col={p.mark.column},title={_github_escape(p.code, prop=True)}"
        f"::{_github_escape(f'{p.message} (hint: {p.hint})')}\n"
        for p in problems
    )


def render_json(problems: Iterable[Problem]) -> str:
    """`{"format": 1, "problems": [{path, line, column, severity, code, message, hint}]}`."""
    rows = [
        {**asdict(p.mark), "severity": p.severity.value, "code": p.code, "message": p.message, "hint": p.hint}
        for p in problems
    ]
    return json.dumps({"format": 1, "problems": rows}, indent=2, ensure_ascii=False) + "\n"


RENDERERS = {"text": render_text, "github": render_github, "json": render_json}
