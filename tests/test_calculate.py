"""The formulas against numbers worked out by hand and against what PyTorch and Transformers really hold."""

from __future__ import annotations

import json

import pytest

from faultbook.calculate import CALCULATORS, answer, calculate, size
from faultbook.schema import load_schema

torch = pytest.importorskip("torch")


def rows(id: str, **values) -> dict[str, float]:
    return {row.label: row.bytes for row in calculate(id, values)}


def test_the_schema_offers_exactly_these_calculators():
    assert load_schema("entry.schema.json")["properties"]["calculators"]["items"]["enum"] == list(CALCULATORS)


@pytest.mark.parametrize("id", CALCULATORS)
def test_defaults_are_within_their_own_bounds_and_give_rows(id):
    assert all(row.bytes > 0 for row in calculate(id, {}))


def test_kv_cache_is_what_a_transformers_cache_holds():
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=64, intermediate_size=64, num_hidden_layers=3, num_attention_heads=8, num_key_value_heads=2,
        vocab_size=32,
    )  # fmt: skip
    cache = transformers.LlamaForCausalLM(config)(torch.zeros(2, 5, dtype=torch.long)).past_key_values
    held = sum(tensor.nbytes for layer in cache.layers for tensor in (layer.keys, layer.values))
    computed = rows("kv-cache", layers=3, kv_heads=2, head_dim=8, element_bytes=4, tokens=5, sequences=2)
    assert computed["All sequences"] == held


def saved_square_matrices(tokens: int, run) -> int:
    """Bytes of distinct storages saved for backward that have tokens × tokens as their last two sizes."""
    seen = {}

    def pack(tensor):
        if tensor.shape[-2:] == (tokens, tokens) and tensor.dtype.is_floating_point:
            seen[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = run()
    assert result.requires_grad
    return sum(seen.values())


@pytest.mark.parametrize("dropout, matrices", [(0.0, 1), (0.1, 2)])
def test_attention_scores_are_what_autograd_saves(dropout, matrices):
    query, key, value = (torch.randn(2, 4, 48, 8, requires_grad=True) for _ in range(3))

    def attention():
        weights = torch.softmax(query @ key.transpose(-1, -2) * 8**-0.5, -1)
        # what nn.functional.dropout calls on a GPU: its mask is one byte an element
        return (torch.native_dropout(weights, dropout, True)[0] if dropout else weights) @ value

    computed = rows("attention-scores", layers=1, heads=4, batch=2, tokens=48, element_bytes=4, matrices=matrices)
    assert computed["Kept for backward in one layer"] == saved_square_matrices(48, attention)


def test_attention_scores_with_the_softmax_in_another_type():
    query, key, value = (torch.randn(2, 4, 48, 8, dtype=torch.bfloat16, requires_grad=True) for _ in range(3))

    def attention():
        scores = query @ key.transpose(-1, -2)
        return torch.softmax(scores, -1, dtype=torch.float32).to(torch.bfloat16) @ value

    computed = rows("attention-scores", layers=1, heads=4, batch=2, tokens=48, element_bytes=2, matrices=3)
    assert computed["Kept for backward in one layer"] == saved_square_matrices(48, attention)


@pytest.mark.parametrize(
    "recipe, make, dtype",
    [
        (0, lambda p: torch.optim.AdamW(p), torch.float32),
        (2, lambda p: torch.optim.AdamW(p), torch.bfloat16),
        (4, lambda p: torch.optim.SGD(p, momentum=0.9), torch.float32),
        (5, lambda p: torch.optim.SGD(p), torch.float32),
    ],
)
def test_optimizer_state_is_what_torch_optimizers_hold(recipe, make, dtype):
    weight = torch.nn.Parameter(torch.zeros(1000, 1000, dtype=dtype))
    optimizer = make([weight])
    weight.grad = torch.zeros_like(weight)
    optimizer.step()
    state = sum(
        value.nbytes
        for one in optimizer.state.values()
        for value in one.values()
        if torch.is_tensor(value) and value.ndim
    )
    computed = rows("optimizer-state", parameters=0.001, recipe=recipe, ranks=1)
    assert computed == pytest.approx({
        "Weights": weight.nbytes, "Gradients": weight.grad.nbytes, "Optimizer state": state,
        "Together, on each rank": weight.nbytes + weight.grad.nbytes + state,
    })  # fmt: skip


@pytest.mark.parametrize(
    "stage, together", [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)]
)  # the figures of the ZeRO paper: 7.5 billion parameters on 64 ranks, in GB
def test_zero_stages_as_in_the_paper(stage, together):
    computed = rows("optimizer-state", parameters=7.5, recipe=1, stage=stage, ranks=64)
    assert computed["Together, on each rank"] / 1e9 == pytest.approx(together, abs=0.06)


def test_activations_by_hand():
    # GPT-3 layer of the paper: s = 2048, b = 1, h = 12288, a = 96: sbh (34 + 5as/h) = 2048 * 12288 * (34 + 80)
    computed = rows("activations", layers=96, hidden=12288, heads=96, batch=1, tokens=2048, attention=1)
    assert computed["One layer"] == 2048 * 12288 * (34 + 80)
    assert rows("activations", layers=1, hidden=8, heads=1, batch=1, tokens=1)["One layer"] == 8 * 34


def test_loader_batches_by_hand():
    computed = rows("loader-batches", sample_mib=0.75, batch=16, workers=2, prefetch=2)
    assert computed["In /dev/shm at most"] == 6 * 12 * 2**20


@pytest.mark.parametrize(
    "value, says",
    [("x", "'x' is not a number"), (0, "from 1 to 10000, not 0"), (1e9, "from 1 to 10000"), ("nan", "from 1 to")],
)
def test_a_number_that_is_none_is_named(value, says):
    reply = json.loads(answer(json.dumps({"id": "kv-cache", "values": {"layers": value}})))
    assert says in reply["error"] and reply["error"].startswith("Layers")


def test_a_choice_takes_only_what_it_offers():
    with pytest.raises(ValueError, match="choose one of 4, 2, 1"):
        calculate("kv-cache", {"element_bytes": 3})


def test_sizes_for_people():
    assert [size(n) for n in (0, 1023, 1024, 3.5 * 2**30, 2**50)] == [
        "0 bytes", "1023 bytes", "1.00 KiB", "3.50 GiB", "1.00 PiB",
    ]  # fmt: skip
