"""Who failed first: one small log a rule."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_tasks_of_one_line_are_not_put_in_an_order():
    initiating, _ = first(("log", "srun: error: gpu-2: tasks 2-3: Exited with exit code 1\n"))
    assert initiating.rank is None
    assert "cannot be told" in initiating.basis


def test_slurm_tasks_are_written_out_but_not_without_end():
    log = "srun: error: gpu-1: tasks 0-1,5: Terminated\nsrun: error: gpu-2: task 3: Out Of Memory\n"
    initiating, collateral = first(("log", log))
    assert initiating.rank == 3
    assert {one.rank for one in collateral} == {0, 1, 5}
    many = "srun: error: gpu-1: tasks 0-9999999: Terminated\n" + log
    assert len(first(("log", many * 50))[1]) == ranks.SHOWN


def test_clocks_without_a_date_pass_midnight():
    early, late = "23:59:58 [x] ", "00:00:03 [x] "
    assert first(("rank0.log", f"{late}{OOM}\n"), ("rank1.log", f"{early}{OOM}\n"))[0].rank == 1


def test_a_date_is_not_compared_with_a_clock():
    initiating, _ = first(("rank0.log", f"2026-11-03 09:20:05 {OOM}\n"), ("rank1.log", f"09:20:01 [x] {OOM}\n"))
    assert (initiating.rank, "cannot be told" in initiating.basis) == (None, True)


@pytest.mark.parametrize("basis", [True, False])
def test_a_local_rank_is_the_rank_unless_a_second_node_speaks(basis):
    line = "ERROR:torch.distributed.elastic:failed (exitcode: -9) local_rank: 2 (pid: 9) of binary: py\n"
    other = "  rank      : 9 (local_rank: 1)\n  exitcode  : -15 (pid: 8)\n"
    assert first(("log", line + (other if basis else "")))[0].rank == (None if basis else 2)


def test_one_pid_with_two_ranks_tells_nothing():
    head = "ng1:{0}:1 [0] NCCL INFO comm 0x7 rank {1} nranks 4 cudaDev 0 busId 1 - Init START\n"
    oom = "ng1:70:2 [0] include/alloc.h:1 NCCL WARN Cuda failure 2 'out of memory'\n"
    assert first(("log", head.format(70, 2) + oom))[0].rank == 2
    assert first(("log", head.format(70, 2) + head.format(70, 3) + oom))[0].rank is None
    assert first(("log", head.format(70, 2) + head.format(71, 3) + oom))[0].rank == 2


def test_nccls_internal_error_is_a_root_only_without_its_cause():
    error = "[rank0]: RuntimeError: NCCL error: internal error - please report this issue to the NCCL developers\n"
    cause = "[rank1]: h:1:2 [1] include/alloc.h:1 NCCL WARN Cuda failure 2 'out of memory'\n"
    assert first(("log", error))[0].rank == 0
    assert first(("log", error + cause))[0].rank == 1


LINES = st.sampled_from(
    [
        OOM,
        watchdog(3),
        "failed (exitcode: -9) local_rank: 2 (pid: 9) of binary: py",
        "Root Cause (first observed failure):",
        "  rank      : 9 (local_rank: 1)",
        "  exitcode  : 1 (pid: 8)",
        "srun: error: n: tasks 1,4-9: Killed",
        "mpirun noticed that process rank 3 with PID 1 on node n exited on signal 9 (Killed).",
        "=   RANK 1 PID 2 RUNNING AT n",
        "n:2:3 [1] NCCL INFO comm 0x1 rank 1 nranks 2 cudaDev 0 - Init START",
        "(T pid=1) - (ip=10.0.0.1, pid=2) world_rank=0, local_rank=0, node_rank=0",
        "(W pid=2) RuntimeError: x",
        "-- Process 1 terminated with the following error:",
        "2026-11-03 10:00:00 ERROR a.py:3] RuntimeError: y",
        "23:00:00 [x] RuntimeError: z",
        "RuntimeError: Connection closed by peer",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["", "[rank0]: ", "[rank5]: "]), LINES), max_size=9), max_size=3))
def test_what_is_named_first_stands_in_the_log(logs):
    files = [(f"{n}.log", "\n".join(prefix + line for prefix, line in log)) for n, log in enumerate(logs)]
    initiating, collateral = first(*files)
    for one in ([initiating] if initiating else []) + list(collateral):
        text = dict(files)[one.file].splitlines()[one.line - 1]
        assert one.what.strip() in text
    if initiating:
        assert initiating.basis
        assert all(
            (one.file, one.line) != (initiating.file, initiating.line) or one.rank != initiating.rank
            for one in collateral
        )
        assert initiating.rank is None or "cannot be told" not in initiating.basis
    else:
        assert collateral == ()
