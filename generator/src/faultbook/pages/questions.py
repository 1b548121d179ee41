"""The FAQ's questions and how each is answered from typed facts; an empty answer leaves the question out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..model import Catalog, Entry
from . import markup, words


@dataclass(frozen=True)
class Question:
    """`answer` returns Markdown, or an empty text when the entry does not have the facts."""

    id: str
    text: str
    answer: Callable[[Entry, Catalog], str]


def _in_production(entry: Entry, catalog: Catalog) -> str:
    return markup.safe(entry.facts.in_production or "")


def _scale(entry: Entry, catalog: Catalog) -> str:
    return markup.safe(entry.facts.scale or "")


def _origin(entry: Entry, catalog: Catalog) -> str:
    fact = entry.facts.origin
    return _stated(words.ORIGIN[fact.kind], fact.why) if fact else ""


def _time_to_fix(entry: Entry, catalog: Catalog) -> str:
    fact = entry.facts.time_to_fix
    return _stated(words.sentence(fact.typical), fact.why) if fact else ""


def _workload(entry: Entry, catalog: Catalog) -> str:
    fact = entry.facts.workload
    if not fact:
        return ""
    struck = [name for name in ("training", "inference") if getattr(fact, name)]
    return _stated({2: "Both", 1: f"{words.sentence(''.join(struck))} only", 0: "Neither"}[len(struck)], fact.why)


def _cheapest(entry: Entry, catalog: Catalog) -> str:
    if not entry.confirm:
        return ""
    step = entry.confirm[0]
    return (
        f"{markup.inline(step.step)}\n\n{markup.fence(step.check.code, step.check.lang)}\n\n"
        f"{markup.inline(step.expect)}"
    )


def _automatic(entry: Entry, catalog: Catalog) -> str:
    return markup.safe(entry.facts.automatic or "")


def _next(entry: Entry, catalog: Catalog) -> str:
    rows = [(catalog.entry(row.id), row) for row in entry.confused_with if row.id]
    return "\n".join(
        f"- [{markup.plain(other.title)}](../{other.category}/{other.id}.md): {markup.inline(row.observation)}"
        for other, row in rows
        if other
    )


def _recurs(entry: Entry, catalog: Catalog) -> str:
    fact = entry.facts.recurs
    return _stated("Likely" if fact.likely else "Unlikely once fixed", fact.why) if fact else ""


def _fingerprint(entry: Entry, catalog: Catalog) -> str:
    lines = [f"- {markup.plain(it.system)}: {markup.inline(it.summary)}" for it in entry.alerts]
    return "\n".join([*lines, "", "The rules are [above](#alerts)."]) if lines else ""


def _documentation(entry: Entry, catalog: Catalog) -> str:
    docs = [it for it in entry.references if it.kind == "docs"]
    return "\n".join(f"- {markup.link(it.title, it.url)}: {markup.inline(it.supports)}" for it in docs)


def _code(entry: Entry, catalog: Catalog) -> str:
    tested = sum(it.snippet.runnable for it in entry.fix)
    parts = []
    if tested:
        verb = "runs" if tested == 1 else "run"
        parts.append(f"{words.plural(tested, 'snippet')} of the [fix](#fix) {verb} in the tests on a CPU.")
    if entry.id in catalog.scripts:
        parts.append("A [script](#proof) provokes the failure and, with `--fixed`, applies the fix.")
    return " ".join(parts)


def _stated(short: str, why: str) -> str:
    return f"**{markup.plain(short)}.** {markup.inline(why)}"


QUESTIONS = (
    Question("in-production", "What does it look like in production?", _in_production),
    Question("scale", "How does it change from one GPU to a thousand?", _scale),
    Question("origin", "Is it hardware or software?", _origin),
    Question("time-to-fix", "How long does the fix take?", _time_to_fix),
    Question("workload", "Does it strike training only, or inference too?", _workload),
    Question("cheapest", "What is the cheapest way to confirm it?", _cheapest),
    Question("automatic", "Can a tool detect it automatically?", _automatic),
    Question("next", "Which related failures should I check next?", _next),
    Question("recurs", "Will it come back?", _recurs),
    Question("fingerprint", "Is there a fingerprint to monitor?", _fingerprint),
    Question("documentation", "Where is the official documentation?", _documentation),
    Question("code", "Is there working code?", _code),
)
