"""What is inside a file: gzip, zip and tar by their first bytes, within limits, broken ones with a note."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultbook.match.unpack import LIMIT, MEMBERS, Budget
from faultbook.match.unpack import open_source as stream_source


def open_source(name: str, data: bytes, limit: int = LIMIT) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Everything inside, each file whole, and the notes."""
    budget = Budget(bytes=limit)
    files = [(n, d if isinstance(d, bytes) else b"".join(d)) for n, d in stream_source(name, data, budget)]
    return files, budget.notes


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def test_a_plain_file_is_itself() -> None:
    assert open_source("a.log", b"text") == ([("a.log", b"text")], [])


def test_gzip_by_its_first_bytes_not_its_name() -> None:
    data = gzip.compress(b"one\n") + gzip.compress(b"two\n")
    assert open_source("a.log.gz", data) == ([("a.log", b"one\ntwo\n")], [])
    assert open_source("a.log", data) == ([("a.log", b"one\ntwo\n")], [])


def test_members_of_archives_are_named_under_it() -> None:
    files = {"rank0.log": b"zero", "sub/rank1.log": b"one"}
    expected = [("logs.zip/rank0.log", b"zero"), ("logs.zip/sub/rank1.log", b"one")]
    assert open_source("logs.zip", zipped(files)) == (expected, [])
    expected = [("logs/rank0.log", b"zero"), ("logs/sub/rank1.log", b"one")]
    assert open_source("logs.tar.gz", gzip.compress(tarred(files))) == (expected, [])


def test_archives_in_archives_down_to_a_depth() -> None:
    data = b"deep"
    for _ in range(2):
        data = zipped({"in.log": data})
    assert open_source("a.zip", data)[0] == [("a.zip/in.log/in.log", b"deep")]
    for _ in range(3):
        data = zipped({"in.zip": data})
    files, notes = open_source("a.zip", data)
    assert files == []
    assert "nested too deep" in notes[0]


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zipped({"x": data})])
def test_a_bomb_is_cut(pack) -> None:  # type: ignore[no-untyped-def]
    files, notes = open_source("bomb", pack(b"\0" * 5_000_000), limit=1_000_000)
    assert sum(len(data) for _, data in files) == 1_000_000
    assert "size limit" in notes[0]


def test_a_cut_or_damaged_archive_gives_what_it_can_and_says_so() -> None:
    files, notes = open_source("a.gz", gzip.compress(b"abc" * 100_000)[:-40])
    assert files[0][1].startswith(b"abcabc")
    assert "cut short" in notes[0]
    assert open_source("a.zip", b"PK\x03\x04nonsense") == ([], ["a.zip: damaged zip (File is not a zip file)"])


def test_other_compressions_are_named() -> None:
    assert open_source("a.xz", b"\xfd7zXZ\x00rest") == ([], ["a.xz: compressed with xz; unpack it first"])


def test_too_many_members() -> None:
    files, notes = open_source("a.zip", zipped({f"{number}.log": b"x" for number in range(MEMBERS + 1)}))
    assert len(files) == MEMBERS
    assert notes == [f"a.zip: only the first {MEMBERS} of {MEMBERS + 1} files are read"]


@given(st.sampled_from([b"", b"\x1f\x8b", b"PK\x03\x04", b"\0" * 257 + b"ustar"]), st.binary(max_size=700))
def test_any_bytes_are_opened(magic: bytes, data: bytes) -> None:
    files, notes = open_source("x", magic + data)
    assert files or notes


def test_what_follows_a_gzip_stream_does_not_hide_it() -> None:
    assert open_source("a.gz", gzip.compress(b"text") + b"padding") == ([("a", b"text")], [])


def test_archives_inside_an_archive_count_as_members() -> None:
    data = b"x"
    for _ in range(2):
        data = zipped({f"{number}.zip": data for number in range(MEMBERS // 10)})
    files, notes = open_source("a.zip", data)
    assert 0 < len(files) < MEMBERS
    assert "only the first" in notes[0]
    assert len(notes) < 30


def test_a_decompressor_that_breaks_in_its_own_way_is_a_note() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.log", b"text" * 1000)
    data = bytearray(buffer.getvalue())
    data[60] ^= 0xFF
    assert "a.zip/a.log: not read" in open_source("a.zip", bytes(data))[1][0]


def test_members_are_streams() -> None:
    (_, chunks), *_ = stream_source("bomb.gz", [gzip.compress(bytes(64 << 20))], Budget())
    assert max(map(len, chunks)) < 32 << 20
