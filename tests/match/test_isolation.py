"""`faultbook.match` runs where there is nothing but it and a few modules of the standard library."""

import json
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "generator" / "src"
ALLOWED = {
    "__future__", "bisect", "collections", "dataclasses", "enum", "functools", "html", "itertools", "json", "operator",
    "re", "string", "typing",
}  # fmt: skip
LAZY = {"io", "struct", "tarfile", "zipfile", "zlib"}  # unpack.py imports these when an archive comes
PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from faultbook.match import bridge
bridge.load('{"format": 1, "entries": []}')
bridge.query([("log", b"Traceback (most recent call last):\\nValueError: x\\n")])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_it_imports_without_site_packages():
    """-I -S: no site-packages, no environment, no current folder; only the package's own folder is added."""
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, str(SOURCE)], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(run.stdout))
    assert "faultbook" in loaded
    assert not loaded & {"yaml", "rich", "mkdocs", "torch", "argparse", "logging", "subprocess", "socket", "threading"}


def test_its_files_import_nothing_else():
    import ast

    for path in sorted((SOURCE / "faultbook" / "match").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {str(node.module).partition(".")[0]}
            else:
                continue
            extra = names - ALLOWED - (LAZY if path.name == "unpack.py" else set())
            assert not extra, f"{path.name} imports {', '.join(sorted(extra))}"
