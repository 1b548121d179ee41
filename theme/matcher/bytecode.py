"""Bytecode for the browser: the part of the standard library that faultbook.match can reach, and itself.

Runs inside Pyodide itself (`build-runtime.mjs`), so that the bytecode has the magic number of the
interpreter that will load it. Most of Pyodide's start-up time is compiling the library's sources; with
bytecode it starts in less than half the time and the download is 1.2 MB smaller.
"""

from __future__ import annotations

import importlib
import io
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import cache_from_source, source_hash
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyodide.ffi import JsBuffer

# What faultbook.match may import (its import contract), with what Pyodide's own start-up has loaded by then.
SEEDS = (
    "bisect", "collections", "collections.abc", "dataclasses", "enum", "functools", "html", "html.entities",
    "io", "itertools", "json", "re", "string", "traceback", "typing", "zipfile", "zlib",
)  # fmt: skip
# Looked up by name only when needed, so sys.modules does not show them.
ALWAYS = ("encodings/", "_sysconfigdata")
# A fixed date, the earliest a zip can hold: equal inputs give equal bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _exercise() -> None:
    """Do once what a query does, so that late imports inside these modules show up in sys.modules."""
    zlib = importlib.import_module("zlib")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rank0.log", "text")
    with zipfile.ZipFile(io.BytesIO(buffer.getvalue())) as archive, archive.open("rank0.log") as member:
        member.read()
    packer = zlib.compressobj(wbits=31)
    zlib.decompressobj(wbits=31).decompress(packer.compress(b"text") + packer.flush())
    try:
        raise ValueError("shown to the user as text")
    except ValueError:
        importlib.import_module("traceback").format_exc()


def _members(loaded: set[str], available: list[str]) -> list[str]:
    wanted = {name.replace(".", "/") for name in loaded}
    return sorted(
        path
        for path in available
        if path.endswith(".py")
        and (path.startswith(ALWAYS) or path.removesuffix(".py").removesuffix("/__init__") in wanted)
    )


def _bytecode(source: bytes, path: str) -> bytes:
    code = compile(source, f"/lib/{path}", "exec", dont_inherit=True, optimize=2)
    # Unchecked: nobody edits the library in a browser, and the sources are not there to check against.
    return bytes(_code_to_hash_pyc(code, source_hash(source), checked=False))


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data, compresslevel=9)
    return out.getvalue()


def cache(sources: dict[str, str]) -> bytes:
    """A zip of `__pycache__` members for `sources`, path to text, to be unpacked over them.

    Checked: Python compares the hash of the source at import and compiles afresh where they differ, so
    bytecode older than the package it lies beside does no harm.
    """
    members = {}
    for path, text in sorted(sources.items()):
        data = text.encode()
        code = compile(data, path, "exec", dont_inherit=True, optimize=0)
        members[cache_from_source(path)] = bytes(_code_to_hash_pyc(code, source_hash(data), checked=True))
    return _zip(members)


def trim(stdlib: JsBuffer) -> bytes:
    """A zip of `.pyc` members for the part of `stdlib` (a zip of `.py` members) that is reachable."""
    for name in SEEDS:
        importlib.import_module(name)
    _exercise()
    with zipfile.ZipFile(io.BytesIO(stdlib.to_bytes())) as source:
        members = _members(set(sys.modules), source.namelist())
        return _zip({path.removesuffix(".py") + ".pyc": _bytecode(source.read(path), path) for path in members})
