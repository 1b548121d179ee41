"""FAQ: answered from the entry's typed facts. A question whose facts are missing is left out."""

from __future__ import annotations

from markupsafe import Markup

from ...model import Catalog, Entry, Proof
from ..questions import QUESTIONS
from ..render import section


def render(entry: Entry, proof: Proof | None, catalog: Catalog) -> str:
    answers = [(it.id, it.text, it.answer(entry, catalog)) for it in QUESTIONS]
    answered = [(id, question, Markup(answer)) for id, question, answer in answers if answer]
    return section("faq", rows=answered) if answered else ""
