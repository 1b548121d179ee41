"""Frozen records without `dataclasses`: importing that module and making forty classes with it takes longer than
reading a short log does.

    class Point(Frozen):
        x: int
        y: int = 0

A record is a tuple of its values, so it is made, compared, hashed, pickled and read at the speed of tuples.
A subclass that says `__slots__ = ()` takes no attributes beside its fields; one that does not may cache properties.
The functions of `dataclasses` (`replace`, `asdict`, `fields`) take these records for their own.
"""

from __future__ import annotations

import collections
from collections.abc import Mapping
from operator import itemgetter

# what named tuples use, in C; not promised to stay
_getter = getattr(collections, "_tuplegetter", lambda place, doc: property(itemgetter(place), doc=doc))
NOTHING: Mapping = {}  # the default of a field that holds a mapping; nobody writes to it


class _Fields:
    """`__dataclass_fields__`, made by `dataclasses` itself when somebody asks for it."""

    def __get__(self, record, cls):
        from dataclasses import make_dataclass

        fields = make_dataclass(cls.__name__, cls.__match_args__).__dataclass_fields__
        for name, value in cls._defaults.items():
            fields[name].default = value
        return fields


class Frozen(tuple):
    __slots__ = ()
    __dataclass_fields__ = _Fields()
    __match_args__: tuple[str, ...] = ()
    _defaults: Mapping[str, object] = NOTHING

    def __init_subclass__(cls) -> None:
        cls.__match_args__ = names = tuple(cls.__annotations__)
        cls._defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        for place, name in enumerate(names):
            setattr(cls, name, _getter(place, ""))

    def __new__(cls, /, *values, **named):
        if named or len(values) != len(cls.__match_args__):
            values = cls._completed(values, named)
        return tuple.__new__(cls, values)

    @classmethod
    def _completed(cls, values: tuple, named: dict) -> tuple:
        rest = cls.__match_args__[len(values) :]
        try:
            full = values + tuple([named[name] if name in named else cls._defaults[name] for name in rest])
        except KeyError as missing:
            raise TypeError(f"{cls.__name__} lacks a value for {missing}") from None
        if len(full) != len(cls.__match_args__) or not named.keys() <= set(rest):
            raise TypeError(f"{cls.__name__} takes {', '.join(cls.__match_args__)}, each once")
        return full

    def __getnewargs__(self) -> tuple:
        return tuple(self)

    def __repr__(self) -> str:
        pairs = zip(self.__match_args__, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def replace(record, /, **changes):
    """`record` with other values for the fields named."""
    return type(record)(**{**dict(zip(record.__match_args__, record, strict=True)), **changes})


def plain(value):
    """Records within `value` as dicts, other containers as lists and dicts of the same."""
    if isinstance(value, Frozen):
        return {name: plain(item) for name, item in zip(value.__match_args__, value, strict=True)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value
