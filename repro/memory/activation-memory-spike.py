"""One operation decides the peak of a whole step: the vocabulary projection and its cross-entropy.

A stack of blocks and a head of 16000 words take one training step in bfloat16. Every live tensor is counted, and with
it the operation at which the step's highest point is reached. Run plainly, the loss is written as language models
usually write it: logits, a float32 copy, a shifted contiguous copy, cross_entropy. With --fixed the same loss is
computed in pieces and nothing else is changed.
"""

import argparse
import weakref

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

SEQUENCES, LENGTH, WIDTH, VOCABULARY, BLOCKS, PIECES = 4, 256, 256, 16000, 8, 16


class LiveBytes(TorchDispatchMode):
    """Bytes of tensor storages that are alive, their peak, and the operation that reached it."""

    def __init__(self, ignored):
        super().__init__()
        self.seen = {tensor.untyped_storage()._cdata for tensor in ignored}
        self.live = self.peak = 0
        self.at = None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                self.count(tensor.untyped_storage(), func)
        return out

    def count(self, storage, func):
        if storage._cdata in self.seen:
            return
        self.seen.add(storage._cdata)
        self.live += storage.nbytes()
        if self.live > self.peak:
            self.peak, self.at = self.live, func
        weakref.finalize(storage, self.release, storage._cdata, storage.nbytes())

    def release(self, key, size):
        self.seen.discard(key)
        self.live -= size


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def loss_in_one_piece(hidden, head, tokens):
    logits = head(hidden).float()
    shifted, labels = logits[:, :-1].contiguous(), tokens[:, 1:]
    return F.cross_entropy(shifted.view(-1, VOCABULARY), labels.reshape(-1))


def loss_in_pieces(hidden, head, tokens):
    """The same value; only one piece's logits exist at a time, and backward makes them again."""

    def piece(rows, labels):
        return F.cross_entropy(head(rows).float(), labels, reduction="sum")

    rows, labels = hidden[:, :-1].reshape(-1, WIDTH), tokens[:, 1:].reshape(-1)
    parts = zip(rows.chunk(PIECES), labels.chunk(PIECES), strict=True)
    return sum(checkpoint(piece, some, wanted, use_reentrant=False) for some, wanted in parts) / len(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="compute the loss in pieces")
    loss_of = loss_in_pieces if parser.parse_args().fixed else loss_in_one_piece
    torch.manual_seed(0)
    torch.set_num_threads(1)

    blocks = nn.Sequential(*(Block() for _ in range(BLOCKS))).bfloat16()
    head = nn.Linear(WIDTH, VOCABULARY, bias=False).bfloat16()
    parameters = [*blocks.parameters(), *head.parameters()]
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    tokens = torch.randint(VOCABULARY, (SEQUENCES, LENGTH))

    with LiveBytes([tokens, *parameters, *(p.grad for p in parameters)]) as memory:
        hidden = blocks(torch.randn(SEQUENCES, LENGTH, WIDTH, dtype=torch.bfloat16, requires_grad=True))
        before_loss = memory.live
        loss = loss_of(hidden, head, tokens)
        loss.backward()
        del hidden
    after_step = memory.live

    logits = SEQUENCES * LENGTH * VOCABULARY * 2
    mib = 2**20
    print(f"loss {loss.item():.4f}, logits {logits / mib:.1f} MiB, all blocks {before_loss / mib:.1f} MiB")
    print(f"peak at {memory.at}, {after_step / mib:.1f} MiB left after the step")
    print(f"measure peak_mib={memory.peak / mib:.1f}")
    print(f"measure peak_over_blocks={memory.peak / before_loss:.2f}")
    print(f"measure spike_in_logits={(memory.peak - before_loss) / logits:.2f}")


if __name__ == "__main__":
    main()
