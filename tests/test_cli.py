"""The command line as its users meet it: what is printed, and the exit status."""

import gzip
import io
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from projects import good

from faultbook.cli import COMMANDS, main
from faultbook.options import build_parser

INDEX = {
    "format": 1,
    "entries": [{
        "id": "arena", "title": "Arena exhausted", "category": "memory", "severity": "high", "gist": "g",
        "url": "memory/arena/", "fix": {"text": "Enlarge it.", "command": "export A=1", "lang": "bash"},
        "refines": [], "leads_to": [], "confused_with": [],
        "signatures": [{
            "id": "s", "says": "An arena is full.", "strength": "strong", "all": [{"message": "ArenaError: full"}],
        }],
    }],
}  # fmt: skip


@pytest.fixture
def triage(tmp_path):
    path = tmp_path / "index.json"
    path.write_text(json.dumps(INDEX))
    return lambda *args: main(["triage", "--index", str(path), *map(str, args)])


@pytest.fixture
def log(tmp_path):
    def write(text, name="train.log"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_exit_status_is_that_of_grep(triage, log, capsys):
    assert triage(log("ArenaError: full\n")) == 0
    assert triage(log("ValueError: new\n")) == 1
    assert triage(log("all fine\n")) == 1
    assert triage("/no/such/file.log") == 2
    assert "/no/such/file.log: no such file or folder" in capsys.readouterr().err


def test_text_shows_verdict_line_fix_and_never_reads_the_log_as_markup(triage, log, capsys):
    triage(log("[bold red]x[/nonsense]\nArenaError: full [link=evil]\n"))
    out = capsys.readouterr().out
    assert "MATCH" in out
    assert "ArenaError: full [link=evil]" in out
    assert "Enlarge it." in out
    assert "export A=1" in out


def test_json_is_the_contract(triage, log, capsys):
    triage("--format", "json", log("ArenaError: full\n"))
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["verdict"], data["diagnoses"][0]["id"]) == (1, "match", "arena")


def test_markdown_and_github(triage, log, capsys):
    triage("--format", "markdown", log("ArenaError: full\n"))
    assert "### Arena exhausted (`arena`)" in capsys.readouterr().out
    triage("--format", "github", log("x\nArenaError: full\n"))
    out = capsys.readouterr().out
    assert re.match(r"::error file=.*train\.log,line=2,col=1,title=arena::Arena exhausted: ArenaError: full", out)
    assert "hint: Enlarge it." in out
    triage("--format", "github", log("x\nValueError: new\n"))
    assert re.match(r"::warning file=.*,line=2,col=1,title=unknown::ValueError: new", capsys.readouterr().out)
    triage("--format", "github", log("fine\n"))
    assert capsys.readouterr().out == "::notice::faultbook: clean\n"


def test_folders_archives_and_standard_input(triage, log, tmp_path, capsys, monkeypatch):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "rank0.log").write_text("fine\n")
    (logs / "rank1.log.gz").write_bytes(gzip.compress(b"ArenaError: full\n"))
    assert triage("--format", "json", logs) == 0
    assert json.loads(capsys.readouterr().out)["initiating"]["rank"] == 1
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ArenaError: full\n")))
    assert triage("-") == 0
    (tmp_path / "empty").mkdir()
    assert triage(tmp_path / "empty") == 2


def test_tar_and_what_cannot_be_unpacked_are_seen_as_such(triage, log, capsys):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo("rank3.log")
        info.size = len(b"ArenaError: full\n")
        archive.addfile(info, io.BytesIO(b"ArenaError: full\n"))
    assert triage("--format", "json", log(buffer.getvalue(), "logs.tar")) == 0
    assert json.loads(capsys.readouterr().out)["initiating"]["rank"] == 3
    triage("--format", "json", log(b"\xfd7zXZ\x00rest", "a.log.xz"))
    assert "compressed with xz; unpack it first" in json.loads(capsys.readouterr().out)["notes"][0]


