"""What stage 1 hands on: plain data, and where in the file each of its nodes stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .problem import Mark

Pointer = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a node stands (0-based). `indent` is the text's column in a literal block scalar, else None."""

    line: int
    column: int
    key: tuple[int, int] | None
    children: dict[str | int, Place]
    indent: int | None = None


@dataclass(frozen=True)
class Document:
    """Plain data and its marks. A pointer is the tuple of keys and indices that leads to a node.

    `whole` is false where reading had to stop: then the data is what came before.
    """

    path: str
    data: Any
    place: Place
    whole: bool = True

    def mark(self, pointer: Pointer = ()) -> Mark:
        """Where the value at `pointer` starts; its nearest existing ancestor if there is none."""
        place = self._find(pointer)
        return self._at(place.line, place.column)

    def key_mark(self, pointer: Pointer) -> Mark:
        """Where the key that leads to the value stands; the value itself in a list."""
        place = self._find(pointer)
        return self._at(*(place.key or (place.line, place.column)))

    def inside(self, pointer: Pointer, line: int, column: int) -> Mark:
        """The mark of a place (1-based) in the text of a literal block scalar; else the scalar's start."""
        place = self._find(pointer)
        if place.indent is None:
            return self._at(place.line, place.column)
        return self._at(place.line + line, place.indent + column - 1)

    def _find(self, pointer: Pointer) -> Place:
        place = self.place
        for step in pointer:
            if step not in place.children:
                break
            place = place.children[step]
        return place

    def _at(self, line: int, column: int) -> Mark:
        return Mark(self.path, line + 1, column + 1)


def strings(data: Any) -> Iterator[tuple[Pointer, str]]:
    """Every text value with its pointer, in file order."""
    return ((pointer, value) for pointer, value in nodes(data) if isinstance(value, str))


def nodes(data: Any) -> Iterator[tuple[Pointer, Any]]:
    """Every value, collections included, with its pointer, in file order."""
    ahead: list[tuple[Pointer, Any]] = [((), data)]
    while ahead:
        pointer, value = ahead.pop()
        yield pointer, value
        if isinstance(value, dict):
            ahead += [((*pointer, key), inner) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            ahead += [((*pointer, index), value[index]) for index in reversed(range(len(value)))]
