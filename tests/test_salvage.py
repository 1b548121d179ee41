"""salvage: whatever is in a file, data that the model can be built of, and where it is not as written."""

import projects
from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.document import Document, Place, nodes
from faultbook.model import entry_from
from faultbook.salvage import salvage
from faultbook.schema import shape
from faultbook.source import parse

GOOD = parse((projects.GOOD / "minimal.yaml").read_bytes(), "x")[0].data
PLACES = [pointer for pointer, _ in nodes(GOOD)][1:]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just("FILL: it"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
)


def replaced(data, pointer, value):
    if not pointer:
        return value
    step, *rest = pointer
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[step] = replaced(copy[step], rest, value)
    return copy


def salvaged(data):
    return salvage(Document("x", data, Place(0, 0, None, {})))


def test_good_data_stays_as_it_is():
    assert salvaged(GOOD) == (GOOD, ())


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PLACES), JUNK)
def test_any_fault_leaves_an_entry(place, junk):
    data = replaced(GOOD, place, junk)
    mended, blanks = salvaged(data)
    entry_from(mended)
    if mended != data:
        assert blanks
    if blanks:
        assert shape(Document("x", data, Place(0, 0, None, {})))


def test_no_mapping():
    assert salvaged([1]) == (None, ((),))


def test_items_keep_their_places():
    mended, blanks = salvaged({**GOOD, "tags": ["arena", 3, "arena-2"]})
    assert mended["tags"] == ["arena", "", "arena-2"]
    assert blanks == (("tags", 1),)
