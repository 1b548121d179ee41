"""Code that readers copy can at least be parsed: Python, JSON and YAML blocks.

A Python block is parsed with the grammar of the running interpreter; fragments such as a lone `return`
are not blocks, so give the function around them. `runnable` is for Python only.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator
from typing import Any

from ..document import Document, Pointer, nodes
from ..model import Entry
from ..problem import Problem
from ..schema import FILL
from ..source import syntax_problem

SCOPE = "entry"
CODES = ("python-syntax", "json-syntax", "yaml-syntax", "runnable-is-not-python")

# (line, column, what is wrong), 1-based in the block
Fault = tuple[int, int, str]


def check(entry: Entry, document: Document) -> Iterator[Problem]:
    for pointer, block in nodes(document.data):
        if not _is_block(block):
            continue
        fault = _PARSERS.get(block["lang"], lambda _: None)(block["code"])
        if fault:
            yield _problem(document, pointer, block["lang"], fault)
        if block.get("runnable") and block["lang"] != "python":
            yield Problem(
                document.mark((*pointer, "runnable")), "runnable-is-not-python",
                f"the block is {block['lang']}", "remove `runnable`: only Python blocks are executed",
            )  # fmt: skip


def _is_block(node: Any) -> bool:
    texts = [node.get(name) for name in ("lang", "code")] if isinstance(node, dict) else [None]
    return all(isinstance(text, str) and not text.startswith(FILL) for text in texts)


def python_fault(code: str) -> Fault | None:
    """The first syntax error of Python source."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # a matter of style, and of the version
            ast.parse(code)
    except SyntaxError as error:
        return error.lineno or 1, error.offset or 1, error.msg
    return None


def _json_fault(code: str) -> Fault | None:
    try:
        json.loads(code)
    except json.JSONDecodeError as error:
        return error.lineno, error.colno, error.msg
    return None


def _yaml_fault(code: str) -> Fault | None:
    problem = syntax_problem(code, "")
    return (problem.mark.line, problem.mark.column, problem.message) if problem else None


_PARSERS = {"python": python_fault, "json": _json_fault, "yaml": _yaml_fault}


def _problem(document: Document, pointer: Pointer, lang: str, fault: Fault) -> Problem:
    line, column, said = fault
    mark = document.inside((*pointer, "code"), line, column)
    return Problem(mark, f"{lang}-syntax", f"line {line} of the block: {said}", "readers copy this: make it parse")
