"""Parse arguments, wire the stages, print, and return the exit status. Nobody imports this module.

Each command imports what it needs itself: `triage` must start fast, without YAML, MkDocs or torch.
"""

from __future__ import annotations

import json
import sys

from .quick import Args, quick_triage

OK, FOUND_NOTHING, PROBLEMS, MISUSE = 0, 1, 1, 2
LONG = 32 << 20  # bytes, from which a bar, other processes and another prefilter are worth their start


class Misuse(Exception):
    """What the user asked cannot be done; str() says what to do instead."""


def main(argv: list[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    args = quick_triage(argv) or _parsed(argv)
    try:
        return COMMANDS[args.command](args)
    except BrokenPipeError:  # `faultbook ... | head`
        sys.stderr.close()
        return OK
    except (Misuse, OSError) as error:  # a full disk, a folder that may not be written: nothing of ours to trace
        print(f"faultbook {args.command}: {_harmless(error)}", file=sys.stderr)
        return MISUSE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _parsed(argv: list[str]) -> Args:
    from .options import build_parser

    return build_parser().parse_args(argv, Args())


# --- reading logs ---------------------------------------------------------------------------------


def _triage(args: Args) -> int:
    from .logs import Unreadable, find_logs
    from .match.diagnosis import to_dict, to_markdown

    try:
        paths = find_logs(args.paths)
        index = _index(args.index)
        diagnosis = _settled(_diagnose(paths, index, args.prefilter), args, index)
    except Unreadable as error:
        raise Misuse(str(error)) from error
    data = to_dict(diagnosis)
    if args.format == "json":
        _print(json.dumps(data, indent=2, ensure_ascii=False))
    elif args.format == "markdown":
        _print(to_markdown(diagnosis))
    elif args.format == "github":
        _print_github(data)
    else:
        from . import terminal

        _console().print(terminal.diagnosis(data), crop=False)
    return OK if data["verdict"] in ("match", "ambiguous") else FOUND_NOTHING


def _settled(diagnosis, args: Args, index):
    """The diagnosis after the answers given on the command line and, with --ask, those of the person there."""
    if not args.answer and not args.ask:
        return diagnosis
    from .match.frozen import replace
    from .match.settle import narrow

    known = [question.key for question in diagnosis.settle]
    for key, _ in args.answer:
        if key not in known:
            raise Misuse(f"no question '{key}' is open in this log: {', '.join(known) or 'there is none'}")
    diagnosis = narrow(diagnosis, dict(args.answer), index)
    while args.ask and diagnosis.settle and (reply := _asked(diagnosis.settle[0])) is not None:
        skipped = diagnosis.settle[0]
        diagnosis = narrow(diagnosis, {skipped.key: reply}, index)
        if skipped in diagnosis.settle:  # cannot tell
            diagnosis = replace(diagnosis, settle=tuple(one for one in diagnosis.settle if one is not skipped))
    return diagnosis


def _asked(question) -> str | None:
    """yes, no, or empty for "cannot tell"; None at the end of input."""
    print(f"{question.question}", *([f"    {question.command}"] if question.command else []), sep="\n", file=sys.stderr)
    while True:
        print("[y]es, [n]o, [?] cannot tell: ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return None
        if (reply := line.strip().lower()[:1]) in ("y", "n", "?"):
            return {"y": "yes", "n": "no", "?": ""}[reply]


def _diagnose(paths: list[str], index, prefilter: str):
    from .logs import open_logs, total_size
    from .match.engine import triage

    if total_size(paths) < LONG:  # standard input counts nothing: it ends before anybody looks at a bar
        return triage(open_logs(paths), index)
    from .long import triage_long
    from .native import NativeMissing

    try:
        return triage_long(paths, index, prefilter=prefilter)
    except NativeMissing as error:
        raise Misuse(str(error)) from error


def _index(path: str | None):
    from .bundle import INDEX, read_text
    from .match.index import load_index

    try:
        return load_index(read_text(path) if path else _bundled(INDEX))
    except (OSError, ValueError) as error:
        raise Misuse(f"cannot use the signature index {path or ''}: {error}") from error


def _bundled(name: str) -> str:
    from .bundle import StaleBundle, read_bundle

    try:
        return read_bundle(name)
    except StaleBundle as error:
        raise Misuse(str(error)) from error


def _print_github(data: dict) -> None:
    """One annotation: at the leading entry's first line, else at the first failure, with what to do about it."""
    from .problem import Mark, Problem, Severity, render_github

    lead, first = next(iter(data["diagnoses"]), None), data["initiating"]
    if lead and lead["evidence"]:
        at = lead["evidence"][0]
        severity = Severity.ERROR if data["verdict"] == "match" else Severity.WARNING
        said = f"{lead['title']}{'' if data['verdict'] == 'match' else ' (not settled)'}: {at['text'][:200]}"
        problem = Problem(Mark(at["file"], at["line"]), lead["id"], said, lead["fix"]["text"], severity)
    elif first:
        hint = "no entry explains it; `faultbook new` starts one"
        problem = Problem(Mark(first["file"], first["line"]), "unknown", first["what"][:200], hint, Severity.WARNING)
    else:
        _print(f"::notice::faultbook: {data['verdict']}")
        return
    _print(render_github([problem]).rstrip())


def _explain(args: Args) -> int:
    from .bundle import ENTRIES

    entries = json.loads(_bundled(ENTRIES))["entries"]
    if args.id is None:
        _print("\n".join(f"{entry['id']}\n    {entry['gist']}" for entry in entries))
        return OK
    data = next((entry for entry in entries if args.id in (entry["id"], *entry.get("aliases", ()))), None)
    if data is None:
        raise Misuse(_unknown_id(args.id, [entry["id"] for entry in entries]))
    if args.format == "json":
        _print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        from . import terminal

        _console().print(terminal.entry(data))
    return OK


def _score(args: Args) -> int:
    from pathlib import Path

    from .cases import recorded
    from .match.score import to_text

    index = _index(args.index)
    sets = [_scored(Path(folder), index) for folder in args.dirs]
    if args.record:
        text = json.dumps(recorded(sets), indent=1, ensure_ascii=False)
        Path(args.record).write_text(f"{text}\n", encoding="utf-8")
    if args.format == "json":
        summaries = [{"dir": folder, **summary} for folder, (_, _, summary) in zip(args.dirs, sets, strict=True)]
        _print(json.dumps(sets[0][2] if len(sets) == 1 else {"format": 1, "sets": summaries}, indent=2))
    else:
        heads = [f"{folder}\n" if len(sets) > 1 else "" for folder in args.dirs]
        _print("\n\n".join(head + to_text(summary) for head, (_, _, summary) in zip(heads, sets, strict=True)))
    return OK


def _scored(folder, index) -> tuple:
    """(name of the set, its cases, their summary). Raises Misuse if no case can be used, or one cannot."""
    from .cases import load_cases
    from .match.engine import triage
    from .match.score import score

    cases, problems = load_cases(folder)
    if problems or not cases:
        from .problem import render_text

        _print(render_text(problems), file=sys.stderr)
        raise Misuse(f"no usable case in {folder}" if not cases else "mend the cases named above")
    return folder.resolve().name, cases, score((one.name, one.label, triage(one.sources, index)) for one in cases)


# --- the entry tree -------------------------------------------------------------------------------


def _check(args: Args) -> int:
    from .problem import RENDERERS, Severity

    catalog, problems = _load(args)
    text = RENDERERS[args.format](problems)
    if text:
        _print(text.rstrip("\n"))
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    files, usable = len(catalog.files), len(catalog.entries)
    entries = f"{files} entries" if files == usable else f"{files} entry files, {usable} of them usable"
    tally = f"{entries}, {errors} errors, {len(problems) - errors} warnings"
    print(tally, file=sys.stderr)
    return PROBLEMS if errors else OK


def _build(args: Args) -> int:
    from pathlib import Path

    from . import site
    from .bundle import write_bundle

    root = _root(args)
    _refuse_errors(args)
    write_bundle(root)
    if args.markdown:
        count = site.write_markdown(root, Path(args.markdown))
        _print(f"{count} pages written to {args.markdown}")
        return OK
    target = site.build(root, strict=not args.no_strict)
    _print(f"site built: {target}")
    return OK


def _serve(args: Args) -> int:
    from . import site

    root = _root(args)
    print(f"building the site, then serving it at http://{args.addr}/", file=sys.stderr, flush=True)
    try:
        site.serve(root, args.addr)
    except site.AddressTaken as error:
        raise Misuse(str(error)) from error
    return OK


def _repro(args: Args) -> int:
    from concurrent.futures import ThreadPoolExecutor

    from .match.engine import triage
    from .repro.machine import this_machine
    from .repro.record import is_proven, prove, write

    root, (catalog, _), index, machine = _root(args), _load(args), _index(None), this_machine()
    chosen = _chosen(catalog.entries, args)
    if args.resume:
        chosen = [entry for entry in chosen if not is_proven(entry, root)]

    def proved(entry):
        print(f"{entry.repro.lane}: {entry.id} …", file=sys.stderr, flush=True)
        return prove(entry, root, machine, lambda text: triage([("output", text.encode())], index))

    outcomes = []
    with ThreadPoolExecutor(args.jobs) as pool:  # the work is in processes of its own; threads only wait for them
        for entry, outcome in zip(chosen, pool.map(proved, chosen), strict=True):
            outcomes.append(outcome)
            if args.record:
                write(outcome, entry, root, machine)
            if args.show or outcome.verdict == "failed":
                _show_runs(outcome)
    _print_proofs(outcomes, args.format)
    return PROBLEMS if any(outcome.verdict == "failed" for outcome in outcomes) else OK


def _chosen(entries, args: Args) -> list:
    known = [entry.id for entry in entries]
    for wanted in args.ids:
        if wanted not in known and any(_root(args).glob(f"entries/*/{wanted}.yaml")):
            raise Misuse(f"the entry '{wanted}' has errors and cannot be used yet: `faultbook check` lists them")
        if wanted not in known:
            raise Misuse(_unknown_id(wanted, known))
    return [
        entry for entry in entries
        if (not args.ids or entry.id in args.ids) and (not args.lane or entry.repro.lane in args.lane)
    ]  # fmt: skip


def _show_runs(outcome) -> None:
    from textwrap import indent

    for side, it in (("symptom", outcome.symptom), ("fixed", outcome.fixed)):
        if it:
            print(f"--- {outcome.entry}, {side}, exit code {it.run.exit_code}", file=sys.stderr)
            print(indent(_harmless(it.run.output[-8000:]), "| "), file=sys.stderr)  # no `::command::` of a workflow


def _print_proofs(outcomes: list, form: str) -> None:
    from .model import VERDICTS

    tally = {verdict: sum(o.verdict == verdict for o in outcomes) for verdict in VERDICTS}
    if form == "json":
        rows = [{"entry": o.entry, "lane": o.lane, "verdict": o.verdict, "reason": o.reason} for o in outcomes]
        _print(json.dumps({"format": 1, "proofs": rows, "tally": tally}, indent=2))
        return
    from . import terminal

    rows = [(o.entry, o.lane, o.verdict, _seconds(o), o.reason or "") for o in outcomes]
    _console().print(terminal.proofs(rows))
    _print(", ".join(f"{count} {verdict}" for verdict, count in tally.items()))


def _seconds(outcome) -> str:
    runs = [it.run.seconds for it in (outcome.symptom, outcome.fixed) if it]
    return " + ".join(f"{seconds:.1f}" for seconds in runs)


def _new(args: Args) -> int:
    from .scaffold import ScaffoldError, write_new

    draft = _draft(args.from_log) if args.from_log else None
    id, title = args.id or (draft and draft.id), args.title or (draft and draft.title)
    if not id or not title:
        raise Misuse('give an id and --title "...", or --from-log FILE to draft both from a log')
    try:
        for path in write_new(_root(args), id, title, args.category, args.lane, draft):
            _print(f"written: {path}")
    except ScaffoldError as error:
        raise Misuse(str(error)) from error
    if draft:
        _print(f"drafted from {draft.file}:{draft.line}; read message, clause and example before you share them")
    _print("next: fill both files in; `faultbook check` says what is missing, `faultbook serve` shows the page")
    return OK


def _draft(path: str):
    """The start of an entry; says on standard error if an entry explains the log already."""
    from .drafting import NothingToDraft, draft
    from .logs import Unreadable, find_logs, open_logs

    try:
        paths = find_logs([path])
        sources = [(name, b"".join(chunks)) for name, chunks in open_logs(paths)]
        started = draft(sources)
    except (Unreadable, NothingToDraft) as error:
        raise Misuse(str(error)) from error
    known = _diagnose_sources(sources)
    if known.findings:
        print(f"note: '{known.findings[0].id}' may explain this log already ({known.verdict})", file=sys.stderr)
    return started


def _diagnose_sources(sources):
    from .match.engine import triage

    return triage(sources, _index(None))


# --- shared ---------------------------------------------------------------------------------------


def _root(args: Args):
    """The project's folder, a Path."""
    from pathlib import Path

    start = Path(args.root) if args.root else Path.cwd()
    for folder in (start, *start.resolve().parents):
        if (folder / "entries" / "categories.yaml").is_file():
            return folder
    raise Misuse(f"no entries/categories.yaml in {start} or above: run it inside the project, or give --root")


def _load(args: Args):
    from .catalog import load_catalog

    return load_catalog(_root(args))


def _refuse_errors(args: Args) -> None:
    from .problem import Severity, render_text

    errors = [problem for problem in _load(args)[1] if problem.severity is Severity.ERROR]
    if errors:
        print(render_text(errors), file=sys.stderr, end="")
        raise Misuse("the entries have errors, so nothing was built")


def _unknown_id(wanted: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(wanted, known, n=3, cutoff=0.3)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are {len(known)} entries"
    return f"no entry has the id '{wanted}': {hint}"


def _console(stderr: bool = False):
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def _harmless(text: object) -> str:
    """As it may go to a terminal: file names and scripts' output come from anybody."""
    from .match.markup import printable

    return "\n".join(map(printable, str(text).split("\n")))


def _print(text: str, file=None) -> None:
    print(text, file=file or sys.stdout, flush=True)  # a full disk shows here, where it is reported


COMMANDS = {
    "triage": _triage, "explain": _explain, "score": _score, "check": _check,
    "build": _build, "serve": _serve, "repro": _repro, "new": _new,
}  # fmt: skip
