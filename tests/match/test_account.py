"""Memory reports judged by their numbers alone; each log is one report as the software prints it."""

import pytest

from faultbook.match.account import account_of
from faultbook.match.sources import read_sources

MODERN = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {requested}. GPU 0 has a total capacity of {total} "
    "of which {free} is free. Including non-PyTorch memory, this process has {process} memory in use. Of the allocated "
    "memory {allocated} is allocated by PyTorch, and {rest} is reserved by PyTorch but unallocated. If reserved but "
    "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
)
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate {requested} (GPU 0; {total} total capacity; {allocated} "
    "already allocated; {free} free; {reserved} reserved in total by PyTorch)"
)


def modern(requested, total, free, process, allocated, rest):
    return MODERN.format(**locals())


def old(requested, total, allocated, free, reserved):
    return OLD.format(**locals())


CASES = {
    "over-size": [
        modern("2.00 GiB", "15.77 GiB", "1.12 GiB", "14.64 GiB", "14.01 GiB", "200.00 MiB"),
        old("1.50 GiB", "10.76 GiB", "8.81 GiB", "512.00 MiB", "9.05 GiB"),
    ],
    # the advice line stands in each of the modern reports: it decides nothing
    "fragmentation": [
        modern("512.00 MiB", "23.65 GiB", "100.00 MiB", "23.50 GiB", "16.20 GiB", "6.80 GiB"),
        old("20.00 MiB", "10.76 GiB", "5.00 GiB", "11.00 MiB", "9.60 GiB"),
    ],
    "foreign-process": [
        modern("20.00 MiB", "79.15 GiB", "11.00 MiB", "1.19 GiB", "600.00 MiB", "12.00 MiB"),
        old("2.00 MiB", "15.90 GiB", "50.00 MiB", "1.00 MiB", "80.00 MiB"),
    ],
    "spill": [modern("2.00 GiB", "8.00 GiB", "0 bytes", "14.00 GiB", "13.50 GiB", "100.00 MiB")],
    # neither free nor unallocated alone is enough, both together are
    "unknown": [modern("512.00 MiB", "23.65 GiB", "400.00 MiB", "23.20 GiB", "22.50 GiB", "300.00 MiB")],
    "no-size": ["RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory."],
    "host": ["RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: "
             "you tried to allocate 40000000000 bytes. Error code 12 (Cannot allocate memory)"],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "log"), [(kind, log) for kind, logs in CASES.items() for log in logs])
def test_the_numbers_tell_the_kind(kind, log):
    account = account_of(read_sources([("log", log.encode())], ()).events)
    assert account.kind == kind, account.says
    assert (account.file, account.line) == ("log", 1)


def test_what_a_report_does_not_give_is_named():
    report = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"
    account = account_of(read_sources([("log", report.encode())], ()).events)
    assert account.kind == "unknown"
    assert "what is free" in account.says and "unallocated" in account.says


def test_no_report_no_account():
    assert account_of(read_sources([("log", b"step 1\n")], ()).events) is None