@pytest.mark.parametrize("form", ["text", "markdown", "github", "json"])
def test_nothing_that_a_terminal_obeys_leaves(triage, log, capsys, form):
    hostile = "\x1b]0;owned\x07\x9b31m\u202e\u200b\u2028"
    data = f'{{"log": "ArenaError: full {hostile} \\ud800"}}\nArenaError: full {hostile}\n'
    assert triage("--format", form, log(data, "\x1b[31mrank0\n.log")) == 0
    out = capsys.readouterr().out
    assert not {character for character in out if not character.isprintable()} - {"\n"}


def test_a_pipe_is_refused_not_waited_for(triage, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.log")
    assert triage(tmp_path / "pipe.log") == 2
    assert "give its text on standard input" in capsys.readouterr().err


def test_closed_or_repeated_standard_input(triage, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert triage("-") == 2
    assert "standard input is closed" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ArenaError: full\n")))
    assert triage("-", "-") == 0


def test_a_name_no_file_can_have_and_a_full_disk_are_no_traceback(triage, log, capsys, monkeypatch):
    assert triage("a" * 5000) == 2
    assert "File name too long" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdout", Path("/dev/full").open("w"))  # noqa: SIM115 (closing it would fail too)
    assert triage("--format", "json", log("ArenaError: full\n")) == 2
    assert "No space left" in capsys.readouterr().err


def test_binary_garbage_is_no_traceback(triage, log, capsys):
    assert triage(log(bytes(range(256)) * 100)) == 1


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "empty"), (b"\n\n", "empty"), (bytes(range(256)) * 9, "does not look like text")]
)
def test_a_file_that_says_nothing_is_named(triage, log, capsys, data, said):
    assert triage(log(data)) == 1
    assert said in " ".join(capsys.readouterr().out.split())


