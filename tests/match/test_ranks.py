"""Who failed first: one small log a rule."""

import pytest

from faultbook.match import ranks
from faultbook.match.engine import triage
from faultbook.match.index import SignatureIndex

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


def watchdog(rank):
    return (
        f"[rank{rank}]:[E1103 09:20:00.000000 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective"
        " operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000)"
        " ran for 600031 milliseconds before timing out."
    )


def first(*files):
    it = triage([(name, text.encode()) for name, text in files], SignatureIndex())
    return it.initiating, it.collateral


def test_nothing_failed():
    assert first(("log", "step 1\n")) == (None, ())


def test_the_rank_absent_from_the_timeouts_though_it_is_printed_last():
    log = "\n".join([watchdog(0), watchdog(1), watchdog(3), f"[rank2]: {OOM}"])
    initiating, collateral = first(("log", log))
    assert initiating.rank == 2
    assert "absent" in initiating.basis
    assert {one.rank for one in collateral} == {0, 1, 3}


def test_time_stamps_beat_the_order_of_files():
    initiating, _ = first(
        ("rank0.log", "2026-11-03 09:20:05 RuntimeError: something broke\n"),
        ("rank1.log", f"2026-11-03 09:20:01 {OOM}\n"),
    )
    assert initiating.rank == 1
    assert "earliest" in initiating.basis


def test_files_without_times_cannot_be_ordered():
    initiating, _ = first(("rank0.log", f"{OOM}\n"), ("rank1.log", f"{OOM}\n"))
    assert initiating.rank is None
    assert "cannot be told" in initiating.basis


def test_a_closed_connection_is_a_victim():
    initiating, collateral = first(
        ("rank0.log", "RuntimeError: [/src/gloo/transport/tcp/pair.cc:1] Connection closed by peer [127.0.0.1]:1\n"),
        ("rank1.log", f"{OOM}\n"),
    )
    assert initiating.rank == 1
    assert [one.rank for one in collateral] == [0]


def test_only_timeouts_name_nobody_and_ask_for_the_missing_log():
    initiating, _ = first(("log", "\n".join([watchdog(0), watchdog(1)])))
    assert initiating.rank is None
    assert "other than 0, 1" in initiating.basis


def test_a_single_log_without_ranks_is_told_by_order():
    initiating, _ = first(("log", f"{OOM}\nRuntimeError: afterwards\n"))
    assert (initiating.rank, initiating.line) == (None, 1)
    assert "first failure in the log" in initiating.basis


def test_files_without_rank_or_time_are_not_put_in_an_order():
    initiating, _ = first(("a.log", "ValueError: x\n"), ("b.log", f"{OOM}\n"))
    assert (initiating.rank, initiating.file) == (None, "a.log")
    assert "cannot be told" in initiating.basis


def test_files_without_rank_are_put_in_the_order_of_their_times():
    initiating, _ = first(
        ("a.log", "2026-11-03T09:20:09Z RuntimeError: x\n"),
        ("b.log", "2026-11-03T09:20:07Z RuntimeError: y\n"),
    )
    assert (initiating.rank, initiating.file) == (None, "b.log")
    assert "earliest" in initiating.basis


def test_a_device_assert_goes_before_the_error_that_reports_it():
    log = (
        "RuntimeError: CUDA error: device-side assert triggered\n"
        "../aten/src/ATen/native/cuda/Indexing.cu:1: indexSelectSmallIndex: block: [0,0,0], thread: [1,0,0] "
        "Assertion `srcIndex < srcSelectDimSize` failed.\n"
    )
    assert first(("log", log))[0].line == 2


@pytest.mark.parametrize("code", [-9, -7])
def test_a_kill_goes_before_the_terminations_that_follow(code):
    line = (
        "E0613 10:00:0{}.000000 1 torch/distributed/elastic/multiprocessing/api.py:1] failed (exitcode: {}) "
        "local_rank: {} (pid: 5) of binary: python\n"
    )
    log = line.format(0, -15, 0) + line.format(1, code, 1)
    initiating, _ = first(("log", log))
    assert f"exitcode: {code}" in initiating.what


def test_events_are_not_compared_with_each_other(monkeypatch):
    """A log of many exits is judged in one pass: what an exit follows from is told by kinds, gathered once."""
    gathered = []
    kinds = ranks.kinds_of
    monkeypatch.setattr(ranks, "kinds_of", lambda failures: gathered.append(len(failures)) or kinds(failures))
    first(("log", "".join(f"process {n} terminated with exit code 3\n" for n in range(200))))
    assert gathered == [200, 200]
