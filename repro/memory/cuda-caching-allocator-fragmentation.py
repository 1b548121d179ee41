"""One kept tensor in each segment: how PyTorch's allocator comes to hold memory that nothing can use.

Layer by layer a loader makes a temporary of 530 MiB and keeps a result of 270 MiB, as a server does that
repacks weights. Made after the temporary was freed, each result lands at the start of the temporary's
segment, and the next temporary does not fit behind it. With --fixed the result's memory is taken while the
temporary is still alive, and one segment serves all temporaries.

There is no GPU here: the class below follows the rules of DeviceCachingAllocator (best fit, splitting,
merging within a segment, return of whole segments only), with the constants of the header that is installed
with torch. PyTorch's own viewer for memory snapshots draws the result.
"""

import argparse
import re
from pathlib import Path

import torch
from torch.cuda._memory_viz import segsum

MIB = 1 << 20
CAP, LAYERS, TEMPORARY, KEPT = 8192 * MIB, 16, 530 * MIB, 270 * MIB


def upstream_constants():
    """Sizes in bytes as c10/core/AllocatorConfig.h of the installed torch has them."""
    header = Path(torch.__file__).parent / "include/c10/core/AllocatorConfig.h"
    text = header.read_text(encoding="utf-8")
    found = {name: int(value) for name, value in re.findall(r"constexpr size_t (k\w+) = (\d+);", text)}
    found["kLargeBuffer"] = int(re.search(r"large_segment_size_\{(\d+)\}", text)[1])
    return found


K = upstream_constants()


class Allocator:
    """The native allocator on one stream, without expandable segments."""

    def __init__(self, cap):
        self.cap, self.segments = cap, []

    def malloc(self, requested):
        """The block that serves a request of so many bytes, or None where upstream raises."""
        size = -(-requested // K["kMinBlockSize"]) * K["kMinBlockSize"]
        found = self.best_fit(size) or self.new_segment(size)
        if found is None:
            self.empty_cache()
            found = self.new_segment(size)
        return found and self.take(*found, size, requested)

    def best_fit(self, size):
        small = size <= K["kSmallSize"]
        fits = [
            (block["size"], number, segment, block)
            for number, segment in enumerate(self.segments)
            for block in segment["blocks"]
            if segment["small"] == small and block["state"] == "inactive" and block["size"] >= size
        ]
        return min(fits, key=lambda fit: fit[:2])[2:] if fits else None

    def new_segment(self, size):
        small = size <= K["kSmallSize"]
        shared = K["kSmallBuffer"] if small else K["kLargeBuffer"]
        total = shared if size < K["kMinLargeAlloc"] else -(-size // K["kRoundLarge"]) * K["kRoundLarge"]
        if self.reserved() + total > self.cap:
            return None
        block = {"size": total, "state": "inactive"}
        self.segments.append({"total_size": total, "small": small, "stream": 0, "blocks": [block]})
        return self.segments[-1], block

    def take(self, segment, block, size, requested):
        rest = block["size"] - size
        if rest >= K["kMinBlockSize"] if segment["small"] else rest > K["kSmallSize"]:
            place = next(i for i, other in enumerate(segment["blocks"]) if other is block)
            segment["blocks"].insert(place + 1, {"size": rest, "state": "inactive"})
            block["size"] = size
        block.update(state="active_allocated", requested_size=requested)
        return block

    def free(self, block):
        """Merge with free neighbours; they can only be of the same segment."""
        block["state"] = "inactive"
        for segment in self.segments:
            merged = []
            for other in segment["blocks"]:
                if merged and merged[-1]["state"] == other["state"] == "inactive":
                    merged[-1]["size"] += other["size"]
                else:
                    merged.append(other)
            segment["blocks"] = merged

    def empty_cache(self):
        """Only a segment that is one free block goes back to the driver."""
        self.segments = [s for s in self.segments if [b["state"] for b in s["blocks"]] != ["inactive"]]

    def reserved(self):
        return sum(segment["total_size"] for segment in self.segments)

    def gaps(self):
        return [b["size"] for s in self.segments for b in s["blocks"] if b["state"] == "inactive"]


def load(allocator, kept_first):
    """Layers that could be loaded before a request was refused."""
    for layer in range(LAYERS):
        temporary = allocator.malloc(TEMPORARY)
        if temporary is None:
            return layer
        if not kept_first:
            allocator.free(temporary)
        if allocator.malloc(KEPT) is None:
            return layer
        if kept_first:
            allocator.free(temporary)
    return LAYERS


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="take the kept memory before the temporary is freed")
    args = parser.parse_args()
    print(f"rules of torch {torch.__version__}, constants: {K}")
    allocator = Allocator(CAP)
    loaded = load(allocator, kept_first=args.fixed)
    allocator.empty_cache()
    print(segsum({"segments": allocator.segments}))
    gaps = allocator.gaps()
    print(f"measure layers_loaded={loaded}")
    print(f"measure reserved_mib={allocator.reserved() // MIB}")
    print(f"measure gaps_after_empty_cache_mib={sum(gaps) // MIB}")
    print(f"measure largest_gap_mib={max(gaps, default=0) // MIB}")
    print(f"measure request_mib={TEMPORARY // MIB}")


if __name__ == "__main__":
    main()
