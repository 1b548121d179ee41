"""A hardware fault. Never provoked: the page shows the vendor's documented kernel line instead."""

from ..machine import Machine

ID = "hardware"
TITLE = "hardware fault"


def refusal(machine: Machine) -> str | None:
    return "documented, not reproduced: hardware faults are not provoked"
