"""Rank 1 runs out of memory, swallows the error and skips the step; rank 0 waits for it and is blamed.

Two ranks under torchrun, Gloo on the CPU. Rank 1 has a limit on its address space and gets one batch that is
too large: a real allocation failure of PyTorch's CPU allocator. Plain run: rank 1 catches it and leaves the
step, rank 0's all_reduce times out, and torchrun names rank 0. With --fixed: every rank tells the others
whether its step worked before the gradients are reduced, so all of them skip the batch together.
What NCCL's watchdog prints in place of Gloo's time-out needs two GPUs.
"""

import argparse
import datetime
import os
import resource
import sys
import time
import traceback
from pathlib import Path

import torch
import torch.distributed as dist

STEPS, BAD_STEP, TIMEOUT_S = 4, 2, 3
ROOM = 256 << 20  # address space that rank 1 may still grow by
BATCH, LARGE_BATCH = 1 << 20, 512 << 20  # bytes


def say(rank: int, text: str) -> None:
    """One write for the whole text, so that the ranks do not cut into each other's lines."""
    sys.stderr.write("".join(f"[rank{rank}]: {line}\n" for line in text.splitlines()))


def limit_address_space() -> None:
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + ROOM, mapped + ROOM))


def forward(rank: int, step: int) -> torch.Tensor:
    """Stands in for forward and backward; one batch of rank 1 is far longer than the others."""
    size = LARGE_BATCH if (rank, step) == (1, BAD_STEP) else BATCH
    return torch.empty(size, dtype=torch.uint8)[:4].fill_(1).float()


def all_ranks_ok(ok: bool, group: dist.ProcessGroup) -> bool:
    worked = torch.tensor([int(ok)])
    dist.all_reduce(worked, op=dist.ReduceOp.MIN, group=group)
    return bool(worked.item())


def train(fixed: bool) -> None:
    rank = int(os.environ["RANK"])
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    dist.barrier()  # both have started; only from here on is a short time-out fair
    group = dist.new_group(timeout=datetime.timedelta(seconds=TIMEOUT_S))
    if rank == 1:
        limit_address_space()
    for step in range(STEPS):
        gradient = None
        try:
            gradient = forward(rank, step)
        except RuntimeError as error:
            if "can't allocate memory" not in str(error):
                raise
            if not fixed:
                say(rank, f"step {step}: skipping this batch\n{traceback.format_exc()}")
                time.sleep(10 * TIMEOUT_S)  # alive and busy elsewhere: it never joins this step's all_reduce
                continue
        if fixed and not all_ranks_ok(gradient is not None, group):
            say(rank, f"step {step}: a rank could not do its batch, all skip it")
            continue
        dist.all_reduce(gradient, group=group)
        say(rank, f"step {step} done")
    dist.destroy_process_group()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="agree on the outcome before the all_reduce")
    args = parser.parse_args()
    if "RANK" in os.environ:
        train(args.fixed)
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    from torch.distributed.run import main as torchrun  # here, since only the launcher needs it

    torchrun(["--standalone", "--nproc-per-node=2", __file__, *sys.argv[1:]])


if __name__ == "__main__":
    main()
