"""One NVIDIA GPU."""

from ..machine import Machine

ID = "gpu"
TITLE = "one GPU"


def refusal(machine: Machine) -> str | None:
    return None if machine.gpus else "needs a CUDA GPU and none is present"
