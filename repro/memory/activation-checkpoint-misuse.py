"""Four ways to misuse torch.utils.checkpoint; with --fixed the same four networks use it as it is meant.

1. One checkpoint round twelve blocks: backward recomputes all of them at once, so the peak stays where it was.
2. The reentrant variant fed with an input that needs no gradient: the wrapped weights silently get none.
3. BatchNorm inside the wrapped part: its running statistics are updated by the recomputation as well.
4. A module that remembers something from its first call: the recomputation saves fewer tensors and is refused.
The first three end without an error and are counted; the fourth raises. Bytes are those of live CPU tensors, parameters
and their gradients left out; which tensors live at which moment does not depend on the device.
"""

import argparse
import weakref

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

WIDTH, TOKENS, BATCH, BLOCKS = 256, 128, 8, 12


class LiveBytes(TorchDispatchMode):
    """Bytes of tensor storages that are alive, and their peak; storages in `ignored` do not count."""

    def __init__(self, ignored):
        super().__init__()
        self.seen = {tensor.untyped_storage()._cdata for tensor in ignored}
        self.live = self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                self.count(tensor.untyped_storage())
        return out

    def count(self, storage):
        if storage._cdata in self.seen:
            return
        self.seen.add(storage._cdata)
        self.live += storage.nbytes()
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self.release, storage._cdata, storage.nbytes())

    def release(self, key, size):
        self.seen.discard(key)
        self.live -= size


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class RemembersScale(nn.Module):
    """Computes its scale in the first call and keeps it, or (`remember=False`) computes it each time."""

    def __init__(self, remember):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(WIDTH))
        self.remember, self.scale = remember, None

    def forward(self, x):
        scale = self.log_scale.exp() if self.scale is None else self.scale
        if self.remember:
            self.scale = scale
        return (x * scale).sin()


def peak_of_a_step(fixed):
    """MiB of activations at the highest point of one forward and backward pass."""
    blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
    for parameter in blocks.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with LiveBytes([t for p in blocks.parameters() for t in (p, p.grad)]) as memory:
        x = torch.randn(BATCH, TOKENS, WIDTH, requires_grad=True)
        for unit in blocks if fixed else [blocks]:
            x = checkpoint(unit, x, use_reentrant=False)
        x.sum().backward()
    return memory.peak / 2**20


def weights_without_gradient(fixed):
    """Trainable parameters that got no gradient although the loss depends on them."""
    embedding = nn.Embedding(TOKENS, WIDTH).requires_grad_(False)  # frozen, as under LoRA
    block, head = Block(), nn.Linear(WIDTH, 10)
    hidden = checkpoint(block, embedding(torch.arange(TOKENS)), use_reentrant=not fixed)
    head(hidden).sum().backward()
    return sum(p.grad is None for p in [*block.parameters(), *head.parameters()])


def batches_counted(fixed):
    """What BatchNorm has counted after one step."""
    conv, norm = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)
    images = torch.randn(4, 3, 16, 16, requires_grad=True)
    if fixed:
        out = norm(checkpoint(conv, images, use_reentrant=False))
    else:
        out = checkpoint(nn.Sequential(conv, norm), images, use_reentrant=False)
    out.relu().sum().backward()
    return norm.num_batches_tracked.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="wrap the right unit, in the right way")
    fixed = parser.parse_args().fixed
    torch.manual_seed(0)
    torch.set_num_threads(1)

    print(f"measure peak_mib={peak_of_a_step(fixed):.1f}", flush=True)
    print(f"measure weights_without_gradient={weights_without_gradient(fixed)}", flush=True)
    print(f"measure batches_counted_in_one_step={batches_counted(fixed)}", flush=True)

    module = RemembersScale(remember=not fixed)
    checkpoint(module, torch.randn(4, WIDTH, requires_grad=True), use_reentrant=False).sum().backward()
    print("backward finished")


if __name__ == "__main__":
    main()
