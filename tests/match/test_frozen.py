"""Frozen records: made and compared as frozen dataclasses are, and taken by the functions of `dataclasses`."""

from __future__ import annotations

import dataclasses
import pickle
from functools import cached_property

import pytest

from faultbook.match.frozen import Frozen, plain, replace


class Point(Frozen):
    """Two numbers and a name."""

    __slots__ = ()
    x: int
    y: int = 2
    name: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y


class Held(Frozen):
    __slots__ = ()
    record: int
    cls: int = 0


class Cached(Frozen):
    parts: tuple[Point, ...]

    @cached_property
    def total(self) -> int:
        return sum(point.sum for point in self.parts)


def test_fields_by_place_by_name_and_by_default():
    assert Point(1) == Point(1, 2) == Point(x=1, name="") == Point(1, y=2, name="")
    it = Point(1, name="n")
    assert (it.x, it.y, it.name, it.sum) == (1, 2, "n", 3)
    assert repr(it) == "Point(x=1, y=2, name='n')"
    assert {Point(1): "a"}[Point(1, 2)] == "a"


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, "", 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_fields_are_refused(values, named):
    with pytest.raises(TypeError, match="Point"):
        Point(*values, **named)


def test_no_name_of_a_field_is_in_the_way():
    assert replace(Held(record=1, cls=2), record=3) == Held(3, 2)


def test_nothing_can_be_set():
    for name in ("x", "other"):
        with pytest.raises(AttributeError):
            setattr(Point(1), name, 2)


def test_properties_can_be_cached_and_records_pickled():
    it = Cached((Point(1), Point(2)))
    assert it.total == it.total == 7
    assert pickle.loads(pickle.dumps(it)) == it


def test_dataclasses_takes_them_for_its_own():
    it = Cached((Point(1),))
    assert dataclasses.is_dataclass(it)
    assert dataclasses.asdict(it) == {"parts": ({"x": 1, "y": 2, "name": ""},)}
    assert plain(it) == {"parts": [{"x": 1, "y": 2, "name": ""}]}
    assert dataclasses.replace(Point(1), y=5) == replace(Point(1), y=5) == Point(1, 5)
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y", "name"]
