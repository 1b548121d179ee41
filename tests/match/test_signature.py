import pytest

from faultbook.match.signature import Glob, SignatureError, parse_signature
from faultbook.match.types import Event, Frame, Record


def record(text, line=1, rank=None):
    return Record("log", line, text, text, rank)


def clause(**data):
    return parse_signature({"id": "s", "strength": "strong", "all": [data]}, "e").all[0]


@pytest.mark.parametrize(
    ("glob", "text", "matches"),
    [
        ("evaluate", "evaluate", True),
        ("evaluate", "evaluate_all", False),
        ("eval*|valid*", "validation_step", True),
        ("*_step", "training_step", True),
        ("a?c", "abc", True),
        ("a.c", "abc", False),
        ("*a*b*c", "xxaybzc", True),
        ("*a*b*c", "xxaybz", False),
        ("", "x", False),
    ],
)
def test_glob(glob, text, matches):
    assert Glob(glob).matches(text) is matches


@pytest.mark.timeout(20)
def test_a_glob_of_many_stars_ends():
    assert not Glob("*a" * 30 + "*b").matches("a" * 5000)


@pytest.mark.parametrize(
    ("data", "pointer", "said"),
    [
        ({"strength": "sure", "all": [{"message": "some text"}]}, ("strength",), "choose from"),
        ({"strength": "strong"}, (), "needs `all` or `any`"),
        ({"strength": "strong", "all": [{"message": "a {lone"}]}, ("all", 0, "message"), "lone"),
        (
            {"strength": "strong", "any": [{"event": "exception", "where": ["typ == 'x'"]}]},
            ("any", 0, "where", 0),
            "no fact 'typ'",
        ),
        ({"strength": "strong", "all": [{"event": "exeption"}]}, ("all", 0, "event"), "no event kind"),
        (
            {"strength": "strong", "all": [{"event": "exception", "frames": [{"code": "x"}]}]},
            ("all", 0, "frames", 0, "code"),
            "4",
        ),
        ({"strength": "strong", "all": [{"note": "x"}]}, ("all", 0), "exactly one of"),
    ],
)
def test_faults_are_located(data, pointer, said):
    with pytest.raises(SignatureError) as error:
        parse_signature({"id": "s", **data}, "e")
    assert error.value.pointer == pointer
    assert said in error.value.text


def test_message_clause_with_condition_on_its_captures():
    it = clause(message="exit code {code:int} now", where=["code == -9"])
    records = [record("exit code 1 now", 1), record("exit code -9 now", 2, rank=4)]
    assert [(hit.record.line, hit.rank, hit.facts) for hit in it.hits(records, [])] == [(2, 4, {"code": -9})]


def test_event_clause_binds_type_message_fields_and_frames_to_one_event():
    frame = Frame("/srv/app/train.py", 7, "evaluate", "out = model(x)", record("frame"))
    it = clause(
        event="exception", type="OutOfMemoryError", message="Tried to allocate {n:size}",
        where=["n >= 1 GiB"], frames=[{"function": "eval*", "file": "app/train.py", "code": "= model("}],
    )  # fmt: skip
    fields = {"type": "torch.OutOfMemoryError"}
    good = Event("exception", record("x", 5), "Tried to allocate 2.00 GiB", fields, (frame,))
    small = Event("exception", record("x", 6), "Tried to allocate 2.00 MiB", fields, (frame,))
    other = Event("exception", record("x", 7), "Tried to allocate 2.00 GiB", {"type": "ValueError"}, (frame,))
    bare = Event("exception", record("x", 8), "Tried to allocate 2.00 GiB", fields)
    assert [hit.record.line for hit in it.hits([], [good, small, other, bare])] == [5]


def test_a_file_glob_takes_whole_path_components():
    it = clause(event="exception", frames=[{"file": "trainer.py"}])

    def raised(path):
        return Event("exception", record("x"), "", {}, (Frame(path, 1, "f", "", record("f")),))

    found = [
        bool(list(it.hits([], [raised(path)])))
        for path in ("a/trainer.py", "trainer.py", "my_trainer.py", r"C:\a\trainer.py")
    ]
    assert found == [True, True, False, True]
