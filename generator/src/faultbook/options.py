"""The command line's words: every command with its flags and an example that can be pasted."""

from __future__ import annotations

import argparse

from . import __version__
from .quick import FORMATS, PREFILTERS

DESCRIPTION = """\
Read a crash log against the open encyclopedia of GPU training and inference failures.
Nothing leaves this machine: the signature index is bundled."""

EXAMPLES = """\
examples:
  faultbook triage train.log                 what broke this run?
  faultbook triage rank*.log                 which rank failed first?
  kubectl logs pod | faultbook triage -      read from a pipe
  faultbook explain cuda-out-of-memory       one failure: cause, how to confirm, fix
  faultbook new my-failure --title "..."     start an entry, then `faultbook check`"""

LANES = ("cpu", "simulated", "gpu", "multi-gpu", "service", "hardware")


def build_parser() -> argparse.ArgumentParser:
    parser = _parser(argparse.ArgumentParser, prog="faultbook", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument("--version", action="version", version=f"faultbook {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in (_triage, _explain, _check, _build, _serve, _repro, _score, _new):
        add(commands)
    return parser


def _parser(make, *args, **kwargs) -> argparse.ArgumentParser:
    return make(*args, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs)


def _command(commands, name: str, summary: str, text: str, examples: str) -> argparse.ArgumentParser:
    return _parser(commands.add_parser, name, help=summary, description=text, epilog=f"examples:\n{examples}")


def _triage(commands) -> None:
    it = _command(
        commands, "triage", "name the known failure that a log shows",
        "Match logs against every signature. A match means that the signature's clauses hold in the log;\n"
        "it does not by itself confirm the cause: the entry's page says how to confirm it.\n\n"
        "Several files are read as one run (a file a rank, `rank3.log`); folders are searched for files;\n"
        "gzip, zip and tar are unpacked; `-` is standard input.\n\n"
        "exit status: 0 something known was found, 1 nothing known, 2 could not read or misuse.",
        "  faultbook triage train.log\n"
        "  faultbook triage logs/ --format markdown > report.md\n"
        "  srun -l train.sh 2>&1 | tee run.log; faultbook triage run.log --format json | jq .verdict\n"
        "  faultbook triage train.log --ask",
    )  # fmt: skip
    it.add_argument("paths", nargs="+", metavar="PATH", help="log file, folder, or - for standard input")
    it.add_argument("--ask", action="store_true", help="ask the questions that would settle an ambiguous answer")
    it.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="KEY=yes|no",
        type=_answer,
        help="answer one of them; KEY as the text and JSON answers show it; may be repeated",
    )
    it.add_argument("--format", choices=FORMATS, default="text")
    it.add_argument(
        "--prefilter", choices=PREFILTERS, default="auto",
        help="how long logs are searched; native needs `pip install 'faultbook[fast]'`, the answer is the same",
    )  # fmt: skip
    it.add_argument("--index", metavar="FILE", help="signature index to use instead of the bundled one")


def _explain(commands) -> None:
    it = _command(
        commands, "explain", "print one entry",
        "Print an entry in the terminal: quick answer, mechanism, how to confirm, look-alikes, fix, references.",
        "  faultbook explain                          list the ids\n"
        "  faultbook explain host-oom-killed\n"
        "  faultbook explain host-oom-killed --format json",
    )  # fmt: skip
    it.add_argument("id", nargs="?", help="the entry's id, the last part of its page's address; all ids if left out")
    it.add_argument("--format", choices=("text", "json"), default="text")


def _check(commands) -> None:
    it = _command(
        commands, "check", "report every fault of the entry tree",
        "Check all entries: YAML, schema, vocabularies, relations, examples, counter-examples, code, proofs.\n"
        "Prints path:line:column: severity: code: message and a hint, all faults in one run.\n\n"
        "exit status: 0 clean, 1 problems, 2 misuse.",
        "  faultbook check\n  faultbook check --format github",
    )  # fmt: skip
    it.add_argument("--format", choices=("text", "github", "json"), default="text")
    _root(it)


def _build(commands) -> None:
    it = _command(
        commands, "build", "build the site",
        "Generate every page and build the site into build/site, or write plain Markdown for another builder.",
        "  faultbook build\n  faultbook build --markdown build/pages",
    )  # fmt: skip
    it.add_argument("--markdown", metavar="DIR", help="write the pages as .md files into DIR and stop")
    it.add_argument("--no-strict", action="store_true", help="do not fail on MkDocs warnings")
    _root(it)


def _serve(commands) -> None:
    it = _command(
        commands, "serve", "serve the site with live reload",
        "Serve the site and rebuild a page whenever its YAML changes.",
        "  faultbook serve\n  faultbook serve --addr 127.0.0.1:9000",
    )  # fmt: skip
    it.add_argument("--addr", metavar="HOST:PORT", default="127.0.0.1:8000")
    _root(it)


def _repro(commands) -> None:
    it = _command(
        commands, "repro", "run repro scripts and judge what they prove",
        "Run each entry's script plainly and with --fixed, in a process group of its own with limits on time,\n"
        "memory and output, and judge both outputs with the matcher. A script that cannot run here is skipped\n"
        "with its reason, never passed; a recorded run elsewhere is judged again from its capture.\n\n"
        "exit status: 0 nothing failed, 1 a proof failed, 2 misuse.",
        "  faultbook repro --lane cpu --lane simulated\n"
        "  faultbook repro safetensors-load-error --show\n"
        "  faultbook repro --lane gpu --record --resume",
    )  # fmt: skip
    it.add_argument("ids", nargs="*", metavar="ID", help="entries to prove; all when left out")
    it.add_argument("--lane", action="append", choices=LANES, help="only entries of this lane; may be repeated")
    it.add_argument("--record", action="store_true", help="write proof and captures beside the script")
    it.add_argument("--resume", action="store_true", help="pass over entries whose recorded proof is still valid")
    it.add_argument("--jobs", type=_count, metavar="N", default=1, help="entries proved side by side (default: 1)")
    it.add_argument("--show", action="store_true", help="print what the scripts printed")
    it.add_argument("--format", choices=("text", "json"), default="text")
    _root(it)


def _score(commands) -> None:
    it = _command(
        commands, "score", "score triage on folders of labelled cases",
        "Read DIR/<case>/log.txt (or several *.log) with case.yaml and print top-1, top-3, false alarms on\n"
        "negatives, first-rank share, and a line a miss; with several folders each by itself.\n\n"
        "case.yaml:  acceptable: [ids, best first]   kind: positive|negative   first_rank: 3 or null",
        "  faultbook score tests/cases/match\n"
        "  faultbook score tests/cases/match tests/cases/apart --record tests/cases/scores.json",
    )  # fmt: skip
    it.add_argument("dirs", nargs="+", metavar="DIR")
    it.add_argument("--format", choices=("text", "json"), default="text")
    it.add_argument("--record", metavar="FILE", help="write figures and cases as JSON, as the site shows them")
    it.add_argument("--index", metavar="FILE", help="signature index to use instead of the bundled one")


def _new(commands) -> None:
    it = _command(
        commands, "new", "start an entry and its repro script",
        "Write entries/<category>/<id>.yaml and repro/<category>/<id>.py with every required field in place and\n"
        "a note on what belongs there. `faultbook check` then says what is still missing.\n\n"
        "With --from-log the failure that came first in a log is the start: its message becomes a template, its\n"
        "lines an example without home folders, addresses and secrets. Read both before you share them.",
        '  faultbook new cudnn-status-not-supported --title "cuDNN: CUDNN_STATUS_NOT_SUPPORTED" --lane gpu\n'
        "  faultbook new --from-log crash.log",
    )  # fmt: skip
    it.add_argument("id", nargs="?", help="lower-case words joined by hyphens; never reused")
    it.add_argument("--title", help="the failure as its message names it")
    it.add_argument("--from-log", metavar="FILE", help="draft it from a log; id and title too, unless given")
    it.add_argument("--category", default="memory")
    it.add_argument("--lane", choices=LANES, default="cpu", help="where its script can run (default: cpu)")
    _root(it)


def _root(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", metavar="DIR", help="project folder (default: found upwards from here)")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 64")
    return int(text)


def _answer(text: str) -> tuple[str, str]:
    key, _, answer = text.rpartition("=")
    if not key or answer not in ("yes", "no"):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=yes or KEY=no")
    return key, answer
