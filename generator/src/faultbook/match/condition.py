"""Comparisons over the facts of one hit: `requested > free + unallocated`, `exit_code == -9`, `memory == 'cuda'`.

    comparison = sum OPERATOR sum
    sum        = ["-"] term {("+" | "-") term}
    term       = [NUMBER "*"] NAME | NUMBER | SIZE | 'string'

A name that the hit has no fact for makes the comparison false, whatever the operator.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from .frozen import Frozen
from .lazy import Lazy
from .template import SignatureError
from .types import Value
from .units import SIZE, to_bytes

OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_TOKEN = Lazy(
    rf"\s*(?:(?P<size>{SIZE})|(?P<number>\d{{1,20}}(?:\.\d{{1,20}})?)|(?P<string>'[^']{{0,200}}'|\"[^\"]{{0,200}}\")"
    r"|(?P<operator>==|!=|<=|>=|<|>)|(?P<sign>[-+*])|(?P<name>[A-Za-z_]\w{0,60}))"
)
Token = tuple[str, str, int]


class Term(Frozen):
    """`factor` times the named fact, or times `constant` if there is no name."""

    __slots__ = ()

    factor: float
    name: str | None = None
    constant: Value = 0

    def value(self, facts: Mapping[str, Value]) -> Value:
        value = facts[self.name] if self.name else self.constant
        if isinstance(value, str):
            return value
        return value * int(self.factor) if self.factor == int(self.factor) else value * self.factor


class Condition(Frozen):
    __slots__ = ()

    left: tuple[Term, ...]
    operator: str
    right: tuple[Term, ...]

    def holds(self, facts: Mapping[str, Value]) -> bool:
        try:
            return bool(OPERATORS[self.operator](_sum(self.left, facts), _sum(self.right, facts)))
        except (KeyError, TypeError):  # a fact the log does not give, or text compared with a number
            return False

    @property
    def names(self) -> frozenset[str]:
        return frozenset(term.name for term in (*self.left, *self.right) if term.name)


def _sum(terms: tuple[Term, ...], facts: Mapping[str, Value]) -> Value:
    values = [term.value(facts) for term in terms]
    return values[0] if len(values) == 1 else sum(values)  # type: ignore[arg-type]


def parse_condition(source: str) -> Condition:
    """Parse one comparison. Raises SignatureError naming the column."""
    tokens = _tokens(source)
    places = [place for place, (kind, _, _) in enumerate(tokens) if kind == "operator"]
    if len(places) != 1:
        raise SignatureError((), f"'{source}' needs exactly one of {' '.join(OPERATORS)}")
    left, right = tokens[: places[0]], tokens[places[0] + 1 :]
    return Condition(_terms(left, source), tokens[places[0]][1], _terms(right, source))


def _tokens(source: str) -> list[Token]:
    tokens, at, text = [], 0, source.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise SignatureError((), f"column {at + 1} of '{source}': cannot read '{text[at : at + 12]}'")
        kind = str(found.lastgroup)
        tokens.append((kind, found[kind], found.start(kind) + 1))
        at = found.end()
    return tokens


def _terms(tokens: list[Token], source: str) -> tuple[Term, ...]:
    terms, rest, sign = [], list(tokens), 1
    if rest and rest[0][:2] == ("sign", "-"):
        sign, rest = -1, rest[1:]
    while True:
        term, rest = _term(rest, sign, source)
        terms.append(term)
        if not rest:
            return tuple(terms)
        if rest[0][0] != "sign" or rest[0][1] == "*":
            raise SignatureError((), f"column {rest[0][2]} of '{source}': expected + or - before '{rest[0][1]}'")
        sign, rest = (1 if rest[0][1] == "+" else -1), rest[1:]


def _term(tokens: list[Token], sign: int, source: str) -> tuple[Term, list[Token]]:
    if not tokens or tokens[0][0] in ("sign", "operator"):
        raise SignatureError((), f"'{source}' lacks a name or a number")
    kind, text, _ = tokens[0]
    if kind == "name":
        return Term(sign, name=text), tokens[1:]
    if kind == "number" and [token[:2] for token in tokens[1:2]] == [("sign", "*")]:
        if len(tokens) < 3 or tokens[2][0] != "name":
            raise SignatureError((), f"'{source}' multiplies by something that is no name")
        return Term(sign * float(text), name=tokens[2][1]), tokens[3:]
    return Term(sign, constant=_constant(kind, text)), tokens[1:]


def _constant(kind: str, text: str) -> Value:
    if kind == "string":
        return text[1:-1]
    if kind == "size":
        return to_bytes(text)
    return float(text) if "." in text else int(text)
