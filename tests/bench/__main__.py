"""`make bench`: ratios, each measured in one run on this machine. Seconds mean nothing elsewhere; ratios do.

Pick some with `python tests/bench triage site browser`.
"""

from __future__ import annotations

import sys

import browser
import paste
import site_build
import triage

BENCHES = {"triage": triage.measure, "site": site_build.measure, "browser": browser.measure, "paste": paste.measure}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench named {', '.join(unknown)}: choose from {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in names or BENCHES:
        for row in BENCHES[name]():
            print(f"{name}: {row}", flush=True)
    return 0


sys.exit(main(sys.argv[1:]))
