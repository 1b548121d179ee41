"""Device-side assertions. Hundreds of lines that differ only in block and thread are one event with a count."""

from __future__ import annotations

from collections.abc import Iterator

from ..lazy import Lazy
from ..types import Event, Record
from .common import Sayings

TRIGGERS = ("Assertion `", "Device-side assertion", "Assertion '")

_PLACE = Lazy(r"(?P<source>[^/\\\s:]{1,120}):(?P<line>\d{1,7}): (?:(?P<kernel>.{1,2000}?): )?block: \[")
_QUOTED = Lazy(r"[Aa]ssertion [`'](?P<text>.{1,400})[`'] failed")
_NAME = Lazy(r"(?P<name>[A-Za-z_]\w{0,150})\s?(?:<.{0,400}>\s?)?(?:\(|$)")


def recognise(sayings: Sayings) -> Iterator[Event]:
    seen: dict[tuple[object, ...], list[object]] = {}
    for record in sayings.spoken(("ssertion",)):
        text = record.text
        # glibc closes the quote with ', nvcc with `, which is all that is left of some cut lines
        if not ("block: [" in text or "Device-side assertion" in text or "` failed." in text):
            continue
        said = _QUOTED.search(text[:8000])
        if said is None:
            continue
        where = _PLACE.search(text[:8000])
        kernel = _kernel(where["kernel"]) if where and where["kernel"] else ""
        source = where["source"] if where else ""
        entry = seen.setdefault((record.file, record.rank, kernel, source, said["text"]), [record, 0])
        entry[1] += record.count  # type: ignore[operator]
    for (_, _, kernel, source, assertion), (first, count) in seen.items():
        assert isinstance(first, Record) and isinstance(count, int)
        fields = {"kernel": str(kernel), "source": str(source), "assertion": str(assertion), "count": count}
        yield Event("device-assert", first, first.text, {name: value for name, value in fields.items() if value != ""})


def _kernel(printed: str) -> str:
    """Function name in what nvcc prints: a bare name, or a whole C++ signature with its template arguments."""
    found = _NAME.search(printed.split(" [with ", 1)[0])
    name = found["name"] if found else printed[:100]
    return "operator()" if name == "operator" else name
