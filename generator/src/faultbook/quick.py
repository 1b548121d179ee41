"""The plain uses of `faultbook triage` understood without argparse, which takes longer than reading a short log.

Whatever is not plain (help, other commands, a wrong or shortened flag) is left to `options.py`, so nothing but
the time it takes depends on this module.
"""

from __future__ import annotations

from types import SimpleNamespace as Args

FORMATS = ("text", "json", "markdown", "github")
PREFILTERS = ("auto", "native", "python")
_CHOICES = {"--format": FORMATS, "--prefilter": PREFILTERS, "--index": ()}


def quick_triage(argv: list[str]) -> Args | None:
    """What argparse would make of `triage PATH… [--format F] [--prefilter P] [--index FILE]`; None: ask argparse."""
    if argv[:1] != ["triage"]:
        return None
    args = Args(command="triage", paths=[], ask=False, answer=[], format="text", prefilter="auto", index=None)
    words = iter(argv[1:])
    for word in words:
        if word in _CHOICES:
            value = next(words, "-")
            if value.startswith("-") or value not in (_CHOICES[word] or (value,)):
                return None
            setattr(args, word[2:], value)
        elif word.startswith("-") and word != "-":
            return None
        else:
            args.paths.append(word)
    return args if args.paths and not _scattered(argv[1:]) else None


def _scattered(words: list[str]) -> bool:
    """Whether flags stand between paths, which argparse has rules of its own for."""
    paths = [place for place, word in enumerate(words) if not word.startswith("--")]
    values = {place + 1 for place, word in enumerate(words) if word in _CHOICES}
    places = [place for place in paths if place not in values]
    return places != list(range(places[0], places[0] + len(places)))
