"""Recorded proofs against the entry and the script as they stand."""

import json

import projects
import pytest

from faultbook.catalog import load_catalog, load_scripts

PROOF = {
    "format": 1, "entry": "minimal", "lane": "cpu", "verdict": "proven", "reason": None, "shown": "the refusal",
    "date": "2026-12-01", "script_sha256": "",
    "environment": {"python": "3.11.7", "platform": "Linux x86_64", "device": "CPU only", "packages": {}},
    "symptom": {"exit_code": 1, "seconds": 0.1, "log": "minimal.cpu.log", "ranked": ["minimal"], "measures": {}},
    "fixed": {"exit_code": 0, "seconds": 0.1, "log": "minimal.cpu.fixed.log", "ranked": [], "measures": {}},
}  # fmt: skip


@pytest.fixture
def codes(tmp_path):
    """Codes by file of the good project with the proof changed as told; its digest is the script's."""
    projects.good(tmp_path)
    folder = tmp_path / "repro" / "memory"
    for name in ("minimal.cpu.log", "minimal.cpu.fixed.log"):
        (folder / name).write_text("ArenaError: …\n", encoding="utf-8")
    digest = load_scripts(tmp_path)["minimal"].sha256

    def run(**changes):
        (folder / "minimal.cpu.json").write_text(json.dumps({**PROOF, "script_sha256": digest, **changes}))
        return [(problem.mark.path, problem.code) for problem in load_catalog(tmp_path)[1]]

    return run


def test_fresh_proof_is_no_problem(codes):
    assert codes() == []


def test_stale(codes):
    assert codes(script_sha256="0" * 64) == [("repro/memory/minimal.cpu.json", "stale-proof")]


def test_proof_of_another_lane_is_stale(codes):
    assert codes(lane="gpu") == [("repro/memory/minimal.cpu.json", "stale-proof")]


def test_failed(codes):
    assert codes(verdict="failed", reason="exit code 0") == [("repro/memory/minimal.cpu.json", "failed-proof")]


def test_orphan(codes):
    assert codes(entry="gone")[-1] == ("repro/memory/minimal.cpu.json", "orphan-proof")
