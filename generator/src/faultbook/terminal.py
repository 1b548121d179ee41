"""Diagnoses, entries and proofs as Rich renderables. Text from logs and entries is never read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

VERDICTS = {
    "match": ("green", "A known failure. The signature's clauses hold; confirm the cause before acting on it."),
    "ambiguous": ("yellow", "The log fits, but does not settle between look-alikes. The questions below do."),
    "unknown": ("magenta", "Something failed, and no entry explains it."),
    "clean": ("cyan", "No failure seen in this log."),
}
_SHOWN = 3  # diagnoses shown whole; the others are listed by title


def diagnosis(data: Mapping) -> RenderableType:
    """The whole answer, best first. `data` is the object that `--format json` prints."""
    colour, meaning = VERDICTS[data["verdict"]]
    parts: list[RenderableType] = [Text.assemble((data["verdict"].upper(), f"bold {colour}"), "  ", meaning)]
    parts += [_finding(found, first=not place) for place, found in enumerate(data["diagnoses"][:_SHOWN])]
    parts += [Text(f"also: {found['id']}", style="dim") for found in data["diagnoses"][_SHOWN:]]
    parts += [*_ranks(data), *_settle(data["settle"]), *(Text(f"note: {note}", "dim") for note in data["notes"])]
    return Group(*parts)


def _finding(found: Mapping, *, first: bool) -> RenderableType:
    title = Text.assemble((found["title"], "bold" if first else ""), (f"  {found['severity']}", "dim"))
    parts: list[RenderableType] = [Text(found.get("says", ""), style="italic")]
    parts += [_line(item, "green", "for") for item in found["evidence"]]
    parts += [_line(item, "red", "against") for item in found["against"]]
    if first:
        parts += _fix(found["fix"])
    parts.append(Text(f"faultbook explain {found['id']}", style="cyan"))
    subtitle = Text(f"{found['strength']} evidence, confidence {found['confidence']:.2f}", style="dim")
    return Panel(Group(*parts), title=title, title_align="left", subtitle=subtitle, subtitle_align="right")


def _line(item: Mapping, colour: str, side: str) -> RenderableType:
    where = Text(f"{item['file']}:{item['line']} ", style=colour)
    line = where.append(item["text"][:400], style="bold")
    why = Text(f"{side}: {item['why']}", style="dim") if item.get("why") else Text("")
    return Group(line, Padding(why, (0, 0, 0, 2)))


def _fix(fix: Mapping) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if fix.get("text"):
        parts += [Text("\nFix", style="bold"), Markdown(fix["text"], hyperlinks=False)]
    if fix.get("command"):
        parts.append(Padding(Syntax(fix["command"], fix.get("lang", "text"), word_wrap=True), (0, 2)))
    return parts


def _ranks(data: Mapping) -> list[RenderableType]:
    first, parts = data["initiating"], []
    if first:
        who = "rank cannot be told" if first["rank"] is None else f"rank {first['rank']}"
        parts.append(Text.assemble(("First failure: ", "bold"), f"{who}, {first['file']}:{first['line']}"))
        parts.append(Text(f"  {first['what'][:400]}"))
        if first.get("basis"):
            parts.append(Text(f"  {first['basis']}", style="dim"))
    for other in data["collateral"][:8]:
        who = "" if other["rank"] is None else f"rank {other['rank']}, "
        parts.append(Text(f"collateral: {who}{other['file']}:{other['line']} {other['what'][:160]}", style="dim"))
    return parts


def _settle(questions: Sequence[Mapping]) -> list[RenderableType]:
    if not questions:
        return []
    parts: list[RenderableType] = [Text("\nTo settle it", style="bold")]
    for number, item in enumerate(questions, 1):
        parts.append(Text(f"{number}. {item['question']}"))
        if item["command"]:
            parts.append(Padding(Text(item["command"], style="cyan"), (0, 5)))
        parts.append(Text(f"   yes: {item['if_yes']}   no: {item['if_no']}", style="dim"))
    return parts


def entry(data: Mapping) -> RenderableType:
    """One entry, for `faultbook explain`. `data` is the entry as it stands in its YAML."""
    quick = data["quick_answer"]
    return Group(
        Panel(Text(data["title"], style="bold"), subtitle=f"{data['category']} / {data['severity']}"),
        *_titled("Symptom", quick["symptom"]), *_titled("Cause", quick["cause"]), *_titled("Fix", quick["fix"]),
        _code(quick["command"]),
        *_titled("Why it happens", data["mechanism"]),
        *_confirm(data["confirm"]), *_siblings(data["confused_with"]), *_fixes(data["fix"]),
        *_titled("References", "\n".join(f"- {ref['title']}: {ref['url']}" for ref in data["references"])),
    )  # fmt: skip


def _titled(title: str, markdown: str) -> list[RenderableType]:
    return [Text(f"\n{title}", style="bold cyan"), Markdown(markdown, hyperlinks=False)]


def _code(snippet: Mapping) -> RenderableType:
    return Padding(Syntax(snippet["code"].rstrip(), snippet["lang"], word_wrap=True), (1, 2, 0, 2))


def _confirm(steps: Iterable[Mapping]) -> list[RenderableType]:
    parts: list[RenderableType] = [Text("\nHow to confirm", style="bold cyan")]
    for step in steps:
        parts += [Markdown(f"- {step['step']}"), _code(step["check"]), Markdown(f"  expect: {step['expect']}")]
    return parts


def _siblings(rows: Iterable[Mapping]) -> list[RenderableType]:
    table = Table("look-alike", "what separates them", title_justify="left")
    for row in rows:
        table.add_row(Text(row.get("id") or row["name"]), Markdown(row["observation"]))
    return [Text("\nOften confused with", style="bold cyan"), table]


def _fixes(fixes: Iterable[Mapping]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for fix in fixes:
        parts += [Text(f"\n{fix['title']} ({fix['stack']})", style="bold"), Markdown(fix["why"])]
        parts += [_code(fix["snippet"]), Markdown(f"Cost: {fix['cost']}")]
    return [Text("\nFix and prevention", style="bold cyan"), *parts]


PROOF_COLOURS = {"proven": "green", "recorded": "green", "failed": "bold red", "skipped": "yellow"}


def proofs(rows: Iterable[tuple[str, str, str, str, str]]) -> RenderableType:
    """A table of (entry, lane, verdict, seconds, reason); every skip shows its reason."""
    table = Table("entry", "lane", "verdict", "seconds", "reason", show_lines=False)
    for entry_id, lane, verdict, seconds, reason in rows:
        colour = PROOF_COLOURS[verdict]
        table.add_row(Text(entry_id, overflow="fold"), lane, Text(verdict, colour), seconds, Text(reason))
    return table
