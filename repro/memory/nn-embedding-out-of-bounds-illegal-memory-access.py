"""A token id that the embedding table has no row for.

Two tokens are added to the vocabulary and the model is not told. Run plainly, the lookup is refused: on the
CPU with an IndexError at the right line; on a machine with CUDA a child process first shows what the GPU
says instead, a device-side assert and a context in which nothing works any more.
With --fixed the table gets a row for each id and the ids are checked against it before they reach the model.
"""

import argparse
import subprocess
import sys

import torch
from torch import nn

VOCABULARY = ["<pad>", "<s>", "</s>", "the", "loss", "went", "to", "zero"]
ADDED = ["<tool>", "</tool>"]  # a fine-tuning script adds these to the tokenizer
WIDTH = 16


class Tagger(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.embedding = nn.Embedding(rows, WIDTH)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, ids):
        return self.head(self.embedding(ids))


def encode(tokens):
    ids = {token: number for number, token in enumerate(VOCABULARY + ADDED)}
    return torch.tensor([[ids[token] for token in tokens]])


def resize(old, rows):
    """A table with `rows` rows that keeps the trained ones; new rows start at the mean of the old ones."""
    new = nn.Embedding(rows, old.embedding_dim)
    with torch.no_grad():
        new.weight[:] = old.weight.mean(dim=0)
        new.weight[: old.num_embeddings] = old.weight
    return new


def check_ids(ids, rows):
    wrong = ids[(ids < 0) | (ids >= rows)].unique().tolist()
    if wrong:
        raise ValueError(f"ids {wrong} are outside the table of {rows} rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="give the table a row for each id")
    parser.add_argument("--on-gpu", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    model = Tagger(len(VOCABULARY))
    ids = encode(["<s>", "<tool>", "the", "loss", "</tool>", "</s>"])
    print(f"table of {model.embedding.num_embeddings} rows, ids from {ids.min()} to {ids.max()}", flush=True)

    if arguments.fixed:
        model.embedding = resize(model.embedding, len(VOCABULARY) + len(ADDED))
        check_ids(ids, model.embedding.num_embeddings)
        print(f"table of {model.embedding.num_embeddings} rows, output of shape {tuple(model(ids).shape)}")
    elif arguments.on_gpu:
        model.cuda()(ids.cuda())
        torch.cuda.synchronize()
    else:
        if torch.cuda.is_available():  # in a child: an assert leaves the CUDA context of its process unusable
            subprocess.run([sys.executable, __file__, "--on-gpu"], check=False)
        model(ids)


if __name__ == "__main__":
    main()
