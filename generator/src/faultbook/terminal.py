"""Diagnoses, entries and proofs as Rich renderables. Text from logs and entries is never read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from .match.diagnosis import ROLES

VERDICTS = {
    "match": ("green", "A known failure. The signature's clauses hold; confirm the cause before acting on it."),
    "ambiguous": ("yellow", "The log fits, but does not settle between look-alikes. The questions below do."),
    "unknown": ("magenta", "Something failed, and no entry explains it."),
    "clean": ("cyan", "No failure seen in this log."),
}
_OTHERS = 3  # further candidates that are shown
_ALIKE = 2  # lines shown that are evidence for the same reason
_WIDTH = 300  # characters shown of a log line
_RANKS, _BAR = 16, 32  # rows of ranks that are shown, characters of a row's line
_TONES = {"first": "bold red", "healthy": "dim", "silent": "yellow"}


def diagnosis(data: Mapping) -> RenderableType:
    """The whole answer, best first. `data` is the object that `--format json` prints.

    No boxes: ids and commands are to be copied, so nothing may break or cut them.
    """
    colour, meaning = VERDICTS[data["verdict"]]
    parts: list[RenderableType] = [Text.assemble((data["verdict"].upper(), f"bold {colour}"), "  ", meaning)]
    parts += [Text(f"You said {reply['answer']}: {reply['question']}", "cyan") for reply in data["replies"]]
    lead, *others = data["diagnoses"] or [None]
    shown: set[tuple[str, int]] = set()
    if lead:
        parts += [Text(""), *_finding(lead, shown), *_fix(lead["fix"])]
        parts.append(Text(f"\nfaultbook explain {lead['id']}", style="cyan"))
    parts += [*_memory(data["memory"]), *_related(data["related"])]
    parts += [*_others(others), *_first(data["initiating"], shown), *_collateral(data["collateral"])]
    parts += _ranks(data["ranks"], data["ranks_left_out"])
    parts += [*_settle(data["settle"]), *(Text(f"note: {note}", "dim") for note in data["notes"])]
    return Group(*parts)


def _finding(found: Mapping, shown: set[tuple[str, int]]) -> list[RenderableType]:
    parts: list[RenderableType] = [
        Text.assemble((found["title"], "bold"), (f"  {found['severity']}", "dim")),
        Text(f"{found['strength']} evidence, confidence {found['confidence']:.2f}: {found['says']}", style="italic"),
    ]
    for side, colour in (("evidence", "green"), ("against", "red")):
        for why, alike in groupby(found[side], key=lambda item: item.get("why", "")):
            lines = list(alike)
            shown.update((item["file"], item["line"]) for item in lines[:_ALIKE])
            parts += [_line(item, colour) for item in lines[:_ALIKE]]
            more = f" (and {len(lines) - _ALIKE} more such lines)" if len(lines) > _ALIKE else ""
            parts.append(Text(f"    {'for' if side == 'evidence' else side}: {why}{more}", style="dim"))
    return parts


def _line(item: Mapping, colour: str) -> RenderableType:
    rank = "" if item.get("rank") is None else f" rank {item['rank']}"
    return Text.assemble((f"  {item['file']}:{item['line']}{rank} ", colour), (_cut(item["text"]), "bold"))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else text[:_WIDTH] + "…"


def _fix(fix: Mapping) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if fix.get("text"):
        parts += [Text("\nFix", style="bold"), Markdown(fix["text"], hyperlinks=False)]
    if fix.get("command"):
        parts.append(Padding(Syntax(fix["command"].rstrip(), fix.get("lang", "text"), word_wrap=True), (0, 2)))
    return parts


def _others(found: Sequence[Mapping]) -> list[RenderableType]:
    if not found:
        return []
    parts: list[RenderableType] = [Text("\nAlso fits", style="bold")]
    for other in found[:_OTHERS]:
        at = ", ".join(f"{item['file']}:{item['line']}" for item in other["evidence"][:_ALIKE])
        parts.append(Text.assemble("  ", (other["id"], "cyan"), f"  {other['strength']} evidence at {at}"))
        parts.append(Text(f"    {other['says']}", style="dim"))
    if len(found) > _OTHERS:
        parts.append(Text(f"  and {', '.join(other['id'] for other in found[_OTHERS:])}", style="dim"))
    return parts


def _first(first: Mapping | None, shown: set[tuple[str, int]]) -> list[RenderableType]:
    if not first:
        return []
    who = "rank cannot be told" if first["rank"] is None else f"rank {first['rank']}"
    parts = [Text.assemble(("\nFirst failure: ", "bold"), f"{who}, {first['file']}:{first['line']}")]
    if (first["file"], first["line"]) not in shown:
        parts.append(Text(f"  {_cut(first['what'])}"))
    return [*parts, *([Text(f"  {first['basis']}", style="dim")] if first.get("basis") else [])]


def _collateral(rows: Sequence[Mapping]) -> list[RenderableType]:
    """Consequences condensed: how many, on which ranks, and the first of them."""
    if not rows:
        return []
    ranks = sorted({row["rank"] for row in rows if row["rank"] is not None})
    who = f" on rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}" if ranks else ""
    count = f"{len(rows)} line{'s' * (len(rows) > 1)}"
    at = f"{rows[0]['file']}:{rows[0]['line']}"
    return [Text(f"Collateral: {count}{who}, first {at} {_cut(rows[0]['what'])}", style="dim")]


def _ranks(ranks: Sequence[Mapping], left_out: int) -> list[RenderableType]:
    """A row a rank, from its first line to its last where they have times, the first failure marked."""
    if len(ranks) < 2:
        return []
    rows = sorted(sorted(ranks, key=lambda one: list(ROLES).index(one["role"]))[:_RANKS], key=ranks.index)
    times = [time for one in rows for time in (one["first_time"], one["last_time"]) if time is not None]
    start, span = min(times, default=0), max(times, default=0) - min(times, default=0)
    width = max(len(_rank_name(one)) for one in rows)
    parts: list[RenderableType] = [Text("\nRanks", style="bold")]
    parts += [
        Text(f"  {_rank_name(one):{width}}  {_bar(one, start, span)}{ROLES[one['role']]}", _TONES.get(one["role"], ""))
        for one in rows
    ]
    if missing := len(ranks) - len(rows) + left_out:
        parts.append(Text(f"  and {missing} more", style="dim"))
    return parts


def _rank_name(one: Mapping) -> str:
    if one["rank"] is None:
        return (one["file"] or one["node"] or "?")[-24:]
    return f"rank {one['rank']}" + (f" ({one['node']})" if one["node"] else "")


def _bar(one: Mapping, start: float, span: float) -> str:
    """A line over a column of _BAR characters; empty where there are no times to compare."""
    if not span:
        return ""
    if one["first_time"] is None or one["last_time"] is None:
        return " " * (_BAR + 2)
    from_, to = (round((one[name] - start) / span * _BAR) for name in ("first_time", "last_time"))
    mark = {"first": "✕", "collateral": "○", "unknown": "○"}.get(one["role"], " ")
    return f"{' ' * from_ + '─' * (to - from_) + mark:{_BAR + 2}}"


def _settle(questions: Sequence[Mapping]) -> list[RenderableType]:
    if not questions:
        return []
    parts: list[RenderableType] = [Text("\nTo settle it", style="bold")]
    for number, item in enumerate(questions, 1):
        parts.append(Text(f"{number}. {item['question']}"))
        if item["command"]:
            parts.append(Padding(Text(item["command"], style="cyan"), (0, 5)))
        yes, no = (item[side] or item["name"] for side in ("if_yes", "if_no"))
        parts.append(Text(f"   yes: {yes}   no: {no}", style="dim"))
    keys = " ".join(f"--answer {item['key']}=yes|no" for item in questions[:1])
    parts.append(Text(f"Answer them with --ask, or with {keys}", style="dim"))
    return parts


def _memory(account: Mapping | None) -> list[RenderableType]:
    if not account:
        return []
    at = f"{account['file']}:{account['line']}"
    return [
        Text.assemble(("\nThe report's own numbers", "bold"), f"  {account['kind']}, {at}"),
        Text(f"  {account['says']}"),
    ]


def _related(near: Sequence[Mapping]) -> list[RenderableType]:
    if not near:
        return []
    parts: list[RenderableType] = [Text("\nNot a match, but related", style="bold")]
    for item in near:
        parts += [Text.assemble("  ", (item["id"], "cyan")), Text(f"    {_cut(item['why'])}", style="dim")]
    parts.append(Text("faultbook new --from-log FILE drafts an entry from this log", style="dim"))
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
