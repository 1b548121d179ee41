"""The failure under a limit made for it: a small cgroup, a tiny /dev/shm. Linux kernel facilities, no GPU."""

from ..machine import Machine

ID = "simulated"
TITLE = "simulated limit"


def refusal(machine: Machine) -> str | None:
    return None if machine.linux else f"needs Linux kernel limits, this is {machine.platform}"
