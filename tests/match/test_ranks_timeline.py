"""The picture of the ranks: one line each, and its part in the failure."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from faultbook.match.diagnosis import to_dict
from faultbook.match.engine import triage
from faultbook.match.index import SignatureIndex
from faultbook.match.timeline import MOST

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
CLOSED = "RuntimeError: [/src/gloo/transport/tcp/pair.cc:1] Connection closed by peer [127.0.0.1]:1"
ROLES = {"first", "collateral", "silent", "healthy", "unknown"}


def ranks(*files):
    it = triage([(name, text.encode()) for name, text in files], SignatureIndex())
    return to_dict(it)["ranks"], it


def roles(*files):
    return {(line["rank"] if line["rank"] is not None else line["file"]): line["role"] for line in ranks(*files)[0]}


def timeout(rank):
    return (
        f"[E ProcessGroupNCCL.cpp:828] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)"
    )


def test_one_log_without_ranks_has_no_picture():
    assert ranks(("log", f"step 1\n{OOM}\n"))[0] == []


def test_an_item_says_who_when_and_what():
    log = f"[rank3]: 2026-11-03 10:00:01 step 4\n[rank3]: 2026-11-03 10:00:09 {OOM}\n"
    (line,), it = ranks(("node7.log", log))
    assert line == {
        "rank": 3, "node": None, "file": "node7.log", "first_time": 1793700001.0, "last_time": 1793700009.0,
        "failure": {"file": "node7.log", "line": 2, "what": OOM}, "role": "first",
    }  # fmt: skip
    assert json.loads(json.dumps(to_dict(it)))["ranks_left_out"] == 0


def test_first_victim_and_the_rank_that_went_on():
    log = f"[rank1]: {OOM}\n[rank0]: {CLOSED}\n[rank2]: step 8\n"
    assert roles(("log", log)) == {0: "collateral", 1: "first", 2: "healthy"}


def test_a_rank_is_silent_if_it_says_nothing_once_the_first_failure_came():
    log = f"[rank2]: step 7\n[rank1]: {OOM}\n[rank3]: step 8\n{timeout(0)}\n"
    assert roles(("log", log)) == {0: "collateral", 1: "first", 2: "silent", 3: "healthy"}


def test_a_rank_that_the_launcher_ended_was_healthy():
    assert roles(("log", f"[rank2]: step 7\n[rank1]: {OOM}\n[rank0]: {CLOSED}\n"))[2] == "healthy"


def test_the_failure_shown_is_the_line_and_not_the_launchers_report():
    log = f"{OOM}\nERROR:torch.distributed.elastic:failed (exitcode: 1) local_rank: 2 (pid: 7) of binary: py\n"
    assert [(line["rank"], line["failure"]["line"]) for line in ranks(("log", log))[0]] == [(2, 1)]


def test_a_rank_that_is_nowhere_is_silent():
    found = ranks(("log", "\n".join([timeout(0), timeout(1), timeout(3)])))[0]
    assert [(line["rank"], line["role"]) for line in found] == [
        (0, "collateral"), (1, "collateral"), (2, "silent"), (3, "collateral"),
    ]  # fmt: skip
    assert found[2]["file"] == ""


def test_nobody_is_first_where_that_cannot_be_told():
    assert roles(("rank0.log", OOM), ("rank1.log", OOM)) == {0: "unknown", 1: "unknown"}


def test_files_without_ranks_stand_for_themselves():
    assert roles(("a.log", f"{OOM}\n"), ("b.log", "step 1\n")) == {"a.log": "first", "b.log": "healthy"}


def test_time_tells_silence_across_files():
    files = (
        ("rank0.log", f"2026-11-03 10:00:05 {OOM}\n"),
        ("rank1.log", "2026-11-03 10:00:01 step 1\n"),
        ("rank2.log", "2026-11-03 10:00:09 step 2\n"),
        ("rank3.log", "10:00:01 [x] step 2\n"),
        ("rank4.log", f"{timeout(4)}\n"),
    )
    assert roles(*files) == {0: "first", 1: "silent", 2: "healthy", 3: "unknown", 4: "collateral"}


def test_a_log_of_healthy_ranks():
    assert roles(("log", "[rank0]: step 1\n[rank1]: step 1\n")) == {0: "healthy", 1: "healthy"}


def test_the_launchers_lines_are_no_rank():
    log = f"[rank1]: {OOM}\nERROR:torch.distributed.elastic:failed (exitcode: 1) local_rank: 1 (pid: 7) of binary: py\n"
    assert roles(("log", log)) == {1: "first"}


def test_at_most_so_many_and_the_failed_ones_stay():
    log = "".join(f"[rank{rank}]: step 1\n" for rank in range(200)) + f"[rank199]: {OOM}\n"
    found, it = ranks(("log", log))
    assert (len(found), it.ranks_left_out) == (MOST, 200 - MOST)
    assert found[-1]["rank"] == 199 and found[-1]["role"] == "first"


def test_one_high_rank_does_not_invent_thousands():
    assert [line["rank"] for line in ranks(("log", f"[rank4711]: {OOM}\n"))[0]] == [4711]


SAYINGS = st.sampled_from([OOM, CLOSED, "step 1", timeout(2), "2026-11-03 10:00:05 step", "Killed", "11:00:00 [a] b"])
SPEAKERS = st.sampled_from(["", "[rank0]: ", "[rank1]: ", "[rank7]: ", "[rank900000]: ", "(W pid=3) "])
LOGS = st.lists(st.lists(st.tuples(SPEAKERS, SAYINGS).map("".join), max_size=12).map("\n".join), max_size=4)


@settings(max_examples=150, deadline=None)
@given(LOGS)
def test_every_picture_is_whole(logs):
    found, it = ranks(*((f"{number}.log", text) for number, text in enumerate(logs)))
    keys = [(line["rank"], line["file"]) if line["rank"] is None else line["rank"] for line in found]
    assert len(keys) == len(set(keys)) <= MOST
    assert {line["role"] for line in found} <= ROLES
    firsts = [line for line in found if line["role"] == "first"]
    assert len(firsts) <= 1
    for line in found:
        assert (line["failure"] is None) == (line["role"] in ("silent", "healthy")) or line["role"] == "unknown"
        assert (line["first_time"] is None) == (line["last_time"] is None)
    if it.initiating is None:
        assert {line["role"] for line in found} <= {"healthy"}
    elif firsts and firsts[0]["rank"] is not None:
        assert firsts[0]["rank"] == it.initiating.rank
