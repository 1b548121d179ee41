"""Contributed text → Markdown that can only ever be text, emphasis, lists, code and checked links.

Entries come from pull requests, and their Markdown ends up beside our own HTML in one page. So what a
contributor writes is taken apart into code and prose. Prose loses raw HTML, images, attribute lists,
headings and links to anything but https pages, anchors and sibling entries; code is written out again in
a form in which no Markdown parser can find anything else. Every function returns `Markup`, which the
templates insert as it is; plain strings are escaped on their way in by `plain`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import quote

from markupsafe import Markup

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})[ ]*(?P<lang>[A-Za-z0-9+-]*)[ ]*$")
_CODE_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TOKEN = re.compile(r"\\.|<(?P<auto>https://[^\s<>()]+)>|[<{`]|!\[|\]\((?=[ ]*(?P<target>[^)\s]*))", re.DOTALL)
# A heading, a rule under a line (which would make that line a heading), or a link definition.
_LINE_START = re.compile(
    r"^(?P<space>[ ]*(?:>[ ]*|(?:[-*+]|\d+\.)[ ]+)*)(?P<mark>#|=+[ ]*$|-+[ ]*$|\[(?=[^\]\n]*\]:))", re.MULTILINE
)
_TARGET = re.compile(
    r"(https://[\w.~:/?#@!$&*+,;=%-]+|#[a-z0-9-]+|(\.\./)?([a-z0-9-]+/)?[a-z0-9-]+\.md(#[a-z0-9-]+)?)\Z"
)
_MARKS = re.compile(r" *(`{3,}|~{3,})")
# Links are stepped over: there is none within a link.
_SPAN = re.compile(r"\[[^\]\n]*\]\([^)\n]*\)|(?<!`)`(?P<id>[a-z0-9-]+)`(?!`)")
_PLAIN = re.compile(r"[\\`*{}\[\]<>&#|~]|(?<!\w)_|_(?!\w)")


def safe(text: str) -> Markup:
    """A contributed Markdown text of any number of paragraphs, lists and code blocks."""
    return Markup("\n".join(_blocks(_clean(text).split("\n"))).strip("\n"))


def inline(text: str) -> Markup:
    """A contributed Markdown text squeezed into one line: a table cell, a list item, a paragraph."""
    return Markup(_paragraph(" ".join(_clean(text).split())).replace("|", "&#124;"))


def plain(text: object) -> Markup:
    """A text in which nothing is Markdown: titles, names, version ranges."""
    return Markup(_PLAIN.sub(lambda hit: _entity(hit[0]), re.sub(r"\s+", " ", _clean(str(text)))))


def words_of(text: str) -> str:
    """The words of a contributed Markdown text without its marks, for descriptions and JSON."""
    words = re.sub(r"\]\([^)]*\)", "", " ".join(_clean(text).split()))
    return re.sub(r"(?<!\w)[_*]{1,2}(?=\S)|(?<=\S)[_*]{1,2}(?!\w)|[`\[]", "", words)


def fence(code: str, lang: str = "text", title: str = "") -> Markup:
    """A code block whose fence is longer than any run of backticks inside."""
    code = _clean(code).strip("\n")
    marks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    heading = f' title="{html.escape(title)}"' if title else ""
    return Markup(f"{marks}{lang}{heading}\n{code}\n{marks}")


def code(text: str) -> Markup:
    """A short piece of code within a line."""
    return Markup(_code(_clean(text)))


def with_links(markdown: str, pages: Mapping[str, str]) -> str:
    """`markdown` with each code span that is a key of `pages` made a link to that page; code blocks stay."""
    parts, fence = [], None
    for line in markdown.split("\n"):
        marks = _MARKS.match(line)
        if fence is None:
            parts.append(line if marks else _SPAN.sub(lambda hit: _linked(hit, pages), line))
        else:
            parts.append(line)
        if marks and fence is None:
            fence = marks[1]
        elif marks and marks[1].startswith(fence) and marks[0] == line.rstrip():
            fence = None
    return "\n".join(parts)


def _linked(hit: re.Match[str], pages: Mapping[str, str]) -> str:
    return f"[{hit[0]}]({pages[hit['id']]})" if hit["id"] in pages else hit[0]


def link(label: object, url: str) -> Markup:
    """A link with a plain label; an address that is not one we allow leaves the label alone."""
    return Markup(f"[{plain(label)}]({address(url)})") if _TARGET.match(address(url)) else plain(label)


def address(url: str) -> str:
    """An address with everything encoded that could end a Markdown link or an attribute."""
    return quote(_clean(url).strip(), safe="/:?#@!$&*+,;=%~-._")


def indented(text: str, width: int = 4) -> Markup:
    """Every line that is not empty moved right, so that the text belongs to a list item or a tab."""
    return Markup("\n".join(" " * width + line if line else line for line in text.split("\n")))


def _clean(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).expandtabs(4)


def _blocks(lines: list[str]):
    """Fenced blocks written anew; every other paragraph made harmless."""
    prose: list[str] = []
    while lines:
        opening = _FENCE.match(lines[0])
        end = _closing(lines, opening) if opening else 0
        if end:
            yield _prose(prose)
            width, lang = len(opening["indent"]), opening["lang"] or "text"
            code = "\n".join(line[min(width, len(line) - len(line.lstrip(" "))) :] for line in lines[1:end])
            yield f"\n{indented(fence(code, lang), width)}\n"
            prose, lines = [], lines[end + 1 :]
        else:
            prose, lines = [*prose, lines[0]], lines[1:]
    yield _prose(prose)


def _closing(lines: list[str], opening: re.Match[str]) -> int:
    closing = re.compile(rf" *{re.escape(opening['marks'][0])}{{{len(opening['marks'])},}} *")
    return next((at for at, line in enumerate(lines[1:], 1) if closing.fullmatch(line)), 0)


def _prose(lines: list[str]) -> str:
    paragraphs = re.split(r"(\n[ ]*\n)", "\n".join(lines))
    return "".join(part if at % 2 else _paragraph(part) for at, part in enumerate(paragraphs))


def _paragraph(text: str) -> str:
    parts, start = [], 0
    for span in _CODE_SPAN.finditer(text):
        parts += [_words(text[start : span.start()]), _code(span[2])]
        start = span.end()
    return "".join([*parts, _words(text[start:])])


def _words(text: str) -> str:
    text = _TOKEN.sub(_token, text)
    return _LINE_START.sub(lambda hit: f"{hit['space']}\\{hit['mark']}", text)


def _token(hit: re.Match[str]) -> str:
    found = hit[0]
    if hit["auto"]:
        return f"[{plain(hit['auto'])}]({address(hit['auto'])})" if _TARGET.match(hit["auto"]) else plain(found)
    if hit["target"] is not None:
        return found if _TARGET.match(hit["target"]) else f"\\{found}"
    return {"<": "&lt;", "{": "\\{", "`": "\\`", "![": "\\![", "\\<": "&lt;"}.get(found, found)


def _code(text: str) -> str:
    """A code span, as HTML with entities where a parser might read the backticks differently from us."""
    text = " ".join(text.split())
    if re.search(r"[<{`|\\]|\]\(", text):
        return f"<code>{_PLAIN.sub(lambda hit: _entity(hit[0]), text)}</code>"
    return f"`{text}`"


def _entity(char: str) -> str:
    return {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(char, f"&#{ord(char)};")
