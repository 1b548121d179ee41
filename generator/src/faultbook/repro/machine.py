"""What this machine can run: facts that lanes decide on and proofs carry as their environment."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

# What scripts may import, by the name of its distribution.
PACKAGES = {
    "torch": "torch", "deepspeed": "deepspeed", "transformers": "transformers", "accelerate": "accelerate",
    "safetensors": "safetensors", "numpy": "numpy", "sentence_transformers": "sentence-transformers",
    "faiss": "faiss-cpu", "datasets": "datasets",
}  # fmt: skip
_NVIDIA = Path("/proc/driver/nvidia")


@dataclass(frozen=True)
class Machine:
    """`gpus` holds one model name a device; `driver` is the NVIDIA kernel module's version, if loaded."""

    python: str
    platform: str
    linux: bool
    gpus: tuple[str, ...] = ()
    driver: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def device(self) -> str:
        driver = f" (driver {self.driver})" if self.driver else ""
        return ", ".join(self.gpus) + driver if self.gpus else "CPU only"


def this_machine() -> Machine:
    """Read the facts from /proc and the installed distributions; starts no process."""
    return Machine(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        linux=sys.platform == "linux",
        gpus=_gpus(),
        driver=_driver(),
        packages={name: version for name, dist in PACKAGES.items() if (version := _version(dist))},
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _gpus() -> tuple[str, ...]:
    models = []
    for info in sorted((_NVIDIA / "gpus").glob("*/information")):
        rows = (line.partition(":") for line in info.read_text(errors="replace").splitlines())
        models += [value.strip() for key, _, value in rows if key.strip() == "Model"]
    return tuple(models)


def _driver() -> str | None:
    version = _NVIDIA / "version"
    if not version.is_file():
        return None
    words = version.read_text(errors="replace").split()
    return next((word for word in words if word[0].isdigit() and word.count(".") >= 1), None)
