"""What surrounds the text of a line but is not text: colours, entities, progress bars, JSON envelopes."""

from __future__ import annotations

import html
import json
import re

# Colours: real escapes, `^[[31m` as `less` or a web console shows them, escaped in JSON (`\u001b[31m`), and
# with the escape byte already lost (`[34m`). CSI in full only after a real escape byte.
_CSI = re.compile(r"\x1b\[[0-?]{0,40}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>()][0AB]?")
_COLOUR = re.compile(
    r"(?:\^\[|\\x1b|\\u001b|\\033|\\e|␛|\ufffd)?\[(?:\d{1,3}(?:;\d{1,3}){0,6})?m(?!\])"
    r"|(?:\^\[|\\u001b)\[[0-9;]{0,12}[A-HJKhl]"
)
_COLOUR_HINT = re.compile(r"\[[0-9;]{0,12}[mKA-HJhl]")
_ENTITY = re.compile(r"&(?:quot|amp|lt|gt|apos|nbsp|#\d{1,5}|#x[0-9a-fA-F]{1,4});")
_CONTROLS = {code: None for code in range(32) if code != 9} | {0x7F: None, 0x200B: None, 0xFEFF: None, 0xA0: " "}
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\u200b\ufeff\xa0]")
_DIGITS = re.compile(r"\d+")
# `Epoch 3:  12%|█▏   | 12/100 [00:05<00:36,  2.41it/s]` and whatever was printed right behind it.
_BAR = re.compile(r"[^|\n]{0,120}?\d{1,3}%\|[^|]{0,300}\|[^\[\n]{0,60}(?:\[[^\]\n]{0,200}\])?")
_ESCAPED_NEWLINE = re.compile(r"\\r?\\n|\\n")
_ENVELOPE_KEYS = ("log", "message", "msg", "textPayload")
_ENVELOPE_LONGEST = 1 << 16


def clean(text: str) -> str:
    """`text` without colours and control characters, entities resolved. Indentation stays."""
    if "\x1b" in text:
        text = _CSI.sub("", text)
    if "[" in text and _COLOUR_HINT.search(text):
        text = _COLOUR.sub("", text)
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return text.translate(_CONTROLS) if _CONTROL.search(text) else text


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
