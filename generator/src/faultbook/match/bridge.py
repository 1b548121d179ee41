"""The browser's door: JSON and bytes in, JSON out. Knows nothing of JavaScript, so it is tested without it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .diagnosis import to_dict, to_markdown
from .engine import triage
from .index import SignatureIndex, load_index
from .sources import Progress
from .types import Diagnosis


class _State:
    index: SignatureIndex | None = None
    last: Diagnosis | None = None


def load(index_json: str) -> None:
    """Take the signature index. Raises ValueError where it is of another format than this code reads."""
    _State.index = load_index(index_json)


def query(files: Iterable[tuple[str, bytes]], progress: Progress = lambda _: None) -> str:
    """Diagnose (name, bytes) files. An object with the one key `error` means: broken, not "no match".

    `progress` is called with the number of bytes just read, once for a short log and after each part of a long one.
    """
    try:
        if _State.index is None:
            raise RuntimeError("the signature index is not loaded")
        _State.last = triage([(str(name), bytes(data)) for name, data in files], _State.index, progress)
        return json.dumps(to_dict(_State.last), ensure_ascii=False)
    except Exception as error:
        _State.last = None
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def markdown() -> str:
    """The last diagnosis as Markdown, empty if there is none."""
    return to_markdown(_State.last) if _State.last else ""
