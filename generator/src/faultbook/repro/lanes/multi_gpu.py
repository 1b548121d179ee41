"""Two or more NVIDIA GPUs in one machine: NCCL refuses two ranks on one device."""

from ..machine import Machine

ID = "multi-gpu"
TITLE = "several GPUs"


def refusal(machine: Machine) -> str | None:
    return None if len(machine.gpus) >= 2 else f"needs two CUDA GPUs, found {len(machine.gpus)}"
