"""A section appears if and only if the entry has facts for it."""

from __future__ import annotations

import subprocess
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest
from html_parts import rendered, tags

from faultbook import site
from faultbook.model import Facts
from faultbook.pages.entry import entry_page
from faultbook.pages.questions import QUESTIONS
from faultbook.pages.sections import SECTIONS

NAMES = {section.__name__.rpartition(".")[2]: section for section in SECTIONS}
NEEDS = {
    "calculators": {"calculators": ()},
    "observe": {"messages": ()},
    "symptoms": {"symptoms": ()},
    "affected_systems": {"systems": ()},
    "confirm": {"confirm": ()},
    "confused_with": {"confused_with": ()},
    "signature": {"signatures": ()},
    "fix": {"fix": ()},
    "verify": {"verify": None},
    "perspectives": {"perspectives": None},
    "alerts": {"alerts": ()},
    "references": {"references": ()},
}
ALWAYS = set(NAMES) - set(NEEDS) - {"faq"}


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_with_every_fact_has_every_section(name, full, catalog):
    assert NAMES[name].render(full, catalog.proof(full.id), catalog).strip()


@pytest.mark.parametrize("name", NEEDS)
def test_a_section_without_facts_is_empty(name, full, catalog):
    bare = replace(full, **NEEDS[name])
    assert NAMES[name].render(bare, catalog.proof(full.id), catalog) == ""


@pytest.mark.parametrize("name", sorted(ALWAYS))
def test_the_other_sections_stand_without_optional_facts_and_proof(name, plain, catalog):
    bare = replace(plain, id="unproved", aliases=(), refines=(), diagram=None, misconception=None, raised_by=())
    text = NAMES[name].render(bare, None, replace(catalog, entries=(*catalog.entries, bare)))
    assert text.strip() and "None" not in text


QUESTION_NEEDS = {
    "in-production": "facts",
    "scale": "facts",
    "origin": "facts",
    "time-to-fix": "facts",
    "workload": "facts",
    "cheapest": "confirm",
    "automatic": "facts",
    "next": "confused_with",
    "recurs": "facts",
    "fingerprint": "alerts",
    "documentation": "references",
}


def test_every_question_is_tried_below():
    assert {question.id for question in QUESTIONS} - set(QUESTION_NEEDS) == {"code"}


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question.id != "code"], ids=lambda q: q.id)
def test_a_question_without_facts_is_left_out(question, full, catalog):
    field = QUESTION_NEEDS[question.id]
    full = replace(full, facts=replace(full.facts, in_production="In production it shows after hours."))
    without = replace(full, **{field: Facts() if field == "facts" else ()})
    heading = f"### {question.text}"
    assert heading in NAMES["faq"].render(full, None, catalog)
    assert heading not in NAMES["faq"].render(without, None, catalog)


def test_working_code_is_claimed_only_where_there_is_some(full, catalog):
    code = next(question for question in QUESTIONS if question.id == "code")
    assert "1 snippet" in code.answer(full, catalog) and "script" in code.answer(full, catalog)
    untested = replace(full, fix=tuple(replace(fix, snippet=replace(fix.snippet, runnable=False)) for fix in full.fix))
    assert code.answer(untested, replace(catalog, scripts={})) == ""


def test_the_badge_says_no_more_than_the_proof(full, plain, catalog):
    def head(proof):
        return NAMES["head"].render(full, proof, catalog)

    proven = catalog.proof("full-example")
    assert "symptom and fix reproduced, CPU, every CI run" in head(proven)
    assert "symptom and fix reproduced, one GPU, 2026-12-01" in head(replace(proven, lane="gpu"))
    skipped = head(catalog.proof("plain-example"))
    assert "not run here: needs a GPU" in skipped and "fb-skipped" in skipped and "reproduced" not in skipped
    assert "proof failed: exit code 0" in head(replace(proven, verdict="failed", reason="exit code 0"))
    assert "documented only" in head(None)


def test_a_replayed_capture_is_called_so_with_date_and_environment(full, catalog):
    proof = replace(catalog.proof("full-example"), verdict="recorded", lane="gpu")
    text = NAMES["proof"].render(full, proof, catalog)
    assert "Judged from the log of an earlier run (one GPU, 2026-12-01)" in text
    assert "Judged from what an earlier run printed, on 2026-12-01 with Python 3" in text
    assert "every CI run" not in NAMES["head"].render(full, proof, catalog)


def test_what_was_measured_is_a_table(full, catalog):
    html = rendered(NAMES["proof"].render(full, catalog.proof(full.id), catalog))
    assert html.count("<table") == 1 and "<td>256 MiB, expected &lt; 512</td>" in html


@pytest.mark.parametrize("lack", [None, "run", "side"])
def test_bounds_stand_without_a_measured_number(lack, full, catalog):
    proof = catalog.proof(full.id)
    if lack:
        proof = replace(proof, fixed=None, **({"symptom": None} if lack == "run" else {}))
    text = NAMES["proof"].render(full, proof if lack else None, catalog)
    assert "– MiB, expected &gt;= 512" in text and ("256 MiB" in text) == (lack == "side")


