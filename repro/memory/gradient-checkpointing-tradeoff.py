"""The cost curve of activation checkpointing: what each setting keeps, what its peak is, what it computes again.

A small network of twelve blocks with a vocabulary head takes one training step under several settings.
Live tensor bytes and floating-point operations are counted, not timed: both are the same on every machine.
Run plainly, the all-or-nothing switch is used (every block) although the budget would allow more; with --fixed
the cheapest setting whose peak still fits the budget is taken from the same curve.
"""

import argparse
import weakref
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode

BLOCKS, WIDTH, TOKENS, VOCABULARY = 12, 192, 1024, 4096
BUDGET_MIB = 110
MATMULS = {torch.ops.aten.mm.default, torch.ops.aten.addmm.default}


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
    runs = 0

    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        Block.runs += 1
        return x + self.down(F.gelu(self.up(self.norm(x))))


def keep_matmuls(context, operator, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if operator in MATMULS else CheckpointPolicy.PREFER_RECOMPUTE


def every(share):
    """Checkpoint a number of the blocks, spread evenly."""

    def run(blocks, x):
        for index, block in enumerate(blocks):
            wrapped = (index + 1) * share // BLOCKS > index * share // BLOCKS
            x = checkpoint(block, x, use_reentrant=False) if wrapped else block(x)
        return x

    return run


def segments(length):
    """Checkpoint groups of `length` blocks."""

    def run(blocks, x):
        for start in range(0, BLOCKS, length):
            x = checkpoint(blocks[start : start + length], x, use_reentrant=False)
        return x

    return run


def selective(blocks, x):
    """Checkpoint every block, and keep what its matrix products gave."""
    contexts = partial(create_selective_checkpoint_contexts, keep_matmuls)
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False, context_fn=contexts)
    return x


SETTINGS = {
    "nothing": every(0),
    "3 of 12": every(3),
    "6 of 12": every(6),
    "9 of 12": every(9),
    "all, one by one": every(12),
    "all, in threes": segments(3),
    "all at once": segments(12),
    "all but matmuls": selective,
}


def measure(forward, model, count):
    """(MiB alive after forward, MiB at the peak) or (operations, block runs) of one training step."""
    blocks, head = model
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    Block.runs = 0
    own = [tensor for p in model.parameters() for tensor in (p, p.grad)]
    with LiveBytes(own) if count == "bytes" else FlopCounterMode(display=False) as counter:
        hidden = forward(blocks, torch.randn(TOKENS, WIDTH, requires_grad=True))
        kept = counter.live if count == "bytes" else 0
        F.cross_entropy(head(hidden), torch.randint(VOCABULARY, (TOKENS,))).backward()
    if count == "bytes":
        return kept / 2**20, counter.peak / 2**20
    return counter.get_total_flops(), Block.runs


def curve():
    """{name: (MiB kept, MiB peak, operations relative to no checkpointing, block runs)}."""
    model = nn.ModuleList([nn.Sequential(*(Block() for _ in range(BLOCKS))), nn.Linear(WIDTH, VOCABULARY)])
    rows, base = {}, None
    for name, forward in SETTINGS.items():
        kept, peak = measure(forward, model, "bytes")
        flops, runs = measure(forward, model, "operations")
        base = base or flops
        rows[name] = (kept, peak, flops / base, runs)
        print(f"{name:16} kept {kept:6.1f} MiB  peak {peak:6.1f} MiB  operations x{flops / base:.2f}  runs {runs}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="choose the cheapest setting that fits")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    choose_from_curve = parser.parse_args().fixed

    rows = curve()
    if choose_from_curve:
        fitting = [name for name, row in rows.items() if row[1] <= BUDGET_MIB]
        chosen = min(fitting, key=lambda name: (rows[name][2], rows[name][1]))
    else:
        chosen = "all, one by one"
    _, peak, cost, _ = rows[chosen]
    print(f"chosen: {chosen}")
    print(f"measure peak_mib={peak:.1f}")
    print(f"measure recomputed_percent={100 * (cost - 1):.1f}")
    print(f"measure unused_budget_mib={BUDGET_MIB - peak:.1f}")


if __name__ == "__main__":
    main()
