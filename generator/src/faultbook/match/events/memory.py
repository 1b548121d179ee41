"""Memory that ran out: one event a report, every number in bytes, whatever the wording or version.

Wordings and the versions that print them were read in c10/cuda/CUDACachingAllocator.cpp,
CUDAMallocAsyncAllocator.cpp, aten/src/ATen/mps/MPSAllocator.mm, c10/core/impl/alloc_cpu.cpp and in the wheels
torch 1.10 to 2.13. The allocator's closing advice carries no facts and is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import Frozen
from ..lazy import Lazy
from ..types import Event, Value
from ..units import SIZE, to_bytes
from .common import HARMLESS, Raised, Sayings

TRIGGERS = (
    "out of memory", "Out of memory", "Tried to allocate", "total capac", "Unable to allocate",
    "RESOURCE_EXHAUSTED", "OUT_OF_MEMORY", "would exceed allowed memory", "Out Of Memory",
    "allocate memory", "_ALLOC_FAILED", "you tried to allocate", "reserved by PyTorch", "bad_alloc",
    "OutOfMemoryError", "MemoryError", "OOM when allocating", "alloc fail", "cudaErrorMemoryAllocation",
    "NVML_SUCCESS ==", "low on memory", "unable to mmap", "low on resource: memory", "ERROR_OUT_OF_",
)  # fmt: skip

REACH = 4000  # characters of a report behind its first word


class Wording(Frozen):
    """`mark` must stand in the text; `fields` are searched from there on. `sure`: not a passing mention."""

    __slots__ = ()

    name: str
    memory: str
    mark: re.Pattern[str]
    fields: tuple[re.Pattern[str], ...] = ()
    ahead: int = 0  # characters in front of the mark that fields may reach into


def _wording(name: str, memory: str, mark: str, *fields: str, ahead: int = 0) -> Wording:
    flexible = tuple(Lazy(pattern.replace(" ", r"\s{1,80}")) for pattern in fields)
    return Wording(name, memory, Lazy(mark.replace(" ", r"\s{1,80}")), flexible, ahead)


def _size(name: str) -> str:
    return f"(?P<{name}>{SIZE.replace(' ?', chr(92) + 's?')})"


_TRIED = rf"Tried to allocate {_size('requested')}"
_GPU = r"GPU (?P<device>\d{1,4})(?:;| has)"
_SPLIT = (
    rf"Of the allocated memory {_size('allocated')}",
    rf"with {_size('private_pools')} allocated in private",
    rf"and {_size('unallocated')} is reserved",
)
_MODERN = (
    _TRIED, _GPU, rf"total capac\w{{2,4}} of {_size('total')}", rf"of which {_size('free')} is free",
    rf"this process has {_size('process')}", rf"{_size('allowed')} allowed;", *_SPLIT,
)  # fmt: skip
_OLD = (
    _TRIED, _GPU, rf"{_size('total')} total capacity", rf"{_size('allocated')} already allocated",
    rf"{_size('free')} free", rf"{_size('allowed')} allowed;", rf"{_size('reserved')} reserved in total",
    rf"{_size('unallocated')} cached",  # torch 1.0 to 1.3 counted only what was not in use
)  # fmt: skip
_API = r"(?:CUDA|HIP|XPU)"

# The first that fits wins, so the informative ones stand before the bare ones.
WORDINGS = (
    _wording("torch-1eb", "cuda", rf"{_API} out of memory\. Tried to allocate more than 1EB"),
    _wording("torch-2.1", "cuda", rf"{_API} out of memory\.(?=[\s\S]{{0,400}}total capacty)", *_MODERN),
    _wording("torch-2.2", "cuda", rf"{_API} out of memory\.(?=[\s\S]{{0,400}}total capacity of)", *_MODERN),
    _wording("torch-1.10", "cuda", rf"{_API} out of memory\.(?=[\s\S]{{0,600}}reserved in total)", *_OLD),
    _wording("torch-1.0", "cuda", rf"{_API} out of memory\.(?=[\s\S]{{0,600}} cached)", *_OLD),
    _wording("torch-cut", "cuda", rf"{_API} out of memory\. Tried to allocate", *_MODERN, *_OLD[2:]),
    _wording("torch-tail", "cuda", r"Tried to allocate \d[\d.]{0,12} [KMGT]iB(?= ?[.(])", *_MODERN, *_OLD[2:]),
    _wording("torch-tail", "cuda", r"reserved by PyTorch but unallocated", *_MODERN, ahead=600),
    _wording("torch-async", "cuda", r"Allocation on device (?:\d{1,3} )?would exceed allowed memory",
             r"Allocation on device (?P<device>\d{1,4})", rf"Currently allocated ?: {_size('allocated')}",
             rf"Requested ?: {_size('requested')}", rf"Device limit ?: {_size('total')}",
             rf"Free \(according to CUDA\): {_size('free')}", rf"memory fraction\) ?: {_size('allowed')}"),
    _wording("mps", "mps", r"MPS backend out of memory", _TRIED, rf"MPS allocated: {_size('allocated')}",
             rf"other allocations: {_size('others')}", rf"max allowed: {_size('allowed')}"),
    _wording("thc", "cuda", r"cuda runtime error \(2\) ?: out of memory|THCudaCheck FAIL[^\n]{0,300}error=2\b"),
    _wording("nccl", "cuda", r"Cuda failure (?:\d{1,4} )?'out of memory'"),
    _wording("cublas", "cuda", r"CUBLAS_STATUS_ALLOC_FAILED"),
    _wording("cudnn", "cuda", r"CUDNN_STATUS_ALLOC_FAILED"),
    _wording("nvml-assert", "cuda",
             r"NVML_SUCCESS == [^\n]{1,200}INTERNAL ASSERT FAILED[^\n]{0,300}CUDACachingAllocator"),
    _wording("faiss", "cuda", r"StandardGpuResources(?:Impl)?: alloc fail|allocMemorySpaceV?\b[^\n]{0,200}alloc",
             r"size (?P<requested>\d{1,18} bytes)", r"dev (?P<device>\d{1,4})"),
    _wording("llama-cpp", "cuda", r"on device \d{1,3}: cudaMalloc failed: out of memory",
             rf"allocating {_size('requested')}", r"on device (?P<device>\d{1,4})", ahead=120),
    _wording("cupy", "cuda", r"Out of memory allocating [\d,]{1,20} bytes",
             r"allocating (?P<requested>[\d,]{1,20} bytes)", r"allocated so far: (?P<allocated>[\d,]{1,20} bytes)"),
    _wording("rmm", "cuda", r"bad_alloc: (?:out_of_memory: )?(?:CUDA|RMM)"),
    _wording("xla", "xla", r"Ran out of memory in memory space hbm", r"Used (?P<process>[\d.]{1,12}[KMGT]) of",
             r"of (?P<total>[\d.]{1,12}[KMGT]) hbm"),
    _wording("xla", "xla", r"RESOURCE_EXHAUSTED(?=[\s\S]{0,200}(?:[Oo]ut of memory|OOM|ran out|allocat))",
             r"allocat(?:e|ing) (?P<requested>[\d,]{1,20} ?(?:bytes|B)\b)", rf"allocat(?:e|ing) {_size('requested')}",
             r"OOM when allocating tensor"),
    _wording("xla", "xla", r"Resource exhausted: Out of memory while trying to allocate",
             r"allocate (?P<requested>[\d,]{1,20} ?bytes\b)"),
    _wording("tensorflow", "cuda", r"OOM when allocating tensor with shape"),
    _wording("driver", "cuda",
             r"CUDA driver error: out of memory|CUDA_ERROR_OUT_OF_MEMORY|cuMem\w{2,30} failed: out of"),
    _wording("pinned", "pinned",
             r"(?:cudaHostAlloc|cudaMallocHost|cudaHostRegister)\b[^\n]{0,120}out of memory"),
    _wording("bare", "cuda",
             rf"{_API} error(?: 2)?: out of memory|cudaErrorMemoryAllocation\b(?=[\s\S]{{0,20}}out of)"),
    _wording("bare", "cuda", rf"^(?:[\w.]{{1,80}}: )?{_API} out of memory\b"),
    _wording("cpu-allocator", "host", r"DefaultCPUAllocator: (?:can't allocate|not enough) memory",
             r"tried to allocate (?P<requested>\d{1,20} bytes)"),
    _wording("numpy", "host", r"Unable to allocate \d[\d.]{0,12} (?:[KMGTPE]iB|bytes) for an array",
             rf"Unable to allocate {_size('requested')}"),
    _wording("mmap", "host", r"unable to mmap \d{1,20} bytes from file[^\n]{0,400}Cannot allocate memory",
             r"mmap (?P<requested>\d{1,20} bytes)"),
    _wording("ray", "host", r"killed due to the node running low on memory",
             r"memory used=(?P<process>[\d.]{1,12}GB)", r"was (?P<used>[\d.]{1,12}GB) /",
             r"/ (?P<total>[\d.]{1,12}GB) \("),
    _wording("kubelet", "host", r"The node was low on resource: memory\.",
             r"was using (?P<process>\d{1,15}[KMG]i)\b", r"available: (?P<free>\d{1,15}[KMG]i)\b"),
    _wording("level-zero", "xpu", r"UR_RESULT_ERROR_OUT_OF_(?:DEVICE_MEMORY|RESOURCES)|PI_ERROR_OUT_OF_RESOURCES"),
    _wording("errno", "host", r"\[Errno 12\] Cannot allocate memory"),
    _wording("bad-alloc", "host", r"std::bad_alloc"),
    _wording("python", "host", r"^(?:[\w.]{0,80}\.)?_?(?:Array)?MemoryError\b(?! +Traceback)"),
)  # fmt: skip

_PROCESS = Lazy(rf"Process\s+\d{{1,9}}\s+has\s+({SIZE})\s+memory in use")
_PINNED = ("pin_memory", "cudaHostAlloc", "_pin_memory", "CachingHostAllocator")


def recognise(sayings: Sayings) -> Iterator[Event]:
    for record, text, raised in sayings.messages(TRIGGERS):
        wording, start = _which(text)
        if wording is None:
            continue
        part = text[max(0, start - wording.ahead) : start + REACH]
        fields: dict[str, Value] = {"memory": _memory(wording, part, raised), "wording": wording.name}
        fields.update(_numbers(wording, part))
        frames = raised.event.frames if raised else ()
        failure = raised.event.failure if raised else record.level not in HARMLESS
        yield Event("memory-report", record, text[:REACH], fields, frames, failure)


def _which(text: str) -> tuple[Wording | None, int]:
    head = text[: 4 * REACH]
    for wording in WORDINGS:
        found = wording.mark.search(head)
        if found:
            return wording, found.start()
    return None, 0


def _memory(wording: Wording, text: str, raised: Raised | None) -> str:
    if wording.memory == "cuda" and text.startswith("HIP"):
        return "hip"
    if wording.memory == "cuda" and text.startswith("XPU"):
        return "xpu"
    frames = raised.event.frames[-2:] if raised else ()
    if wording.name == "bare" and any(mark in f.function + f.code for f in frames for mark in _PINNED):
        return "pinned"
    return wording.memory


def _numbers(wording: Wording, text: str) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for pattern in wording.fields:
        found = pattern.search(text)
        for name, value in found.groupdict().items() if found else ():
            if name not in fields:
                fields[name] = int(value) if name == "device" else to_bytes(value.replace(",", ""))
    if wording.name.startswith("torch"):
        others = [to_bytes(size) for size in _PROCESS.findall(text)]
        if others:
            fields["others"], fields["other_processes"] = sum(others), len(others)
    used, total = fields.pop("used", None), fields.get("total")
    if isinstance(used, int) and isinstance(total, int):
        fields["free"] = max(0, total - used)
    allocated, reserved, rest = (fields.get(name) for name in ("allocated", "reserved", "unallocated"))
    if isinstance(allocated, int) and isinstance(rest, int) and reserved is None:
        fields["reserved"] = allocated + rest
    elif isinstance(allocated, int) and isinstance(reserved, int) and rest is None:
        fields["unallocated"] = max(0, reserved - allocated)
    return fields
