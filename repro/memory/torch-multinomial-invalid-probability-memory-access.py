"""Sampling from probabilities that are not probabilities: nan after an overflow, nan after a full mask.

Run plainly, a small decoder in half precision divides its logits by a low temperature. They pass 65504, the
largest number of float16, become inf, and softmax turns inf into nan. A row in which every token is masked
does the same without any overflow. torch.multinomial refuses both.
With --fixed the logits are scaled in float32 and the mask leaves one token allowed.
On a machine with CUDA a child process also shows what the GPU prints for the same tensor.
"""

import argparse
import subprocess
import sys

import torch
from torch.nn import functional as F

VOCABULARY, WIDTH, END = 12, 8, 2
TEMPERATURE = 1e-4


def last_hidden_state():
    """Made-up activations of two prompts (2, WIDTH) and an output layer (VOCABULARY, WIDTH)."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, WIDTH, generator=generator) * 4, torch.randn(VOCABULARY, WIDTH, generator=generator)


def probabilities(fixed, allowed):
    """(2, VOCABULARY) next-token probabilities under the mask `allowed` of the same shape."""
    hidden, head = last_hidden_state()
    logits = (hidden @ head.T).half()
    if fixed:
        logits = logits.float()  # the division below needs more than float16's range
        stuck = ~allowed.any(dim=-1)
        allowed = allowed.clone()
        allowed[stuck, END] = True  # a prompt with no legal continuation ends
    logits = logits / TEMPERATURE
    return F.softmax(logits.masked_fill(~allowed, float("-inf")), dim=-1)


def describe(name, probs):
    finite = torch.isfinite(probs).all().item()
    print(f"{name}: finite {finite}, row sums {probs.sum(-1).tolist()}", flush=True)


def sample(probs):
    return torch.multinomial(probs, num_samples=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="float32 logits and a mask that leaves a token")
    parser.add_argument("--on-gpu", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()

    everything = torch.ones(2, VOCABULARY, dtype=torch.bool)
    nothing_left = everything.clone()
    nothing_left[1] = False  # a grammar or a bad-words list that forbids each token for the second prompt
    overflow = probabilities(arguments.fixed, everything)
    masked = probabilities(arguments.fixed, nothing_left)
    if arguments.on_gpu:
        sample(overflow.cuda())
        torch.cuda.synchronize()
        return
    describe("low temperature", overflow)
    describe("fully masked row", masked)
    if not arguments.fixed and torch.cuda.is_available():  # in a child: an assert ends its CUDA context
        subprocess.run([sys.executable, __file__, "--on-gpu"], check=False)
    print("next tokens", sample(overflow).flatten().tolist(), sample(masked).flatten().tolist())


if __name__ == "__main__":
    main()
