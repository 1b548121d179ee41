"""Where a script can run. A lane is `ID`, `TITLE` and `refusal(machine) -> reason or None`."""

from types import ModuleType

from . import cpu, gpu, hardware, multi_gpu, service, simulated

LANES: dict[str, ModuleType] = {lane.ID: lane for lane in (cpu, simulated, gpu, multi_gpu, service, hardware)}
