"""A training step whose batch does not fit: the allocator refuses a block and names its numbers.

The process is capped at 1 GiB, so that the error comes at once on any card. Run plainly, one step is taken
with the whole batch and its activations break the cap; with --fixed the same batch is taken in
micro-batches whose gradients accumulate. After a step that fits, the four parts of the budget are printed.
"""

import argparse
import sys

import torch
from torch import nn
from torch.nn import functional as F

MIB = 1 << 20
CAP_MIB, BATCH_SIZE, WIDTH, LAYERS = 1024, 32768, 2048, 4


def cap_process():
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, CAP_MIB * MIB / total))


def build():
    torch.manual_seed(0)
    hidden = [layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
    model = nn.Sequential(*hidden, nn.Linear(WIDTH, 1)).cuda()
    return model, torch.optim.Adam(model.parameters())


def step(model, optimizer, micro_batch):
    """One optimizer step over BATCH_SIZE rows, in pieces of `micro_batch` rows."""
    for _ in range(BATCH_SIZE // micro_batch):
        inputs = torch.randn(micro_batch, WIDTH, device="cuda")
        loss = F.mse_loss(model(inputs).squeeze(1), inputs.mean(dim=1))
        (loss * micro_batch / BATCH_SIZE).backward()
    optimizer.step()


def size_mib(tensors):
    return sum(t.numel() * t.element_size() for t in tensors) / MIB


def print_budget(model, optimizer):
    parameters = list(model.parameters())
    weights = size_mib(parameters)
    gradients = size_mib(p.grad for p in parameters)
    moments = size_mib(t for state in optimizer.state.values() for t in state.values() if t.is_cuda)
    rest = torch.cuda.max_memory_allocated() / MIB - weights - gradients - moments
    print(f"weights {weights:.0f} MiB, gradients {gradients:.0f} MiB, Adam's moments {moments:.0f} MiB")
    print(f"activations and workspaces at the peak, at least {rest:.0f} MiB, cap {CAP_MIB} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="take the batch in micro-batches")
    micro_batch = BATCH_SIZE // 8 if parser.parse_args().fixed else BATCH_SIZE
    if not torch.cuda.is_available():
        print("skip: no CUDA device")
        sys.exit(77)
    cap_process()
    model, optimizer = build()
    step(model, optimizer, micro_batch)
    print_budget(model, optimizer)


if __name__ == "__main__":
    main()
