"""Stage 2, shape: a document against its JSON Schema, each fault named, placed and with a way out.

The schemas are the only field tables; this module knows JSON Schema keywords, never field names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from .document import Document, Pointer, strings
from .problem import Problem

CODES = (
    "bad-value", "conflicting-fields", "duplicate-item", "missing-field", "out-of-range", "too-few", "too-long",
    "too-short", "unfilled", "unknown-field", "wrong-type",
)  # fmt: skip
ENTRY = "entry.schema.json"
VOCABULARY = "vocabulary.schema.json"
FILL = "FILL:"  # opens every value of a new entry's skeleton that its author has yet to write

_TYPES = {"object": "a mapping", "array": "a list", "string": "text", "integer": "a whole number",
          "number": "a number", "boolean": "true or false", "null": "nothing"}  # fmt: skip


def shape(document: Document, schema: str = ENTRY) -> list[Problem]:
    """Every fault of shape. An empty result means that `model` can structure the data."""
    problems = [*_unfilled(document)]
    for error in _validator(schema).iter_errors(document.data):
        problems += _explain(error, document)
    return list(dict.fromkeys(problems))  # jsonschema repeats `required` once a missing field


def load_schema(name: str = ENTRY) -> dict[str, Any]:
    """The schema as published: with its `$ref`s."""
    return json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def fits(name: str) -> tuple[dict[str, Any], Callable[[Any, dict[str, Any]], bool]]:
    """The schema without `$ref`s, and a predicate: whether a value is valid against a part of it."""
    validator = _validator(name)
    return validator.schema, lambda value, part: validator.evolve(schema=part).is_valid(value)


def described(pointer: Pointer, name: str = ENTRY) -> tuple[str, str]:
    """What the schema says of the place that `pointer` leads to: (path of fields in the schema, description).

    Of several alternatives the one that knows the next field is followed. Where the schema knows no more of
    the pointer, the last place that has a description is given.
    """
    part, path, text = _validator(name).schema, [], ""
    for step in pointer:
        inner = part.get("items") if isinstance(step, int) else _field(part, step)
        if inner is None:
            break
        part = inner
        path += [] if isinstance(step, int) else [step]
        text = part.get("description", text)
    return ".".join(path), text


def _field(part: dict[str, Any], name: str) -> dict[str, Any] | None:
    tables = [part, *part.get("oneOf", ())]
    return next((table["properties"][name] for table in tables if name in table.get("properties", {})), None)


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = load_schema(name)
    return Draft202012Validator(_inlined(schema, schema.get("$defs", {})))


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    """The schema with each local `$ref` replaced by its target: resolving them took half the time.

    Keywords beside a `$ref` (a description of its own) win over the target's.
    """
    if isinstance(node, list):
        return [_inlined(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    target = node.get("$ref", "").removeprefix("#/$defs/") if isinstance(node.get("$ref"), str) else ""
    merged = {**definitions[target], **node} if target else node
    return {key: _inlined(value, definitions) for key, value in merged.items() if key not in ("$ref", "$defs")}


def _unfilled(document: Document) -> Iterator[Problem]:
    for pointer, text in strings(document.data):
        if text.startswith(FILL):
            wanted = " ".join(text.removeprefix(FILL).split())
            yield Problem(
                document.mark(pointer), "unfilled", f"{_name(pointer)} is still to be written",
                wanted or "write it, or remove the field if it is optional",
            )  # fmt: skip


def _explain(error: ValidationError, document: Document) -> Iterable[Problem]:
    if isinstance(error.instance, str) and error.instance.startswith(FILL):
        return ()  # said once, as `unfilled`
    if error.validator in ("oneOf", "anyOf"):
        return _alternatives(error, document)
    if error.validator == "additionalProperties":
        fields = error.schema.get("properties", {})
        return _unknown(error, document, [key for key in error.instance if key not in fields], fields)
    if error.validator == "required":
        return [_missing(error, document, name) for name in _missing_names(error)]
    pointer = tuple(error.absolute_path)
    code, message, hint = _RULES[error.validator](error, _name(pointer))
    key_is_wrong = "propertyNames" in error.absolute_schema_path
    mark = document.key_mark((*pointer, error.instance)) if key_is_wrong else document.mark(pointer)
    return [Problem(mark, code, message, hint)]


def _unknown(
    error: ValidationError, document: Document, keys: Iterable[str], fields: dict[str, Any]
) -> Iterator[Problem]:
    pointer = tuple(error.absolute_path)
    for key in keys:
        near = _meant(key, fields)
        hint = f"did you mean '{near}'?" if near else f"fields here: {', '.join(fields)}"
        message = f"'{key}' is not a field of {_name(pointer)}"
        yield Problem(document.key_mark((*pointer, key)), "unknown-field", message, hint)


def _meant(key: str, fields: Iterable[str]) -> str | None:
    return next(iter(get_close_matches(key, fields, n=1, cutoff=0.6)), None)


def _missing_names(error: ValidationError) -> list[str]:
    """Required fields that are not there, without those whose misspelling is reported already."""
    fields = error.schema.get("properties", {})
    misspelt = {_meant(key, fields) for key in error.instance if key not in fields} if fields else set()
    return [name for name in error.validator_value if name not in error.instance and name not in misspelt]


def _missing(error: ValidationError, document: Document, name: str) -> Problem:
    pointer = tuple(error.absolute_path)
    about = error.schema.get("properties", {}).get(name, {}).get("description", "")
    hint = f"add '{name}': {about}" if about else f"add '{name}'"
    return Problem(document.mark(pointer), "missing-field", f"{_name(pointer)} has no '{name}'", hint)


def _alternatives(error: ValidationError, document: Document) -> Iterable[Problem]:
    """One helpful answer for oneOf/anyOf: the faults of the alternative that the author evidently means."""
    if not isinstance(error.instance, dict):
        return [_wrong_type(error, document)]
    given = [i for i, branch in enumerate(error.validator_value) if set(branch["required"]) <= set(error.instance)]
    if not given:
        return _none_given(error, document)
    meant = min(given, key=lambda i: len(_foreign_heads(error, i)))
    faults = [fault for fault in error.context if fault.relative_schema_path[0] == meant]
    if not faults or _foreign_heads(error, meant):
        return [_conflict(error, document)]
    return _flat(faults, document)


def _flat(errors: Iterable[ValidationError], document: Document) -> Iterator[Problem]:
    for error in errors:
        yield from _explain(error, document)


def _heads(error: ValidationError) -> list[str]:
    """The fields that choose an alternative: `message`, `event`, `frame`."""
    return [name for branch in error.validator_value for name in branch["required"]]


def _foreign_heads(error: ValidationError, branch: int) -> list[str]:
    """Given fields that choose another alternative and that this one does not have."""
    allowed = error.validator_value[branch].get("properties", {})
    return [name for name in _heads(error) if name in error.instance and name not in allowed]


def _none_given(error: ValidationError, document: Document) -> Iterable[Problem]:
    fields = {k: v for branch in error.validator_value for k, v in branch.get("properties", {}).items()}
    fields = fields or error.schema.get("properties", {})
    unknown = [key for key in error.instance if key not in fields]
    heads = _heads(error)
    if "additionalProperties" not in error.schema and unknown:  # else reported by that keyword already
        return _unknown(error, document, unknown, fields)
    pointer = tuple(error.absolute_path)
    message = f"{_name(pointer)} has none of {_quoted(heads)}"
    hint = "; ".join(f"{name}: {fields[name].get('description', '')}" for name in heads if name in fields)
    return [Problem(document.mark(pointer), "missing-field", message, hint or f"add one of {_quoted(heads)}")]


def _conflict(error: ValidationError, document: Document) -> Problem:
    pointer = tuple(error.absolute_path)
    named = [name for name in dict.fromkeys(_heads(error)) if name in error.instance]
    message = f"{_name(pointer)} has {' and '.join(repr(name) for name in named)}, which exclude each other"
    return Problem(document.mark(pointer), "conflicting-fields", message, f"keep one of {_quoted(named)}")


def _wrong_type(error: ValidationError, document: Document) -> Problem:
    pointer = tuple(error.absolute_path)
    return Problem(
        document.mark(pointer), "wrong-type", f"{_name(pointer)} is {_kind(error.instance)}, expected a mapping",
        f"write one of {_quoted(_heads(error))} as a field",
    )  # fmt: skip


def _type(error: ValidationError, name: str) -> tuple[str, str, str]:
    wanted = _TYPES[error.validator_value]
    hint = error.schema.get("description", "") or f"write {wanted}"
    if error.validator_value == "string" and not isinstance(error.instance, (dict, list)):
        hint = f"write it in quotes. {error.schema.get('description', '')}".strip()
    return "wrong-type", f"{name} is {_kind(error.instance)}, expected {wanted}", hint


def _enum(error: ValidationError, name: str) -> tuple[str, str, str]:
    allowed = [str(value) for value in error.validator_value]
    near = get_close_matches(str(error.instance), allowed, n=1, cutoff=0.6)
    hint = f"did you mean '{near[0]}'? " if near else ""
    hint += f"allowed: {', '.join(allowed)}"
    about = error.schema.get("description")
    return "bad-value", f"{name} is {_shown(error.instance)}", f"{hint} ({about})" if about else hint


def _about(code: str, what: Callable[[ValidationError], str]) -> Callable[[ValidationError, str], tuple[str, str, str]]:
    """A rule whose message is `<name> <what>` and whose hint is the field's own description."""

    def rule(error: ValidationError, name: str) -> tuple[str, str, str]:
        message = what(error)
        return code, f"{name} {message}", error.schema.get("description") or f"see `{error.validator}` in the schema"

    return rule


