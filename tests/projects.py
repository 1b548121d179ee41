"""Small entry trees for tests, made of tests/cases/good and one faulty file; tests/cases/bad/README.md."""

from __future__ import annotations

import re
from pathlib import Path

from faultbook import source
from faultbook.catalog import VOCABULARIES

CASES = Path(__file__).parent / "cases"
GOOD = CASES / "good"
BAD = sorted(path for path in (CASES / "bad").glob("*.yaml") if "." not in path.stem)


def bare(root: Path) -> Path:
    """The vocabularies and no entry."""
    (root / "entries" / "memory").mkdir(parents=True)
    (root / "repro" / "memory").mkdir(parents=True)
    for name in VOCABULARIES:
        (root / "entries" / f"{name}.yaml").write_bytes((GOOD / f"{name}.yaml").read_bytes())
    return root


def good(root: Path) -> Path:
    """The vocabularies and the entry `minimal` with its script."""
    add_entry(bare(root), "entries/memory/minimal.yaml", (GOOD / "minimal.yaml").read_bytes())
    return root


def of_case(root: Path, case: Path) -> str:
    """Lay out a bad case's project; returns the path under which the case is found there."""
    text = case.read_bytes()
    options = [word.strip() for word in text.partition(b"\n")[0].decode().split(";")[1:]]
    path = next((word.removeprefix("as ") for word in options if word.startswith("as ")), "entries/memory/case.yaml")
    if "pad" in options:
        text += b"# padding\n" * (source.MAX_BYTES // 10 + 1)
    if path.startswith("entries/") and path.count("/") == 2:
        add_entry(bare(root), path, completed(text), script="no script" not in options)
    else:
        (good(root) / path).write_bytes(text)
    for other in case.parent.glob(f"{case.stem}.*.yaml"):
        add_entry(root, f"entries/memory/{other.suffixes[0][1:]}.yaml", completed(other.read_bytes()))
    return path


def completed(text: bytes) -> bytes:
    """The text, and below it the top-level fields of the good entry that it does not give itself."""
    fields = re.split(rb"(?m)^(?=[a-z_]+:)", (GOOD / "minimal.yaml").read_bytes())[1:]
    given = set(re.findall(rb"(?m)^\{?([a-z_]+):", text))
    rest = [block for block in fields if block.partition(b":")[0] not in given]
    return text.rstrip(b"\n") + b"\n" + b"".join(rest)


def add_entry(root: Path, path: str, text: bytes, script: bool = True) -> None:
    target = root / path
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(text)
    if script:
        place = root / "repro" / target.parent.name / f"{target.stem}.py"
        place.parent.mkdir(exist_ok=True)
        place.write_bytes((GOOD / "minimal.py").read_bytes())
