"""The failure, or its mechanism, on any machine: real libraries, no accelerator."""

from ..machine import Machine

ID = "cpu"
TITLE = "CPU"


def refusal(machine: Machine) -> str | None:
    return None
