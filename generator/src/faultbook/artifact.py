"""What an export makes: a file's name below `assets/faultbook/` and its bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Artifact:
    path: str
    data: bytes
