"""The browser's Python gives the answers the terminal's gives, to the byte."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from faultbook.catalog import load_catalog
from faultbook.exports import match_archive, signature_index
from faultbook.match import bridge

pytestmark = pytest.mark.pyodide

ROOT = Path(__file__).parents[2]
CASES = sorted({path.parent for path in (ROOT / "tests/cases/match").glob("**/case.yaml")})
LOG_KINDS = (".log", ".txt", ".gz", ".zip")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Runtime, match archive and index as the site publishes them."""
    subprocess.run(["node", "theme/matcher/build-runtime.mjs"], cwd=ROOT, check=True, timeout=240)
    folder = tmp_path_factory.mktemp("published")
    catalog, _ = load_catalog(ROOT)
    for export in (match_archive, signature_index):
        for artifact in export.artifacts(catalog):
            (folder / artifact.path).write_bytes(artifact.data)
    return {
        "runtime": str(ROOT / "build/runtime"),
        "archive": str(folder / match_archive.PATH),
        "index": str(folder / signature_index.PATH),
    }


def ask_pyodide(places: dict[str, str], questions: list[list[Path]]) -> list[str]:
    named = [[{"name": path.name, "path": str(path)} for path in files] for files in questions]
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("in_pyodide.mjs"))],
        input=json.dumps({**places, "questions": named}),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ask_here(places: dict[str, str], questions: list[list[Path]]) -> list[str]:
    bridge.load(Path(places["index"]).read_text(encoding="utf-8"))
    return [bridge.query([(path.name, path.read_bytes()) for path in files]) for files in questions]


def test_there_are_cases():
    assert CASES


def test_every_case_is_answered_alike(places):
    questions = [sorted(path for path in case.iterdir() if path.suffix in LOG_KINDS) for case in CASES]
    here, there = ask_here(places, questions), ask_pyodide(places, questions)
    for case, ours, theirs in zip(CASES, here, there, strict=True):
        assert json.loads(theirs) == json.loads(ours), case.name


def test_every_recorded_log_is_answered_alike(places):
    questions = [[path] for path in sorted((ROOT / "repro").glob("*/*.log"))]
    assert questions
    assert ask_pyodide(places, questions) == ask_here(places, questions)


def packed(folder: Path, text: str) -> list[list[Path]]:
    gz, archive, plain = folder / "run.log.gz", folder / "logs.zip", folder / "utf16.log"
    gz.write_bytes(gzip.compress(text.encode()))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("rank0.log", text)
    archive.write_bytes(buffer.getvalue())
    plain.write_bytes(text.encode("utf-16"))
    return [[gz], [archive], [plain], [gz, archive, plain]]


def test_packed_and_foreign_encodings_are_answered_alike(places, tmp_path):
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    questions = packed(tmp_path, text)
    here = ask_here(places, questions)
    assert ask_pyodide(places, questions) == here
    assert all(json.loads(answer).get("verdict") not in (None, "clean") for answer in here)


def test_runtime_is_bytecode_only_and_names_no_package(places):
    runtime = Path(places["runtime"])
    with zipfile.ZipFile(runtime / "python_stdlib.zip") as stdlib:
        names = stdlib.namelist()
    assert names
    assert [name for name in names if not name.endswith(".pyc")] == []
    assert json.loads((runtime / "pyodide-lock.json").read_text())["packages"] == {}


def test_lock_file_names_no_server():
    lock = json.loads((ROOT / "theme/matcher/package-lock.json").read_text())
    assert lock["packages"]["node_modules/pyodide"]["version"] == "314.0.7"
    assert "://" not in json.dumps(lock)
