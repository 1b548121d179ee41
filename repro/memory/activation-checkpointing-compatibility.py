"""What else wants to control the backward pass of a checkpointed block, and which pairs fail.

A block runs under torch.utils.checkpoint while DistributedDataParallel (one process, gloo), autograd.grad or
backward(inputs=...) is in charge of backward. Every pair is tried for itself and its outcome printed.
Run plainly, the block uses the reentrant variant, and at the end one of the failing pairs is let through to
show its own traceback; with --fixed the block uses the non-reentrant variant and every pair trains.
"""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

WIDTH = 16
DDP_OPTIONS = {
    "plain": {},
    "find_unused_parameters": {"find_unused_parameters": True},
    "static_graph": {"static_graph": True},
}


class Net(nn.Module):
    """Two linear layers, the second one checkpointed and applied `uses` times."""

    def __init__(self, reentrant, uses=1):
        super().__init__()
        self.first, self.block, self.head = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.reentrant, self.uses = reentrant, uses

    def forward(self, x):
        x = self.first(x).relu()
        for _ in range(self.uses):
            x = checkpoint(self.block, x, use_reentrant=self.reentrant)
        return self.head(x).sum()


def train_with_ddp(reentrant, uses, options):
    model = DistributedDataParallel(Net(reentrant, uses), **options)
    for _ in range(3):
        model(torch.randn(4, WIDTH)).backward()


def gradient_of_input(reentrant):
    x = torch.randn(4, WIDTH, requires_grad=True)
    torch.autograd.grad(Net(reentrant)(x), x)


def gradient_of_weight(reentrant):
    model = Net(reentrant)
    torch.autograd.grad(model(torch.randn(4, WIDTH)), model.block.weight)


def backward_to_inputs(reentrant):
    x = torch.randn(4, WIDTH, requires_grad=True)
    Net(reentrant)(x).backward(inputs=[x])


def pairs():
    """(name, function of the variant) for each combination."""
    for uses, word in ((1, "block used once"), (2, "block used twice")):
        for name, options in DDP_OPTIONS.items():
            yield f"DDP {name}, {word}", lambda it, uses=uses, options=options: train_with_ddp(it, uses, options)
    yield "autograd.grad for an input", gradient_of_input
    yield "autograd.grad for a weight", gradient_of_weight
    yield "backward(inputs=...)", backward_to_inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="use the non-reentrant variant")
    reentrant = not parser.parse_args().fixed
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    failed = 0
    for name, run in pairs():
        try:
            run(reentrant)
            outcome = "trains"
        except RuntimeError:
            outcome, failed = "fails", failed + 1
        print(f"use_reentrant={reentrant}  {name:44} {outcome}", flush=True)
    print(f"measure failing_pairs={failed}", flush=True)

    train_with_ddp(reentrant, 1, DDP_OPTIONS["find_unused_parameters"])
    print("three steps with find_unused_parameters done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
