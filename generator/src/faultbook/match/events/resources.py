"""Which resource an operating-system error is about: the same errno means different things in different places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..types import Frame, Value

_ERRNO = re.compile(r"\[Errno (\d{1,3})\]|\((\d{1,3})\)\s*$|error code:? (\d{1,3})\b", re.IGNORECASE | re.MULTILINE)
_SHARED = ("</torch_", "/dev/shm", "shared memory")
_SHARED_FILES = (
    "multiprocessing/synchronize.py", "multiprocessing/heap.py", "multiprocessing/shared_memory.py",
    "multiprocessing/queues.py", "multiprocessing/reductions.py", "torch/storage.py",
)  # fmt: skip
_DISK = ("PytorchStreamWriter", "file write failed", "failed writing file")
_DISK_FILES = ("torch/serialization.py", "safetensors/torch.py", "shutil.py", "tarfile.py", "zipfile.py")
_BY_ERRNO = {11: "processes", 24: "file descriptors", 122: "disk quota"}
_NO_SPACE, _NO_MEMORY = 28, 12


def facts_of(message: str, frames: Sequence[Frame]) -> dict[str, Value]:
    """`errno` and `resource`, as far as message and frames tell; nothing for other errors."""
    text = message[:4000]
    found = _ERRNO.search(text)
    errno = int(next(filter(None, found.groups()))) if found else None
    resource = _resource(text, errno, frames)
    if resource is None:
        return {}
    return {"errno": errno, "resource": resource} if errno is not None else {"resource": resource}


def _resource(text: str, errno: int | None, frames: Sequence[Frame]) -> str | None:
    if any(mark in text for mark in _DISK):
        return "disk"
    if "Too many open files" in text or "received 0 items of ancdata" in text:
        return "file descriptors"
    if "No space left on device" in text:
        return _space(text, frames)
    if "Cannot allocate memory" in text and errno == _NO_MEMORY:
        return "memory mappings" if "unable to mmap" in text and "</torch_" in text else "host memory"
    return _BY_ERRNO.get(errno or 0) if "[Errno" in text else None


def _space(text: str, frames: Sequence[Frame]) -> str | None:
    """Shared memory where its own code or names appear, the disk where a file of the program's does."""
    if any(mark in text for mark in _SHARED):
        return "shared memory"
    places = [frame.file.replace("\\", "/") for frame in frames[-4:]]
    for place in reversed(places):
        if place.endswith(_SHARED_FILES):
            return "shared memory"
        if place.endswith(_DISK_FILES):
            return "disk"
    return "disk" if re.search(r"device: ['\"]", text) else None
