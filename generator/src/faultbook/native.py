"""The prefilter by Hyperscan, which `pip install 'faultbook[fast]'` brings: the same lines, sooner where the lines of
a log are unlike each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from .match.prefilter import Prefilter, lines_at


class NativeMissing(Exception):
    """Hyperscan was asked for and does not work on this machine; str() says why and what to do."""


def prefilter_named(name: str) -> type[Prefilter]:
    """What to give to `engine.triage` for one of `quick.PREFILTERS`. Raises NativeMissing for `native`.

    `auto` is Hyperscan's if it works on this machine, else the one in Python.
    """
    if name == "python":
        return Prefilter
    try:
        HyperscanPrefilter(["a"]).lines(b"a\n")
    except Exception as error:  # not installed, or built for another processor: hyperscan has one for each case
        if name == "auto":
            return Prefilter
        raise NativeMissing(f"{error}; `pip install 'faultbook[fast]'`, or leave out --prefilter native") from error
    return HyperscanPrefilter


class HyperscanPrefilter(Prefilter):
    """As Prefilter; every byte is looked at, for all literals at once."""

    def __init__(self, literals: Iterable[str]) -> None:
        import hyperscan

        wanted = [literal for literal in dict.fromkeys(literals) if literal]
        super().__init__(wanted)
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK) if wanted else None
        if self._database:
            self._database.compile(
                expressions=[literal.encode() for literal in wanted],
                ids=list(range(len(wanted))), elements=len(wanted), flags=0, literal=True,
            )  # fmt: skip

    def hits(self, piece: bytes) -> set[int]:
        if not self._database:
            return set()
        ends: set[int] = set()
        self._database.scan(piece, match_event_handler=lambda id, start, end, flags, context: ends.add(end - 1) or None)
        return lines_at(piece, ends)
