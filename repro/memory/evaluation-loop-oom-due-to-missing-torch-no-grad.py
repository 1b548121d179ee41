"""A validation loop that calls model.eval() and nothing else keeps what a backward pass would need.

Run plainly, the loop runs with gradients enabled; with --fixed the same loop runs under
torch.inference_mode(). It is run twice: once its logits are collected for a metric, once they are only
rebound to the same name. Counted are the bytes that autograd holds for a backward pass, parameters left out.
The count is taken on the CPU, where autograd keeps references by the same rule as on a GPU; nothing here
runs out of memory.
"""

import argparse
import contextlib
import weakref
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F

BATCHES, BATCH_SIZE, WIDTH, CLASSES = 10, 256, 1024, 10


class Saved:
    """Stands in for a saved tensor. Holds it detached: a node that holds its own output would never die."""

    def __init__(self, tensor):
        self.tensor = tensor.detach()


class HeldForBackward:
    """Bytes of distinct storages that autograd holds, now and at most; the parameters are not counted."""

    def __init__(self, model):
        self.parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
        self.holders, self.size, self.peak = Counter(), {}, 0.0

    def pack(self, tensor):
        storage, saved = tensor.untyped_storage(), Saved(tensor)
        if (key := storage.data_ptr()) not in self.parameters:
            self.size[key] = storage.nbytes()
            self.holders[key] += 1
            weakref.finalize(saved, self.release, key)
            self.peak = max(self.peak, self.mib)
        return saved

    def release(self, key):
        self.holders[key] -= 1
        if not self.holders[key]:
            del self.holders[key], self.size[key]

    @property
    def mib(self):
        return sum(self.size.values()) / 2**20

    def watch(self):
        return torch.autograd.graph.saved_tensors_hooks(self.pack, lambda saved: saved.tensor)


def build():
    torch.manual_seed(0)
    hidden = [layer for _ in range(4) for layer in (nn.Linear(WIDTH, WIDTH), nn.GELU())]
    return nn.Sequential(*hidden, nn.Linear(WIDTH, CLASSES))


def validate(grad_mode, keep):
    """Mean loss over the validation set; `keep` collects the logits as metric code does."""
    model = build().eval()
    held, collected = HeldForBackward(model), []
    with held.watch(), grad_mode():
        for number in range(1, BATCHES + 1):
            logits = model(torch.randn(BATCH_SIZE, WIDTH))
            loss = F.cross_entropy(logits, torch.randint(CLASSES, (BATCH_SIZE,)))
            if keep:
                collected.append(logits)
                # print() with commas: an f-string would show a 0-dim tensor as a bare number, without grad_fn
                print("eval batch", number, "loss", loss, "held_for_backward", f"{held.mib:.2f} MiB")
    end = held.mib
    collected.clear()
    del logits, loss
    return held.peak, end, held.mib


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="evaluate under torch.inference_mode()")
    grad_mode = torch.inference_mode if parser.parse_args().fixed else contextlib.nullcontext

    _, collected, cleared = validate(grad_mode, keep=True)
    peak, rebound, _ = validate(grad_mode, keep=False)
    print(f"measure held_mib_logits_collected={collected:.2f}")
    print(f"measure held_mib_after_clearing={cleared:.2f}")
    print(f"measure held_mib_logits_rebound={rebound:.2f}")
    print(f"measure peak_mib_logits_rebound={peak:.2f}")


if __name__ == "__main__":
    main()
