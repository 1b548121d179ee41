"""A running service (a vector database, an inference server) that the script talks to."""

import os

from ..machine import Machine

ID = "service"
TITLE = "running service"


def refusal(machine: Machine) -> str | None:
    if os.environ.get("FAULTBOOK_SERVICE"):
        return None
    return "needs a running service: start it and set FAULTBOOK_SERVICE to its address"