_RULES: dict[str, Callable[[ValidationError, str], tuple[str, str, str]]] = {
    "type": _type,
    "enum": _enum,
    "pattern": _about("bad-value", lambda e: f"has {_shown(e.instance)}, which is not of the form {e.validator_value}"),
    "minLength": _about("too-short", lambda e: f"has fewer than {e.validator_value} characters"),
    "maxLength": _about("too-long", lambda e: f"has {len(e.instance)} characters, at most {e.validator_value} fit"),
    "minItems": _about("too-few", lambda e: f"has {len(e.instance)} items, at least {e.validator_value} are needed"),
    "minProperties": _about("too-few", lambda e: f"has {len(e.instance)} fields, at least {e.validator_value} needed"),
    "uniqueItems": _about("duplicate-item", lambda e: f"lists {_shown(_repeated(e.instance))} twice"),
    "minimum": _about("out-of-range", lambda e: f"is {e.instance}, at least {e.validator_value} is needed"),
    "maximum": _about("out-of-range", lambda e: f"is {e.instance}, at most {e.validator_value} is allowed"),
}


def _repeated(items: list[Any]) -> Any:
    return next(item for index, item in enumerate(items) if item in items[:index])


def _name(pointer: Pointer) -> str:
    """`signatures[0].all[1]`, as authors say it; the whole file is `the file`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in pointer)
    return text.removeprefix(".") or "the file"


def _kind(value: Any) -> str:
    kinds = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", type(None): "empty"}
    return kinds.get(type(value), "a number")


def _shown(value: Any) -> str:
    text = str(value)
    return f"'{text[:60]}…'" if len(text) > 60 else f"'{text}'"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in dict.fromkeys(names))
