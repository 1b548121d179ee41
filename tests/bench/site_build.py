"""The site's build against MkDocs alone: the same Markdown, theme and extensions, without our hook and generator."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "bench" / "site"


def measure() -> Iterator[str]:
    shutil.rmtree(WORK, ignore_errors=True)
    plain = WORK / "pages"
    plain.mkdir(parents=True)
    shutil.copytree(ROOT / "theme" / "pages", plain, dirs_exist_ok=True)
    run = [sys.executable, "-m", "faultbook", "build", "--root", str(ROOT)]
    generate = timed([*run, "--markdown", str(plain)])
    config = (ROOT / "mkdocs.yml").read_text()
    config = re.sub(r"(?ms)^(hooks|watch|not_in_nav|validation|nav):.*?(?=^\S|\Z)", "", config)
    config = config.replace("theme/pages", str(plain)).replace("build/site", str(WORK / "out"))
    config = config.replace("theme/overrides", str(ROOT / "theme" / "overrides"))
    (WORK / "mkdocs.yml").write_text(config)
    alone = timed([sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(WORK / "mkdocs.yml")])
    ours = timed(run)
    pages = sum(1 for _ in plain.rglob("*.md"))
    yield f"{pages} pages: whole build {ours:.1f} s, MkDocs alone {alone:.1f} s, ratio {ours / alone:.2f}"
    yield f"check and generate Markdown {generate:.1f} s, {generate / alone:.2f} of MkDocs alone"


def timed(argv: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started
