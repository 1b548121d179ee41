"""What surrounds the text of a line but is not text: colours, entities, progress bars, JSON envelopes."""

from __future__ import annotations

import json
import re

from .lazy import Lazy

# Colours: real escapes, `^[[31m` as `less` or a web console shows them, escaped in JSON (`\u001b[31m`), and
# with the escape byte already lost (`[34m`). CSI in full only after a real escape byte.
_CSI = Lazy(r"\x1b\[[0-?]{0,40}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>()][0AB]?")
_COLOUR = Lazy(
    r"(?:\^\[|\\x1b|\\u001b|\\033|\\e|␛|\ufffd)?\[(?:\d{1,3}(?:;\d{1,3}){0,6})?m(?!\])"
    r"|(?:\^\[|\\u001b)\[[0-9;]{0,12}[A-HJKhl]"
)
_COLOUR_HINT = Lazy(r"\[[0-9;]{0,12}[mKA-HJhl]")
_ENTITY = Lazy(r"&(?:quot|amp|lt|gt|apos|nbsp|#\d{1,5}|#x[0-9a-fA-F]{1,4});")
# What a terminal obeys (C0, DEL, C1) or what changes the look of a line without showing itself: zero-width and
# direction marks. U+2028 and U+2029 end a line elsewhere. Half a surrogate pair, from JSON or a file name, is no text.
_CONTROL = Lazy(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_SPACE = Lazy(r"[\xa0\u2028\u2029]")
_SURROGATE = Lazy(r"[\ud800-\udfff]")
_DIGITS = Lazy(r"\d+")
# `Epoch 3:  12%|█▏   | 12/100 [00:05<00:36,  2.41it/s]` and whatever was printed right behind it.
_BAR = Lazy(r"[^|\n]{0,120}?\d{1,3}%\|[^|]{0,300}\|[^\[\n]{0,60}(?:\[[^\]\n]{0,200}\])?")
_ESCAPED_NEWLINE = Lazy(r"\\r?\\n|\\n")
_ENVELOPE_KEYS = ("log", "message", "msg", "textPayload")
_ENVELOPE_LONGEST = 1 << 16


def clean(text: str) -> str:
    """`text` without colours and control characters, entities resolved. Indentation stays."""
    if "\x1b" in text:
        text = _CSI.sub("", text)
    if "[" in text and _COLOUR_HINT.search(text):
        text = _COLOUR.sub("", text)
    if "&" in text:
        text = _ENTITY.sub(_unescaped, text)
    return printable(text)


def _unescaped(entity: re.Match[str]) -> str:
    from html import unescape  # its table of names is long, and few logs have an entity

    return unescape(entity[0])


def printable(text: str) -> str:
    """`text` on one line, with nothing in it that a terminal obeys or that hides itself. Tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATE.sub("\ufffd", _SPACE.sub(" ", _CONTROL.sub("", text)))


def sublines(raw: str) -> list[str]:
    """The texts that share one physical line: progress states, embedded line ends, JSON envelopes.

    Overwritten states of a progress line are dropped, the last one stays. Text printed right behind a bar
    becomes a line of its own.
    """
    raw = raw.rstrip("\r")
    texts = _states(raw) if "\r" in raw else [raw]
    if "%|" in raw:
        texts = [part for text in texts for part in _behind_bar(text)]
    if raw[:1] == "{" and raw[-1:] == "}":
        texts = [part for text in texts for part in _envelope(text)]
    if '\\n  File "' in raw or '\\n  File \\"' in raw:
        texts = [part for text in texts for part in _ESCAPED_NEWLINE.split(text.replace('\\"', '"'))]
    return texts


def _states(raw: str) -> list[str]:
    parts = [part for part in raw.split("\r") if part.strip()]
    shapes = [_DIGITS.sub("0", part[:200]).strip() if "%|" not in part else "%|" for part in parts]
    return [
        part
        for index, part in enumerate(parts)
        if index + 1 == len(parts) or shapes[index] != shapes[index + 1] or _tail(part)
    ]


def _tail(part: str) -> str:
    found = _BAR.match(part) if "%|" in part else None
    return part[found.end() :].strip() if found else ""


def _behind_bar(text: str) -> list[str]:
    found = _BAR.match(text)
    if not found or not text[found.end() :].strip():
        return [text]
    return [text[: found.end()], text[found.end() :]]


def _envelope(text: str) -> list[str]:
    """The message inside a line of JSON logging (docker's json-file, cloud logging); else the line itself."""
    if len(text) > _ENVELOPE_LONGEST:
        return [text]
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return [text]
    body = next((data[key] for key in _ENVELOPE_KEYS if isinstance(data.get(key), str)), None)
    return body.splitlines() or [""] if body is not None else [text]
