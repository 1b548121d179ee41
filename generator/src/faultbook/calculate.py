"""Memory formulas for the reader's own model. Standard library only: the browser runs this file unchanged.

A calculator takes numbers by name and gives rows of bytes. `CALCULATORS` is the table that pages are built from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

Values = Mapping[str, float]


class Input(NamedTuple):
    """A number with its bounds, or with `options` a choice of one of (label, value)."""

    name: str
    label: str
    default: float
    low: float = 1
    high: float = 1e6
    options: tuple[tuple[str, float], ...] = ()


class Row(NamedTuple):
    """One line of the answer: `bytes`, and what it is made of in words."""

    label: str
    bytes: float
    note: str = ""


class Calculator(NamedTuple):
    """`formula` is shown as it stands; `source` is the address of what it was read from or measured against."""

    id: str
    title: str
    formula: str
    source: str
    inputs: tuple[Input, ...]
    rows: Callable[[Values], tuple[Row, ...]]


_ELEMENT = (("fp32 (4 bytes)", 4), ("bf16 or fp16 (2 bytes)", 2), ("fp8 or int8 (1 byte)", 1))
_HALF = Input("element_bytes", "Bytes of an element", 2, options=_ELEMENT)
_LAYERS = Input("layers", "Layers", 32, high=10_000)
_BATCH = Input("batch", "Sequences in the micro-batch", 1, high=100_000)
_TOKENS = Input("tokens", "Tokens in a sequence", 4096, high=100_000_000)


def _kv_cache(it: Values) -> tuple[Row, ...]:
    token = 2 * it["layers"] * it["kv_heads"] * it["head_dim"] * it["element_bytes"]
    sequence = token * it["tokens"]
    return (
        Row("One token", token, "a key and a value in every layer"),
        Row("One sequence", sequence),
        Row("All sequences", sequence * it["sequences"]),
    )


def _attention_scores(it: Values) -> tuple[Row, ...]:
    one = it["batch"] * it["heads"] * it["tokens"] ** 2 * it["element_bytes"]
    saved = one * it["matrices"]
    return (
        Row("One score matrix", one, "batch × heads × tokens²"),
        Row("Kept for backward in one layer", saved),
        Row("Kept for backward in all layers", saved * it["layers"], "without activation checkpointing"),
        Row("The same at twice the tokens", 4 * saved * it["layers"]),
    )


# (weights, gradients, optimizer state) in bytes for one parameter
_RECIPES = {
    0: (4, 4, 8),  # AdamW, all in fp32
    1: (2, 2, 12),  # AdamW, mixed precision: fp32 master weights and two fp32 moments
    2: (2, 2, 4),  # AdamW, all in bf16
    3: (4, 4, 2),  # 8-bit Adam, fp32 weights
    4: (4, 4, 4),  # SGD with momentum, fp32
    5: (4, 4, 0),  # SGD, fp32
}


def _optimizer_state(it: Values) -> tuple[Row, ...]:
    parameters = it["parameters"] * 1e9
    stage, ranks = it["stage"], it["ranks"]
    # ZeRO 1 shards the optimizer state, 2 the gradients too, 3 the weights too.
    shares = [ranks if stage >= needed else 1 for needed in (3, 2, 1)]
    weights, gradients, state = (
        size * parameters / share for size, share in zip(_RECIPES[int(it["recipe"])], shares, strict=True)
    )
    return (
        Row("Weights", weights),
        Row("Gradients", gradients),
        Row("Optimizer state", state, "made at the first step"),
        Row("Together, on each rank", weights + gradients + state, "without activations and buffers"),
    )


def _activations(it: Values) -> tuple[Row, ...]:
    plane = it["tokens"] * it["batch"] * it["hidden"]
    scores = 5 * it["heads"] * it["tokens"] / it["hidden"] if it["attention"] == 1 else 0
    ranks = it["ranks"]
    layer = plane * (10 + 24 / ranks + scores / ranks)
    full = plane * 2
    return (
        Row("One layer", layer),
        Row("All layers", layer * it["layers"]),
        Row("All layers, each checkpointed", full * it["layers"] + layer, "their inputs, and one layer at work"),
    )  # fmt: skip


def _logits(it: Values) -> tuple[Row, ...]:
    numbers = it["batch"] * it["tokens"] * it["vocabulary"]
    return (
        Row("Logits as the model gives them", numbers * it["element_bytes"]),
        Row("A float32 copy for the loss", numbers * 4),
        Row("Log-probabilities kept for backward", numbers * 4),
    )


def _loader(it: Values) -> tuple[Row, ...]:
    one = it["sample_mib"] * 2**20 * it["batch"]
    return (
        Row("One batch", one),
        Row("In /dev/shm at most", one * (it["workers"] * it["prefetch"] + 2), "queued, in use and next"),
        Row("All ranks of the node", one * (it["workers"] * it["prefetch"] + 2) * it["ranks"]),
    )


CALCULATORS: Mapping[str, Calculator] = {
    it.id: it
    for it in (
        Calculator(
            "kv-cache", "Size of a KV cache",
            "2 × layers × KV heads × head size × bytes of an element × tokens × sequences",
            "https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/cache_utils.py",
            (
                _LAYERS,
                Input("kv_heads", "KV heads (with GQA fewer than heads; those of one rank)", 8, high=10_000),
                Input("head_dim", "Size of a head", 128, high=100_000),
                _HALF, _TOKENS,
                Input("sequences", "Sequences at the same time", 16, high=1_000_000),
            ),
            _kv_cache,
        ),
        Calculator(
            "attention-scores", "Score matrices of attention that is not fused",
            "batch × heads × tokens² × bytes of an element × matrices kept × layers",
            "https://arxiv.org/abs/2205.05198",
            (
                _LAYERS, Input("heads", "Heads", 32, high=10_000), _BATCH, _TOKENS, _HALF,
                Input("matrices", "Matrices kept for backward in a layer", 1, high=10,
                      options=(("1: the softmax's output", 1), ("2: and its dropout's output", 2),
                               ("3: softmax in fp32, the rest in half precision", 3))),
            ),
            _attention_scores,
        ),
        Calculator(
            "optimizer-state", "Weights, gradients and optimizer state",
            "parameters × bytes for each of the three, sharded as the ZeRO stage says",
            "https://arxiv.org/abs/1910.02054",
            (
                Input("parameters", "Parameters, in billions", 7, low=0.001, high=100_000),
                Input("recipe", "Optimizer and types", 1, options=(
                    ("AdamW, mixed precision with fp32 master weights", 1), ("AdamW, all fp32", 0),
                    ("AdamW, all bf16", 2), ("8-bit Adam, fp32 weights", 3),
                    ("SGD with momentum, fp32", 4), ("SGD, fp32", 5),
                )),
                Input("stage", "ZeRO stage", 0, low=0, high=3, options=(
                    ("0 (or DDP)", 0), ("1: optimizer state", 1),
                    ("2: and gradients", 2), ("3: and weights (or FSDP)", 3),
                )),
                Input("ranks", "Data-parallel ranks", 8, high=1_000_000),
            ),
            _optimizer_state,
        ),
        Calculator(
            "activations", "Activations of transformer layers in half precision",
            "tokens × batch × hidden × (10 + 24/t + 5 × heads × tokens / (hidden × t)), t tensor-parallel ranks; "
            "the last term only where attention writes its score matrices",
            "https://arxiv.org/abs/2205.05198",
            (
                _LAYERS, Input("hidden", "Hidden size", 4096, high=10_000_000),
                Input("heads", "Heads", 32, high=10_000),
                _BATCH, _TOKENS,
                Input("attention", "Attention", 0, low=0,
                      options=(("fused (flash, memory-efficient)", 0), ("writes its scores", 1))),
                Input("ranks", "Tensor-parallel ranks", 1, high=100_000),
            ),
            _activations,
        ),
        Calculator(
            "logits", "Logits of a language model",
            "batch × tokens × vocabulary × bytes, once for each copy",
            "https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/loss/loss_utils.py",
            (_BATCH, _TOKENS, Input("vocabulary", "Vocabulary", 128_256, high=100_000_000), _HALF),
            _logits,
        ),
        Calculator(
            "loader-batches", "Batches in /dev/shm",
            "(workers × prefetch_factor + 2) × batch × bytes of a sample",
            "https://github.com/pytorch/pytorch/blob/v2.9.0/torch/utils/data/dataloader.py",
            (
                Input("sample_mib", "MiB of one sample", 0.574, low=0.000001, high=1_000_000),
                Input("batch", "Samples in a batch", 64, high=10_000_000),
                Input("workers", "num_workers", 4, high=10_000), Input("prefetch", "prefetch_factor", 2, high=10_000),
                Input("ranks", "Ranks on the node", 1, high=1_000),
            ),
            _loader,
        ),
    )
}  # fmt: skip


def calculate(id: str, given: Mapping[str, object]) -> tuple[Row, ...]:
    """The rows for `given`; a missing number takes its default. Raises ValueError saying which number is no good."""
    calculator = CALCULATORS[id]
    return calculator.rows({it.name: _number(it, given.get(it.name, it.default)) for it in calculator.inputs})


def _number(it: Input, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"{it.label}: {value!r} is not a number") from None
    allowed = [option for _, option in it.options]
    if allowed and number not in allowed:
        raise ValueError(f"{it.label}: choose one of {', '.join(f'{option:g}' for option in allowed)}")
    if not allowed and not it.low <= number <= it.high:
        raise ValueError(f"{it.label}: from {it.low:g} to {it.high:g}, not {number:g}")
    return number


def size(count: float) -> str:
    """Bytes for people: `3.50 GiB`; whole below a KiB."""
    for unit, factor in (("PiB", 2**50), ("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{count / factor:.2f} {unit}"
    return f"{count:.0f} bytes"


def answer(request: str) -> str:
    """The browser's door: `{"id", "values"}` in, `{"rows": [[label, size, note]]}` or `{"error"}` out, as JSON."""
    try:
        asked = json.loads(request)
        rows = calculate(asked["id"], asked["values"])
        return json.dumps({"rows": [[row.label, size(row.bytes), row.note] for row in rows]})
    except (ValueError, KeyError) as error:
        return json.dumps({"error": str(error)})
