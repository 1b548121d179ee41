"""Long logs: whatever reads them, and in however many processes, the diagnosis is the same."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from faultbook import cli, logs
from faultbook.bundle import INDEX, read_bundle
from faultbook.long import triage_long
from faultbook.match.diagnosis import to_dict
from faultbook.match.engine import triage
from faultbook.match.index import load_index
from faultbook.native import HyperscanPrefilter, NativeMissing

HEALTHY = "".join(
    f"[rank{n % 4}]: step {n} loss {2 + 1 / (n + 1):.4f} tokens/s {41000 + n % 900}\n" for n in range(90_000)
)
OOM = (
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of "
    "79.10 GiB of which 1.21 GiB is free.\n"
)
KILLED = "node2 kernel: Out of memory: Killed process 4711 (python) total-vm:9000kB, anon-rss:8000kB\n"


@pytest.fixture(scope="module")
def index():
    return load_index(read_bundle(INDEX))


@pytest.fixture
def paths(tmp_path):
    (tmp_path / "rank0.log").write_text(HEALTHY)
    (tmp_path / "rank3.log").write_text(HEALTHY + OOM + HEALTHY[:4000])
    with gzip.open(tmp_path / "kernel.log.gz", "wt") as file:
        file.write(HEALTHY + KILLED)
    return logs.find_logs([str(tmp_path)])


def test_processes_and_prefilters_change_nothing(paths, index):
    plain = to_dict(triage(logs.open_logs(paths), index))
    assert {finding["id"] for finding in plain["diagnoses"]} >= {"cuda-out-of-memory", "host-oom-killed"}
    assert to_dict(triage(logs.open_logs(paths), index, prefilter=HyperscanPrefilter)) == plain
    assert to_dict(triage_long(paths, index, processes=1)) == plain
    assert to_dict(triage_long(paths, index, processes=3)) == plain


@pytest.mark.parametrize(("name", "native"), [("auto", True), ("native", True), ("python", False)])
def test_the_prefilter_that_was_asked_for_is_used(paths, index, name, native, monkeypatch):
    scans = []
    hits = HyperscanPrefilter.hits
    monkeypatch.setattr(HyperscanPrefilter, "hits", lambda self, piece: scans.append(1) or hits(self, piece))
    triage_long(paths, index, processes=1, prefilter=name)
    assert bool(scans) is native


def test_native_that_is_not_installed_is_named_and_auto_does_without(paths, index, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    monkeypatch.setattr(cli, "LONG", 0)
    assert to_dict(triage_long(paths, index, processes=1)) == to_dict(triage(logs.open_logs(paths), index))
    with pytest.raises(NativeMissing):
        triage_long(paths, index, prefilter="native")
    assert cli.main(["triage", "--prefilter", "native", *paths]) == cli.MISUSE
    assert "faultbook[fast]" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named_by_the_process_that_tried(paths, index):
    Path(paths[1]).unlink()
    Path(paths[1]).mkdir()
    with pytest.raises(logs.Unreadable, match=r"rank0\.log: Is a directory"):
        triage_long(paths, index, processes=2)
