"""A frozen teacher costs activations when its forward pass is recorded, and its logits when they are kept for the loss.

One distillation step, a teacher of twelve blocks and a student of three with half the width. Run plainly, the
teacher is called like the student: autograd records it, all its tensors live until backward, and its weights even get
gradients. With --fixed the teacher runs under no_grad, only its last hidden state is kept, and the divergence is
computed in pieces. Counted are the bytes of live CPU tensors; weights and the student's gradients are left out.
"""

import argparse
import weakref

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

TOKENS, VOCABULARY, PIECES, TEMPERATURE = 1024, 4096, 16, 2.0


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
    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(depth)))
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def hidden(self, tokens):
        return self.blocks(self.embedding(tokens))


def divergence(student_logits, teacher_logits):
    """Kullback-Leibler divergence of the two distributions, summed over tokens."""
    ours = F.log_softmax(student_logits / TEMPERATURE, dim=-1)
    theirs = F.log_softmax(teacher_logits / TEMPERATURE, dim=-1)
    return F.kl_div(ours, theirs, log_target=True, reduction="sum")


def recorded_step(teacher, student, tokens, memory):
    start = memory.live
    teacher_logits = teacher.head(teacher.hidden(tokens))
    held = memory.live - start
    loss = divergence(student.head(student.hidden(tokens)), teacher_logits) / TOKENS
    loss.backward()
    return loss.item(), held


def frugal_step(teacher, student, tokens, memory):
    start = memory.live
    with torch.no_grad():
        theirs = teacher.hidden(tokens)
    held = memory.live - start

    def piece(our_rows, their_rows):
        with torch.no_grad():
            teacher_logits = teacher.head(their_rows)
        return divergence(student.head(our_rows), teacher_logits)

    ours = student.hidden(tokens)
    parts = zip(ours.chunk(PIECES), theirs.chunk(PIECES), strict=True)
    loss = sum(checkpoint(piece, some, their, use_reentrant=False) for some, their in parts) / TOKENS
    loss.backward()
    return loss.item(), held


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="no_grad for the teacher, divergence in pieces")
    step = frugal_step if parser.parse_args().fixed else recorded_step
    torch.manual_seed(0)
    torch.set_num_threads(1)

    teacher, student = Model(depth=12, width=384).eval(), Model(depth=3, width=192)
    for parameter in student.parameters():
        parameter.grad = torch.zeros_like(parameter)
    tokens = torch.randint(VOCABULARY, (TOKENS,))
    own = [tokens, *teacher.parameters()]
    own += [tensor for p in student.parameters() for tensor in (p, p.grad)]
    with LiveBytes(own) as memory:
        loss, held = step(teacher, student, tokens, memory)

    norm = sum(p.grad.square().sum() for p in student.parameters()).sqrt()
    print(f"loss {loss:.5f}, norm of the student's gradient {norm:.5f}")
    print(f"measure held_after_teacher_mib={held / 2**20:.1f}")
    print(f"measure peak_mib={memory.peak / 2**20:.1f}")
    print(f"measure teacher_weights_with_gradient={sum(p.grad is not None for p in teacher.parameters())}")


if __name__ == "__main__":
    main()
