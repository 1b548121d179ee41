"""Stage 5, first step: what is inside a file. gzip and zip are told by their first bytes, never by name.

Everything is bounded, because a crash log may come from anybody: at most `MEMBERS` files and `LIMIT` bytes
leave here; what was cut or could not be opened is said in the notes.
"""

from __future__ import annotations

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
LIMIT = 512 << 20
MEMBERS = 500
DEPTH = 3
OTHER = {
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7-zip",
    b"Rar!": "rar",
}

Files = list[tuple[str, bytes]]


def open_source(name: str, data: bytes, limit: int = LIMIT) -> tuple[Files, list[str]]:
    """The files inside `data` as (name, bytes), and notes on what was left out.

    A plain file comes back as itself. Members of an archive are named `archive/member`. Never raises for
    broken input: a damaged archive yields what could be read and a note.
    """
    files: Files = []
    notes: list[str] = []
    _open(name, data, [limit], DEPTH, files, notes)
    if not files and not notes:
        notes.append(f"{name}: an archive without files")
    return files, notes


def _open(name: str, data: bytes, left: list[int], depth: int, files: Files, notes: list[str]) -> None:
    packed = data[:4] == ZIP or data[:2] == GZIP or data[257:262] == b"ustar"
    if packed and depth == 0:
        notes.append(f"{name}: archives are nested too deep; not opened")
    elif data[:4] == ZIP:
        _open_zip(name, data, left, depth, files, notes)
    elif data[:2] == GZIP:
        _open_gzip(name, data, left, depth, files, notes)
    elif data[257:262] == b"ustar":
        _open_tar(name, data, left, depth, files, notes)
    elif kind := next((kind for magic, kind in OTHER.items() if data.startswith(magic)), ""):
        notes.append(f"{name}: compressed with {kind}; unpack it first")
    elif len(files) >= MEMBERS:
        notes.append(f"{name}: not read; only the first {MEMBERS} files of an archive are")
    else:
        files.append((name, data))


def _open_gzip(name: str, data: bytes, left: list[int], depth: int, files: Files, notes: list[str]) -> None:
    import zlib

    inner = name[: -len(".gz")] if name.endswith(".gz") else name
    pieces: list[bytes] = []
    try:
        while data[:2] == GZIP and left[0] > 0:  # a gzip file may hold several streams one after another
            stream = zlib.decompressobj(wbits=31)
            piece = stream.decompress(data, left[0])
            left[0] -= len(piece)
            pieces.append(piece)
            if not stream.eof:
                notes.append(f"{name}: {'cut at the size limit' if stream.unconsumed_tail else 'cut short'}")
                break
            data = stream.unused_data
    except zlib.error as fault:
        notes.append(f"{name}: damaged gzip ({fault})")
    if pieces:
        _open(inner, b"".join(pieces), left, depth - 1, files, notes)


def _open_zip(name: str, data: bytes, left: list[int], depth: int, files: Files, notes: list[str]) -> None:
    import io
    import zipfile
    import zlib

    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [member for member in archive.infolist() if not member.is_dir()]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as fault:
        notes.append(f"{name}: damaged zip ({fault})")
        return
    if len(members) > MEMBERS:
        notes.append(f"{name}: only the first {MEMBERS} of {len(members)} files are read")
    for member in members[:MEMBERS]:
        try:
            with archive.open(member) as stream:
                body = stream.read(left[0] + 1)
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError) as fault:
            notes.append(f"{name}/{member.filename}: not read ({fault})")
            continue
        if len(body) > left[0]:
            notes.append(f"{name}/{member.filename}: cut at the size limit")
        body = body[: left[0]]
        left[0] -= len(body)
        _open(f"{name}/{member.filename}", body, left, depth - 1, files, notes)


def _open_tar(name: str, data: bytes, left: list[int], depth: int, files: Files, notes: list[str]) -> None:
    """ustar by hand: 512-byte headers with octal sizes. `tarfile` is outside this package's allow-list."""
    base = name[: -len(".tar")] if name.endswith(".tar") else name
    offset = 0
    while data[offset + 257 : offset + 262] == b"ustar":
        header = data[offset : offset + 512]
        try:
            size = max(0, int(header[124:136].strip(b"\0 ") or b"0", 8))
        except ValueError:
            notes.append(f"{name}: damaged tar header")
            return
        body = data[offset + 512 : offset + 512 + size]
        if len(body) < size:
            notes.append(f"{name}: cut short")
        if header[156:157] in (b"0", b"\0") and body:
            member = header[:100].rstrip(b"\0").decode("utf-8", "replace")
            _open(f"{base}/{member}", body, left, depth - 1, files, notes)
        offset += 512 + (size + 511) // 512 * 512
