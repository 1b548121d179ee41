"""The browser's door: JSON and bytes in, JSON out. Knows nothing of JavaScript, so it is tested without it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .diagnosis import to_dict, to_markdown
from .engine import triage
from .index import SignatureIndex, load_index
from .settle import narrow
from .sources import Progress
from .types import Diagnosis


class _State:
    index: SignatureIndex | None = None
    last: Diagnosis | None = None
    shown: Diagnosis | None = None  # the last one as far as it has been narrowed


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
        _State.shown = _State.last
        return json.dumps(to_dict(_State.last), ensure_ascii=False)
    except Exception as error:
        _State.last = _State.shown = None
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def answer(answers: str) -> str:
    """The last diagnosis narrowed by the reader's answers, a JSON object of question keys and yes or no."""
    try:
        if _State.index is None or _State.last is None:
            raise RuntimeError("nothing has been diagnosed yet")
        _State.shown = narrow(_State.last, json.loads(answers), _State.index)
        return json.dumps(to_dict(_State.shown), ensure_ascii=False)
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})


def markdown() -> str:
    """The diagnosis last shown as Markdown, empty if there is none."""
    return to_markdown(_State.shown) if _State.shown else ""
