"""Every Python block marked `runnable` in an entry is executed alone, on a CPU, and exits 0.

Blocks of one entry run one after another in processes of their own, several entries side by side.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from faultbook.source import parse

ROOT = Path(__file__).parents[1]


def blocks():
    for path in sorted((ROOT / "entries").glob("*/*.yaml")):
        document, _ = parse(path.read_bytes(), path.name)
        for place, code in found(document.data if document else {}, ()):
            yield pytest.param(code, id=f"{path.stem}:{'.'.join(map(str, place))}")


def found(node, place):
    if isinstance(node, dict):
        if node.get("runnable"):
            yield place, node["code"]
        for key, value in node.items():
            yield from found(value, (*place, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from found(value, (*place, number))


BLOCKS = list(blocks())


def test_there_are_runnable_blocks():
    assert len(BLOCKS) >= 12


@pytest.mark.repro
@pytest.mark.parametrize("code", BLOCKS)
def test_runs(code, tmp_path):
    path = tmp_path / "block.py"
    path.write_text(code)
    argv = [sys.executable, path.name]
    run = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
