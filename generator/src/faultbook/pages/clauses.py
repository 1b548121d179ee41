"""A signature's clauses in words, and its templates as regular expression and grep command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ..match.template import to_grep, to_regex
from . import markup

GROUPS = {
    "all": "Every one of these must hold",
    "any": "At least one of these must hold",
    "none": "None of these may hold",
    "against": "Each of these lowers the confidence and is shown as evidence against",
}


@dataclass(frozen=True)
class Clause:
    """`template` is None where a clause names no message; `regex` and `grep` belong to it."""

    sentence: Markup
    note: str | None
    template: str | None
    regex: str = ""
    grep: str = ""


def groups(spec: Mapping[str, Any]) -> list[tuple[str, list[Clause]]]:
    """(heading, clauses) for each group of clauses that a signature has."""
    return [(heading, [clause(data) for data in spec[key]]) for key, heading in GROUPS.items() if spec.get(key)]


def templates(groups: list[tuple[str, list[Clause]]]) -> list[Clause]:
    """The clauses of `groups` that name a message."""
    return [clause for _, clauses in groups for clause in clauses if clause.template]


def clause(data: Mapping[str, Any]) -> Clause:
    template = data.get("message")
    sentence = Markup("".join(_words(data)))
    if template is None:
        return Clause(sentence, data.get("note"), None)
    return Clause(sentence, data.get("note"), template, *_searches(template))


def _searches(template: str) -> tuple[str, str]:
    return to_regex(template), f"grep -E -e {shlex.quote(to_grep(template))} run.log"


def _words(data: Mapping[str, Any]):
    if "frame" in data:
        yield f"A traceback has the frame {_frame(data['frame'])}."
        return
    if "event" in data:
        kind = data["event"].replace("-", " ")
        yield f"{'An' if kind[0] in 'aeiou' else 'A'} {kind} is in the log"
        if data.get("type"):
            yield f" of the type {markup.code(data['type'])}"
        yield " whose message contains the template below" if data.get("message") else ""
    else:
        yield "A line contains the template below"
    if data.get("where"):
        yield f", where {' and '.join(markup.code(term) for term in data['where'])}"
    if data.get("frames"):
        yield f", raised through {' and '.join(_frame(frame) for frame in data['frames'])}"
    yield "."


def _frame(frame: Mapping[str, str]) -> str:
    parts = {"function": "", "file": "in ", "code": "at the line "}
    return " ".join(f"{word}{markup.code(frame[key])}" for key, word in parts.items() if frame.get(key))
