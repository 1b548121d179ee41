"""Summing loss tensors for a log line keeps their graphs; summing floats does not.

Two loops of equal length are run: one only monitors the loss (no backward pass, so each graph still has its
activations) and one trains (backward() frees the activations, so only bare graph nodes stay).
Run plainly, both add the loss tensor to a running total; with --fixed they add loss.item().
Counted are the bytes that autograd holds for a backward pass, parameters left out. The count is taken on
the CPU, where autograd keeps references by the same rule as on a GPU; nothing here runs out of memory.
"""

import argparse
import weakref
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH_SIZE, WIDTH, CLASSES = 20, 256, 1024, 10


class Saved:
    """Stands in for a saved tensor. Holds it detached: a node that holds its own output would never die."""

    def __init__(self, tensor):
        self.tensor = tensor.detach()


class HeldForBackward:
    """Bytes of distinct storages that autograd holds at this moment; the parameters are not counted."""

    def __init__(self, model):
        self.parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
        self.holders, self.size = Counter(), {}

    def pack(self, tensor):
        storage, saved = tensor.untyped_storage(), Saved(tensor)
        if (key := storage.data_ptr()) not in self.parameters:
            self.size[key] = storage.nbytes()
            self.holders[key] += 1
            weakref.finalize(saved, self.release, key)
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


def nodes_behind(total):
    """Graph nodes that a running total keeps alive; 0 for a float."""
    seen, todo = set(), [getattr(total, "grad_fn", None)]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(parent for parent, _ in node.next_functions)
    return len(seen)


def build():
    torch.manual_seed(0)
    hidden = [layer for _ in range(2) for layer in (nn.Linear(WIDTH, WIDTH), nn.GELU())]
    return nn.Sequential(*hidden, nn.Linear(WIDTH, CLASSES))


def run(name, value_of, train):
    """STEPS steps with a running total of the loss; returns MiB held and graph nodes alive at the end."""
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    held, running_loss = HeldForBackward(model), 0.0
    with held.watch():
        for step in range(1, STEPS + 1):
            logits = model(torch.randn(BATCH_SIZE, WIDTH))
            loss = F.cross_entropy(logits, torch.randint(CLASSES, (BATCH_SIZE,)))
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            running_loss += value_of(loss)
            del logits, loss
            # print() with commas: an f-string would show a 0-dim tensor as a bare number, without grad_fn
            print(name, "step", step, "running_loss", running_loss, "held_for_backward", f"{held.mib:.2f} MiB")
    return held.mib, nodes_behind(running_loss)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="add loss.item() instead of the loss tensor")
    value_of = torch.Tensor.item if parser.parse_args().fixed else (lambda loss: loss)

    held, _ = run("monitor", value_of, train=False)
    print(f"measure held_mib_without_backward={held:.2f}")
    held, nodes = run("train", value_of, train=True)
    print(f"measure held_mib_with_backward={held:.2f}")
    print(f"measure graph_nodes_with_backward={nodes}")


if __name__ == "__main__":
    main()
