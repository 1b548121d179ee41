"""The built wheel, installed where nothing of this checkout is: triage works offline with its bundled index."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)], check=True, capture_output=True
    )
    return python.with_name("faultbook")


def test_triage_needs_no_dependency_and_no_checkout(installed, tmp_path):
    log = tmp_path / "train.log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    argv = [installed, "triage", "--format", "json", log]
    run = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["diagnoses"][0]["id"] == "cuda-out-of-memory"


def test_explain_has_every_entry(installed, tmp_path):
    for path in sorted((ROOT / "entries").glob("*/*.yaml")):
        argv = [installed, "explain", path.stem, "--format", "json"]
        run = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout)["id"] == path.stem
