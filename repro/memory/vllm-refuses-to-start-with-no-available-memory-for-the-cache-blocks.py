"""Why a server that plans its key/value cache from a share of the card can end with no room for a single block.

The sum is vLLM's: share of the card, minus weights, minus the peak of one forward pass at the largest batch of
prefill tokens, gives the bytes for cache blocks. Every term is measured on a small Llama from Transformers (weights,
peak of temporaries, bytes of cache a token); only the size of the "card" is set by hand, and vLLM itself is not run.
Run plainly, the share is too small for weights and peak, so no block is left. With --fixed the share is raised; the
planned pool is then allocated, a request of full length is run beside it, and the peak stays within the share.
"""

import argparse
import warnings

import torch
import transformers
from torch.distributed._tools.mem_tracker import MemTracker
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

CARD = 400 * 2**20  # stands for total GPU memory
BLOCK = 16  # tokens in a cache block
MAX_MODEL_LEN, MAX_NUM_BATCHED_TOKENS = 1024, 2048
CONFIG = LlamaConfig(
    vocab_size=8192,
    hidden_size=512,
    intermediate_size=1536,
    num_hidden_layers=6,
    num_attention_heads=8,
    num_key_value_heads=4,
    max_position_embeddings=MAX_NUM_BATCHED_TOKENS,
)


def peak_of_forward(model, weights, tokens):
    """Peak bytes that one prefill needs beside weights and cache, and the bytes of cache it leaves for a token."""
    ids = torch.randint(CONFIG.vocab_size, (1, tokens))
    tracker, cache = MemTracker(), DynamicCache(config=CONFIG)
    with torch.inference_mode(), tracker:
        model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
    peak = tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"]
    kept = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
    return peak - weights - kept, kept // tokens


def plan(utilization, weights, peak, token):
    """(bytes left for the cache, whole blocks), by the subtraction that vLLM makes when it starts."""
    available = int(CARD * utilization) - weights - peak
    return available, max(0, available) // (BLOCK * token)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="give the server 0.9 of the card instead of 0.3")
    utilization = 0.9 if parser.parse_args().fixed else 0.3

    warnings.filterwarnings("ignore", message="The module hierarchy tracking")  # MemTracker, in inference mode
    warnings.filterwarnings("ignore", message="`past_key_values` is deprecated")  # renamed in transformers 5
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    model = LlamaForCausalLM(CONFIG).eval()
    weights = sum(p.nbytes for p in model.parameters())
    peak, token = peak_of_forward(model, weights, MAX_NUM_BATCHED_TOKENS)
    available, blocks = plan(utilization, weights, peak, token)
    print(f"share {utilization} of {CARD / 2**20:.0f} MiB = {CARD * utilization / 2**20:.1f} MiB")
    print(f"weights {weights / 2**20:.1f} MiB, peak of a forward pass {peak / 2**20:.1f} MiB")
    print(f"measure left_for_cache_mib={available / 2**20:.1f}")
    print(f"measure cache_blocks={blocks}")

    if blocks * BLOCK >= MAX_MODEL_LEN:
        pool = torch.zeros(blocks, BLOCK, token, dtype=torch.uint8)
        beside, _ = peak_of_forward(model, weights, MAX_MODEL_LEN)
        used = weights + pool.nbytes + beside
        print(f"pool of {blocks} blocks beside a request of {MAX_MODEL_LEN} tokens: {used / 2**20:.1f} MiB in use")
        assert used <= CARD * utilization
    print(f"measure requests_of_full_length={blocks * BLOCK / MAX_MODEL_LEN:.2f}")


if __name__ == "__main__":
    main()
