"""What counts as proof: both runs of minimal.py judged, and every way in which they can fall short."""

import json
from dataclasses import replace

import pytest
from projects import good

from faultbook.catalog import load_catalog
from faultbook.match.engine import triage
from faultbook.model import ExitCodes, Measure
from faultbook.repro import record
from faultbook.repro.machine import Machine
from faultbook.repro.proof import judged, objections
from faultbook.repro.runner import ReproRun
from faultbook.signature_index import index_of
from faultbook.source import parse

MACHINE = Machine("3.11", "Linux", linux=True, packages={"torch": "2"})
LINE = "ArenaError: arena 'main' exhausted: asked 64.00 MiB, 12.00 MiB left\n"


@pytest.fixture
def project(tmp_path):
    root = good(tmp_path)
    catalog, _ = load_catalog(root)
    text = (root / "entries/memory/minimal.yaml").read_bytes()
    index = index_of([parse(text, "minimal.yaml")[0].data])

    def read(log):
        return triage([("output", log.encode())], index)

    return root, catalog.entries[0], read


def objections_to(entry, read, symptom=LINE, fixed="", codes=(1, 0), overrun=None):
    runs = (ReproRun(codes[0], 1.0, symptom, overrun), ReproRun(codes[1], 1.0, fixed))
    return objections(entry, *(judged(run, read(run.output)) for run in runs))


def test_symptom_read_as_the_entry_and_a_clean_fix_are_a_proof(project):
    _, entry, read = project
    assert objections_to(entry, read) == ()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"symptom": "ValueError: other\n"}, "read as nothing known, expected minimal"),
        ({"codes": (0, 0)}, "exit code 0, expected a failure"),
        ({"codes": (1, 3)}, "fixed run left with exit code 3"),
        ({"fixed": LINE}, "fixed run still reads as minimal"),
        ({"overrun": "time limit of 10 s"}, "ended by its time limit"),
    ],
)
def test_each_shortfall_is_an_objection(project, more, said):
    _, entry, read = project
    (objection,) = objections_to(entry, read, **more)
    assert said in objection


def test_declared_exit_codes(project):
    _, entry, read = project
    entry = replace(entry, repro=replace(entry.repro, exit_codes=ExitCodes(symptom=(-9,), fixed=(2,))))
    assert objections_to(entry, read, codes=(-9, 2)) == ()
    assert len(objections_to(entry, read, codes=(1, 0))) == 2


def test_a_silent_failure_is_proven_by_its_measures(project):
    _, entry, read = project
    bound = Measure("live", "tensors", ">= 20", "== 0", "graphs stay")
    entry = replace(entry, repro=replace(entry.repro, measure=(bound,)))
    assert objections_to(entry, read, "measure live=20\n", "measure live=0\n", codes=(0, 0)) == ()
    assert "expected >= 20" in objections_to(entry, read, "measure live=3\n", "measure live=0\n", codes=(0, 0))[0]
    assert "printed no 'measure live=" in objections_to(entry, read, "", "measure live=0\n", codes=(0, 0))[0]


def test_prove_and_write(project):
    root, entry, read = project
    outcome = record.prove(entry, root, MACHINE, read)
    assert (outcome.verdict, outcome.reason) == ("proven", None)
    path = record.write(outcome, entry, root, MACHINE)
    data = json.loads(path.read_text())
    assert data["symptom"]["ranked"] == ["minimal"]
    assert (path.parent / data["symptom"]["log"]).read_text() == LINE
    assert (path.parent / data["fixed"]["log"]).read_text() == ""
    catalog, problems = load_catalog(root)
    assert catalog.proof("minimal").verdict == "proven"
    assert not [problem for problem in problems if "proof" in problem.code]


def test_a_changed_script_makes_the_proof_stale(project):
    root, entry, read = project
    record.write(record.prove(entry, root, MACHINE, read), entry, root, MACHINE)
    script = record.script_path(root, entry)
    script.write_text(script.read_text() + "# changed\n")
    _, problems = load_catalog(root)
    assert "stale-proof" in [problem.code for problem in problems]


def test_where_a_lane_cannot_run_the_capture_is_judged_again(project):
    root, entry, read = project
    entry = replace(entry, repro=replace(entry.repro, lane="gpu"))
    with_gpu, without = replace(MACHINE, gpus=("a GPU",)), MACHINE
    assert record.prove(entry, root, without, read).verdict == "skipped"
    record.write(record.prove(entry, root, with_gpu, read), entry, root, with_gpu)
    replayed = record.prove(entry, root, without, read)
    assert replayed.verdict == "recorded"
    assert replayed.reason.startswith("not run here (needs a CUDA GPU and none is present); judged from the capture of")
    assert record.write(replayed, entry, root, without) is None
    log = record.proof_path(root, entry).with_suffix(".log")
    log.write_text("nothing of the kind\n")
    assert record.prove(entry, root, without, read).verdict == "failed"


def test_a_skip_has_a_reason_and_does_not_replace_a_proof(project):
    root, entry, read = project
    record.write(record.prove(entry, root, MACHINE, read), entry, root, MACHINE)
    bare = replace(MACHINE, packages={})
    outcome = replace(record.prove(entry, root, MACHINE, read), verdict="skipped", reason="no torch")
    assert record.write(outcome, entry, root, bare) is None
    assert record.proof_path(root, entry).is_file()


def test_a_missing_script_fails_the_proof(project):
    root, entry, read = project
    record.script_path(root, entry).unlink()
    assert record.prove(entry, root, MACHINE, read).verdict == "failed"


def test_a_missing_package_is_a_skip_any_other_missing_module_a_failure(project):
    root, entry, read = project
    script = record.script_path(root, entry)
    script.write_text("import deepspeed\n")
    without = replace(MACHINE, packages={})
    run = ReproRun(1, 0.1, "ModuleNotFoundError: No module named 'deepspeed'\n")
    assert record.missing_package(run, without) == "deepspeed is not installed: pip install -e '.[repro]'"
    assert record.missing_package(run, replace(MACHINE, packages={"deepspeed": "1"})) is None
    script.write_text("import no_such_module\n")
    outcome = record.prove(entry, root, without, read)
    assert (outcome.verdict, outcome.symptom.run.exit_code) == ("failed", 1)
