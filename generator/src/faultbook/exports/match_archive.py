"""`faultbook-match.zip`, for the browser's Python: `__init__.py`, `calculate.py` and `match/` of the package, no more.

The same bytes for the same sources: names sorted, one fixed time, no permissions of this machine.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from ..artifact import Artifact
from ..model import Catalog

PATH = "faultbook-match.zip"
_PACKAGE = Path(__file__).parents[1]
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that the format can say


def artifacts(catalog: Catalog) -> tuple[Artifact, ...]:
    sources = [_PACKAGE / "__init__.py", _PACKAGE / "calculate.py", *sorted((_PACKAGE / "match").rglob("*.py"))]
    files = {source.relative_to(_PACKAGE.parent).as_posix(): source.read_bytes() for source in sources}
    return (Artifact(PATH, archive(files)),)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip of `files`, name → bytes, that depends on nothing else."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            target.writestr(info, data)
    return buffer.getvalue()
