"""Put the compiled signature index into the wheel, so that an installed `faultbook triage` works offline."""

from __future__ import annotations

import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundleHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if version == "editable" or self.target_name != "wheel":
            return
        sys.path.insert(0, str(Path(self.root, "generator", "src")))
        from faultbook.bundle import write_bundle

        folder = write_bundle(Path(self.root))
        build_data["force_include"][str(folder)] = "faultbook/data"
