"""Enough cached memory in sum, no piece large enough: an out-of-memory error that is fragmentation.

Each round takes a 256 MiB work area, gives it back and carves two tensors out of it: a small one that lives
on and a large one that does not. Once the large ones are freed, every segment is mostly a hole, yet pinned
by its small tensor, so the allocator can neither join the holes nor return them to the driver. A request
larger than any hole and smaller than their sum then fails under the 2 GiB cap of this process.
With --fixed the same allocations run in expandable segments, whose free pages can be unmapped and mapped
again elsewhere.
"""

import argparse
import os
import sys

MIB = 1 << 20
CAP_MIB, SEGMENT_MIB, KEPT_MIB, ROUNDS, REQUEST_MIB = 2048, 256, 24, 7, 400


def claim(torch, mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def carve(torch):
    """The long-lived tensors; every other byte of their segments is free again when this returns."""
    kept, passing = [], []
    for _ in range(ROUNDS):
        work = claim(torch, SEGMENT_MIB)
        del work
        kept.append(claim(torch, KEPT_MIB))
        passing.append(claim(torch, SEGMENT_MIB - KEPT_MIB))
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="use expandable segments")
    if parser.parse_args().fixed:
        # Read once, when the allocator starts. This name works in every version; PYTORCH_ALLOC_CONF does not.
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
    import torch

    if not torch.cuda.is_available():
        print("skip: no CUDA device")
        sys.exit(77)
    total = torch.cuda.get_device_properties(0).total_memory
    if total < CAP_MIB * MIB:
        print(f"skip: the device has less than {CAP_MIB} MiB")
        sys.exit(77)
    torch.cuda.set_per_process_memory_fraction(CAP_MIB * MIB / total)
    kept = carve(torch)
    reserved, allocated = torch.cuda.memory_reserved() // MIB, torch.cuda.memory_allocated() // MIB
    print(f"{len(kept)} tensors live: {allocated} MiB of {reserved} MiB reserved; now asking for {REQUEST_MIB} MiB")
    block = claim(torch, REQUEST_MIB)
    print(f"served: {block.numel() // MIB} MiB in one block")


if __name__ == "__main__":
    main()
