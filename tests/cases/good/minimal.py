"""Provoke the invented failure of minimal.yaml."""

import argparse

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--fixed", action="store_true", help="with an arena that is large enough")
if not parser.parse_args().fixed:
    raise SystemExit("ArenaError: arena 'main' exhausted: asked 64.00 MiB, 12.00 MiB left")