def test_long_ids_can_be_copied_and_alike_lines_are_counted(triage, log, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    triage(log("ArenaError: full\nfine\n" * 9))
    out = capsys.readouterr().out
    assert "faultbook explain arena" in out
    assert "more such lines" in " ".join(out.split())


def test_an_unusable_index_is_named(log, tmp_path, capsys):
    (tmp_path / "bad.json").write_text("{}")
    assert main(["triage", "--index", str(tmp_path / "bad.json"), str(log("x"))]) == 2
    assert "no signature index" in capsys.readouterr().err


def test_explain_knows_ids_and_suggests(capsys):
    assert main(["explain", "cuda-out-of-memory"]) == 0
    assert "CUDA out of memory" in capsys.readouterr().out
    assert main(["explain"]) == 0
    assert "host-oom-killed\n    " in capsys.readouterr().out
    assert main(["explain", "cuda-memory-out"]) == 2
    assert "did you mean cuda-" in capsys.readouterr().err


def test_check_of_a_good_and_a_faulty_tree(tmp_path, capsys):
    root = good(tmp_path)
    assert main(["check", "--root", str(root)]) == 0
    path = root / "entries/memory/minimal.yaml"
    path.write_text(path.read_text().replace("severity: medium", "sevrity: medium"))
    assert main(["check", "--root", str(root)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^entries/memory/minimal\.yaml:\d+:\d+: error: unknown-field: .*sevrity", out, re.MULTILINE)
    assert "did you mean 'severity'?" in out
    main(["check", "--root", str(root), "--format", "json"])
    assert json.loads(capsys.readouterr().out)["problems"]
    assert main(["check", "--root", str(tmp_path / "entries" / "memory")]) in (0, 1)


def test_outside_of_a_project_the_commands_say_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir("/")
    assert main(["check"]) == 2
    assert "run it inside the project, or give --root" in capsys.readouterr().err


def test_ranks_are_drawn_with_the_first_failure_marked(triage, log, capsys):
    lines = [
        "[rank0]: 2026-11-02 10:00:00,000 INFO start", "[rank1]: 2026-11-02 10:00:00,000 INFO start",
        "[rank1]: 2026-11-02 10:10:00,000 ERROR ArenaError: full",
        "[rank0]: 2026-11-02 10:20:00,000 ERROR RuntimeError: Connection closed by peer [10.0.0.2]:1",
    ]  # fmt: skip
    path = log("\n".join(lines) + "\n")
    triage(path)
    out = capsys.readouterr().out
    assert re.search(r"rank 0  ─{32}○ +failed after it", out)
    assert re.search(r"rank 1  ─{16}✕ +failed first", out)
    triage(path, "--format", "markdown")
    assert "Ranks: 1 failed first; 0 failed after it." in capsys.readouterr().out
    triage(log("ArenaError: full\n", "one.log"))
    assert "Ranks" not in capsys.readouterr().out


def test_new_then_check_tells_what_is_missing(tmp_path, capsys):
    root = good(tmp_path)
    assert main(["new", "my-failure", "--title", "It broke", "--root", str(root)]) == 0
    assert main(["new", "my-failure", "--title", "It broke", "--root", str(root)]) == 2
    capsys.readouterr()
    assert main(["check", "--root", str(root)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"entries/memory/my-failure\.yaml:\d+:\d+: error: unfilled", out)


def test_new_from_a_log_drafts_id_title_and_signature(tmp_path, log, capsys):
    root = good(tmp_path / "project")
    crash = log('Traceback (most recent call last):\n  File "a.py", line 3, in f\nGremlinError: 7 gremlins ate it\n')
    assert main(["new", "--from-log", str(crash), "--root", str(root)]) == 0
    assert f"drafted from {crash}:3" in capsys.readouterr().out
    text = (root / "entries/memory/gremlinerror-gremlins-ate-it.yaml").read_text()
    assert 'message: "{:int} gremlins ate it"' in text
    assert main(["new", "--from-log", str(log("all fine\n", "fine.log")), "--root", str(root)]) == 2
    assert "no failure is seen in this log" in capsys.readouterr().err
    assert main(["new", "--root", str(root)]) == 2
    assert "--from-log FILE to draft both" in capsys.readouterr().err


def test_score(tmp_path, capsys):
    case = tmp_path / "cases" / "one"
    case.mkdir(parents=True)
    (case / "log.txt").write_text("ArenaError: full\n")
    (case / "case.yaml").write_text("acceptable: [arena]\nkind: positive\nfirst_rank: null\n")
    (tmp_path / "index.json").write_text(json.dumps(INDEX))
    args = ["score", str(tmp_path / "cases"), "--index", str(tmp_path / "index.json")]
    assert main([*args, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["top1"] == 1.0
    assert main(args) == 0
    assert "top-1        100.0 %" in capsys.readouterr().out
    (case / "case.yaml").write_text("kind: maybe\n")
    assert main(args) == 2
    assert "write positive or negative" in capsys.readouterr().err


def test_repro_refuses_unknown_ids(capsys):
    assert main(["repro", "no-such-entry"]) == 2
    assert "no entry has the id" in capsys.readouterr().err


def test_repro_of_an_unfinished_entry_names_its_state(tmp_path, capsys):
    root = good(tmp_path)
    main(["new", "my-failure", "--title", "It broke", "--root", str(root)])
    assert main(["repro", "my-failure", "--root", str(root)]) == 2
    assert "has errors and cannot be used yet: `faultbook check`" in capsys.readouterr().err


@pytest.mark.parametrize("addr", ["8123", "127.0.0.1:http", "127.0.0.1:99999"])
def test_serve_refuses_what_is_no_address(addr, capsys):
    assert main(["serve", "--addr", addr]) == 2
    assert "host:port" in capsys.readouterr().err


def test_serve_names_a_port_that_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        addr = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["serve", "--addr", addr]) == 2
    assert "choose another with --addr" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as left:
        build_parser().parse_args([command, "--help"])
    assert left.value.code == 0
    assert f"  faultbook {command}" in capsys.readouterr().out


def test_triage_starts_without_the_heavy_libraries(log):
    code = (
        "import sys; from faultbook.cli import main; main(sys.argv[1:]);"
        "print(sorted({'yaml', 'mkdocs', 'torch', 'rich', 'jinja2', 'jsonschema', 'cattrs'} & set(sys.modules)))"
    )
    argv = [sys.executable, "-c", code, "triage", "--format", "json", str(log("ValueError: x\n"))]
    assert main(["triage", argv[-1]]) == 1  # compiles the bundle, if it is stale
    run = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