def test_a_long_log_is_shortened_and_says_so(full, catalog):
    proof = catalog.proof(full.id)
    log = "\n".join(f"line {number}" for number in range(500))
    text = NAMES["proof"].render(full, replace(proof, symptom=replace(proof.symptom, text=log)), catalog)
    assert "[380 lines left out here]" in text and "line 499" in text and "line 379\n" not in text


HOSTILE = "<script>alert(1)</script> `<img src=x>` [x](javascript:y) **a**{: onclick=x } ```\n\n<div onload=x>\n\n# h"


def poisoned(value, keep=()):
    """The value with every free text in it replaced by the hostile one."""
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.name not in keep]
        return replace(value, **{name: poisoned(getattr(value, name), keep) for name in names})
    if isinstance(value, tuple):
        return tuple(poisoned(item, keep) for item in value)
    return HOSTILE if isinstance(value, str) else value


SLUGS = (
    "id", "category", "severity", "tags", "phases", "aliases", "refines", "leads_to", "rules_out", "yes", "certainty",
    "strength", "kind", "lane", "lang", "url", "name", "spec", "updated", "calculators",
)  # fmt: skip


def test_an_entry_of_hostile_texts_renders_to_harmless_html(full, catalog):
    entry = poisoned(full, SLUGS)
    proof = catalog.proof(full.id)
    proof = replace(proof, symptom=replace(proof.symptom, text=HOSTILE), reason=HOSTILE)
    page = entry_page(entry, replace(catalog, entries=(entry, catalog.by_id["plain-example"]), proofs=(proof,)))
    html = rendered(page.text.partition("\n---\n")[2])
    found = tags(html)
    assert len(found) > 200
    for tag, attributes in found:
        assert tag not in ("script", "iframe", "object", "style", "link", "meta", "form"), html
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert not attributes.get("href", "").startswith(("javascript", "data"))
        assert attributes.get("src", "data:").startswith("data:")
    assert sum(tag == "h1" for tag, _ in found) == 1


def test_anchors_are_stable_and_unique(full, catalog):
    html = rendered(entry_page(full, catalog).text.partition("\n---\n")[2])
    ids = [attributes["id"] for _, attributes in tags(html) if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {
        "quick-answer", "check-your-log", "what-it-is", "why-it-happens", "raised-by", "observe", "symptoms", "systems",
        "confirm", "confused-with", "signature", "signature-numbers", "fix", "prevention", "verify", "proof",
        "perspectives", "on-call", "engineer", "lead", "alerts", "faq", "faq-origin", "related", "references",
        "diagnose-locally", "report",
    } <= set(ids)  # fmt: skip


def test_pages_depend_on_the_catalog_alone(catalog):
    first, second = site.pages(catalog), site.pages(replace(catalog))
    assert first == second
    paths = [page.path for page in first]
    assert paths == sorted(set(paths))
    assert {
        "index.md", "proofs.md", "memory/index.md", "memory/full-example.md", "memory/former-example.md",
        "systems/index.md", "systems/linux.md", "tags/index.md", "tags/cuda-oom.md",
    } <= set(paths)  # fmt: skip


def test_a_former_id_leads_to_the_entry(catalog):
    page = next(page for page in site.pages(catalog) if page.path == "memory/former-example.md")
    assert 'redirect: "../full-example/"' in page.text and "(full-example.md)" in page.text


def test_the_proofs_page_counts_a_skip_as_a_skip(catalog):
    page = next(page for page in site.pages(catalog) if page.path == "proofs.md")
    assert "Proven</span> 1 of 2" in page.text and "Not run here</span> 1 of 2" in page.text
    assert "needs a GPU" in page.text
    skipped = next(line for line in page.text.split("\n") if "plain-example" in line)
    assert "torch" not in skipped  # it ran nowhere, so no environment is named
    home = next(page for page in site.pages(catalog) if page.path == "index.md")
    assert "**1** reproduced and fixed" in home.text and "**2** failures described" in home.text


def test_a_hub_lists_each_failure_once_in_the_order_of_a_job(catalog):
    page = next(page for page in site.pages(catalog) if page.path == "systems/pytorch.md")
    listing = page.text.partition("## Side by side")[0]
    assert listing.index("### Forward pass") < listing.index("### Any time")
    assert listing.count("full-example.md") == listing.count("plain-example.md") == 1


def test_the_grep_on_the_page_finds_the_example(full, catalog, tmp_path):
    text = NAMES["signature"].render(full, None, catalog)
    command = next(line.strip() for line in text.split("\n") if "grep -E -e" in line)
    assert text.index("Tried to allocate") < text.index("??? example") < text.index(command)  # folded, template apart
    (tmp_path / "run.log").write_text(full.signatures[0].examples[0] + "\nhealthy line\n")
    found = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.count("\n") == 1 and "Tried to allocate 1.50 GiB" in found.stdout


SNAPSHOT = Path(__file__).parents[1] / "snapshots" / "full-example.md"


def test_the_page_is_the_one_on_record(full, catalog):
    """After a wanted change run `python tests/pages/snapshot.py` and read the diff."""
    assert entry_page(full, catalog).text == SNAPSHOT.read_text(encoding="utf-8")
