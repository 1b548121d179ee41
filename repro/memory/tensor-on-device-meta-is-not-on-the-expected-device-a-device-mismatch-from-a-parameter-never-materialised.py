"""A model built empty, whose head never got its data.

The checkpoint calls the head by another name, so nothing fills it, and it stays on the meta device. Run
plainly: a bias-free layer computes numbers from memory that nobody wrote (counted, not shown), a lookup
returns a tensor without data, and only the LayerNorm refuses, in the middle of the forward pass.
With --fixed the names are mapped, the load is strict with assign=True, and no parameter is left on meta.
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import torch
from accelerate import init_empty_weights
from safetensors.torch import load_file, save_file
from torch import nn

WIDTH, TOKENS, LABELS = 16, 32, 4


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, LABELS, bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.embedding(ids)).mean(dim=1))


def publish(path):
    """The checkpoint, saved by an older version of the class that said `ln` and `score`."""
    torch.manual_seed(0)
    state = Classifier().state_dict()
    old = {name.replace("norm.", "ln.").replace("head.", "score."): tensor for name, tensor in state.items()}
    save_file(old, path, metadata={"format": "pt"})


def on_meta(model):
    tensors = [*model.named_parameters(), *model.named_buffers()]
    return [name for name, tensor in tensors if tensor.is_meta]


def silent(model):
    """Operations that accept a tensor without data: how many did not raise."""
    calls = (
        lambda: nn.functional.linear(torch.ones(1, WIDTH), model.head.weight),
        lambda: nn.functional.embedding(torch.tensor([1]), model.head.weight),
        lambda: torch.ones(1, WIDTH) @ model.head.weight.t(),
    )
    passed = 0
    for call in calls:
        try:
            call()
            passed += 1
        except RuntimeError:
            pass
    return passed


def load(model, state, fixed):
    if fixed:
        state = {name.replace("ln.", "norm.").replace("score.", "head."): tensor for name, tensor in state.items()}
        model.load_state_dict(state, assign=True)  # strict: a name without data raises here, by name
        return
    missing, unexpected = model.load_state_dict(state, strict=False, assign=True)
    print("missing", missing, "unexpected", unexpected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="map the names and load strictly with assign=True")
    fixed = parser.parse_args().fixed
    warnings.simplefilter("default")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        publish(path)
        with init_empty_weights():
            model = Classifier().eval()
        load(model, load_file(path), fixed)
    print("without data:", on_meta(model))
    print(f"measure tensors_without_data={len(on_meta(model))}")
    print(f"measure operations_that_did_not_complain={silent(model) if on_meta(model) else 0}", flush=True)
    with torch.no_grad():
        print("labels", model(torch.tensor([[1, 5, 9]])).argmax(-1).tolist())


if __name__ == "__main__":
    main()
