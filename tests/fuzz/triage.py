"""Coverage-guided fuzzing of the whole of `triage`: `python tests/fuzz/triage.py SECONDS [CORPUS]`.

Starts from every labelled log and every entry's example, mutates bytes, and keeps what reaches new code. It fails
when `triage` raises, when its answer is no valid JSON of the contract, or when evidence points outside the log.
A failing input is left as `crash-*` in the folder it was started in, to become a case of tests/match/test_hostile.py.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["faultbook.match"]):
    from faultbook.match.diagnosis import to_dict, to_markdown
    from faultbook.match.engine import triage

from faultbook.catalog import load_catalog
from faultbook.exports import signature_index
from faultbook.match.index import load_index

ROOT = Path(__file__).parents[2]
CATALOG, _ = load_catalog(ROOT)
INDEX = load_index(signature_index.artifacts(CATALOG)[0].data.decode())
LONGEST = 16_384  # bytes of an input: more finds nothing new and is slower


def seeds() -> list[bytes]:
    logs = [path.read_bytes() for path in ROOT.glob("tests/cases/match/*/*") if path.suffix != ".yaml"]
    examples = [example.encode() for entry in CATALOG.entries for it in entry.signatures for example in it.examples]
    return [log[:LONGEST] for log in (*logs, *examples)]


def judge(data: bytes) -> None:
    """One input, halved into two files where it holds the separator."""
    files = [(f"rank{place}.log", part) for place, part in enumerate(data.split(b"\x00|\x00")[:3])]
    diagnosis = triage(files, INDEX)
    answer = json.loads(json.dumps(to_dict(diagnosis)))
    to_markdown(diagnosis)
    assert answer["verdict"] in ("match", "ambiguous", "unknown", "clean")
    lines = {name: part.count(b"\n") + part.count(b"\r") + 1 for name, part in files}
    for finding in answer["diagnoses"]:
        assert finding["evidence"], finding["id"]
        for line in finding["evidence"]:
            assert line["file"] not in lines or 1 <= line["line"] <= max(lines[line["file"]], len(data)), line


def main() -> None:
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(sys.argv[2] if len(sys.argv) > 2 else folder)
        corpus.mkdir(exist_ok=True)
        for number, log in enumerate(seeds()):
            (corpus / f"seed-{number}").write_bytes(log)
        options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=2048"]
        atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", str(corpus)], judge)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
