"""The page about how well triage matches: figures, confusions and cases come from the recorded score."""

from faultbook.model import CaseSet, Catalog
from faultbook.pages.scores import matrix_of, scores

ROW = {"kind": "positive", "verdict": "match", "source": "https://example.org/1", "why": "It | says *so*."}
SET = CaseSet(
    name="match", cases=3, positives=2, negatives=1, top1=0.5, top3=1.0, false_alarms=0.0, first_rank=None,
    confusion=(("b", "a", 1), ("b", "b", 1), ("none", "none", 1)),
    rows=(
        {**ROW, "case": "one", "acceptable": ["b"], "answered": "a", "first_rank": 2, "told_rank": None},
        {**ROW, "case": "two", "acceptable": ["b"], "answered": "b", "first_rank": None, "told_rank": None},
        {**ROW, "case": "calm", "acceptable": [], "answered": "none", "first_rank": None, "told_rank": None},
    ),
)  # fmt: skip


def test_matrix_has_no_entry_last_and_knows_what_is_confused():
    matrix = matrix_of([SET, SET], {"a": "Zebra", "b": "Apple", "none": "Aardvark"})
    assert matrix.ids == ("b", "a", "none")
    assert matrix.cells == ((0, 0, 2), (0, 1, 2), (2, 2, 2))
    assert matrix.confused == ((0, 1, 2),)


def test_figures_confusions_and_cases_are_shown():
    text = scores(Catalog(scores=(SET,))).text
    figures = "| Seen while signatures were written | 2 with a known cause, 1 without | 50.0 % | 100.0 % | 0.0 % |"
    assert figures in text and "no such case" in text
    assert "| b | a | 1 |" in text
    assert text.count('class="fb-wrong"') == 1 and text.count('class="fb-right"') == 2
    rows = [line for line in text.splitlines() if "tests/cases/match/" in line]
    assert "| b, rank 2 | a, rank not told |" in rows[0]
    assert "| b | the same |" in rows[1]
    assert "| no entry | the same |" in rows[2]
    assert "[Source](https://example.org/1)" in rows[0] and "It &#124; says" in rows[0]


def test_without_a_score_the_page_says_so():
    assert "No score is recorded here" in scores(Catalog()).text
