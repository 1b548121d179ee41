"""Errors that CUDA, its libraries, NCCL or HIP return."""

from __future__ import annotations

from collections.abc import Iterator

from ..lazy import Lazy
from ..types import Event
from .common import HARMLESS, Sayings, known, whole

TRIGGERS = (
    "CUDA error", "cuda runtime error", "CUDA driver error", "HIP error", "CUBLAS_STATUS_", "CUDNN_STATUS_",
    "CUSPARSE_STATUS_", "CUSOLVER_STATUS_", "NCCL error", "Cuda failure", "CUDA_ERROR_", "ncclSystemError",
    "ncclInternalError", "ncclUnhandledCudaError", "ncclRemoteError", "ncclInvalid", "cudaError",
)  # fmt: skip

# The first of each library that fits counts; statuses before general text, because
# `CUDA error: CUBLAS_STATUS_…` is cuBLAS speaking.
_PATTERNS = tuple(
    (library, Lazy(pattern))
    for library, pattern in (
        ("cublas", r"(?P<error>CUBLAS_STATUS_[A-Z_]{3,40})"),
        ("cudnn", r"(?P<error>CUDNN_STATUS_[A-Z_]{3,60})"),
        ("cusparse", r"(?P<error>CUSPARSE_STATUS_[A-Z_]{3,40})"),
        ("cusolver", r"(?P<error>CUSOLVER_STATUS_[A-Z_]{3,40})"),
        ("nccl", r"NCCL error in:[^\n]{0,400}?, (?P<error>(?:unhandled|internal|invalid|remote)[\w ]{1,60})"),
        ("nccl", r"NCCL error: (?P<error>[a-z][^,\n(]{2,100})"),
        ("nccl", r"(?P<error>nccl(?:SystemError|InternalError|UnhandledCudaError|RemoteError|Invalid\w{5,10}))"),
        ("nccl", r"Cuda failure (?:(?P<code>\d{1,4}) )?'(?P<error>[^'\n]{2,120})'"),
        ("driver", r"CUDA driver error: (?P<error>[^\n(]{2,160})"),
        ("driver", r"(?P<error>CUDA_ERROR_[A-Z_]{3,60})"),
        ("hip", r"HIP error(?: \(?(?P<code>\d{1,4})\)?)?: (?P<error>[^\n(]{2,160})"),
        ("cuda", r"cuda runtime error \((?P<code>\d{1,4})\) ?: (?P<error>[^\n]{2,120}?)(?: at |$)"),
        ("cuda", r"CUDA error(?: \(?(?P<code>\d{1,4})\)?)?: (?P<error>[^\n(]{2,160})"),
        ("cuda", r"(?P<error>cudaError[A-Z]\w{2,60})"),
    )
)
_STATUS = ("CUBLAS_", "CUDNN_", "CUSPARSE_", "CUSOLVER_")


def recognise(sayings: Sayings) -> Iterator[Event]:
    for record, text, raised in sayings.messages(TRIGGERS):
        found = _first(text[:16000])
        if found is None:
            continue
        library, groups = found
        error = (groups["error"] or "").strip().rstrip(".")
        fields = known([("error", error), ("library", library), ("code", whole(groups.get("code")))])
        failure = raised.event.failure if raised else record.level not in HARMLESS
        yield Event("cuda-error", record, text, fields, raised.event.frames if raised else (), failure)


def _first(text: str) -> tuple[str, dict[str, str | None]] | None:
    for library, pattern in _PATTERNS:
        found = pattern.search(text)
        # a mention of the success status is no error
        if found and not (found["error"] or "").endswith(("_SUCCESS", "cudaErrorNotReady")):
            return library, found.groupdict()
    return None
