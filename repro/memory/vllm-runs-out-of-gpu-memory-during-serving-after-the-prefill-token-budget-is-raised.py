"""A larger prefill budget is planned for, except for what the planning pass does not do: logits of every prompt token.

As vLLM does, the cache gets what a share of the card leaves after the weights and the peak of one profiled pass at the
prefill budget, in which logits are computed for one token of each sequence only. Then one prompt is served in chunks of
that budget, first as profiled, then with log-probabilities of the prompt, for which every token of a chunk needs a row
of logits. All peaks are measured on a small Llama; the size of the card is set by hand and vLLM itself is not run.
Run plainly, the budget is 4096 tokens: the ordinary request stays within the share, the other one exceeds the whole
card. With --fixed the budget is 512 and both stay within it, at the same prompt.
"""

import argparse
import warnings
from functools import partial

import torch
import transformers
from torch.distributed._tools.mem_tracker import MemTracker
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

CARD, SHARE, PROMPT, SEQUENCES = 640 * 2**20, 0.9, 4096, 16
CONFIG = LlamaConfig(
    vocab_size=8192,
    hidden_size=512,
    intermediate_size=1536,
    num_hidden_layers=4,
    num_attention_heads=8,
    num_key_value_heads=4,
    max_position_embeddings=PROMPT,
)


def peak_of(run, weights):
    """Peak bytes of the tensors that `run` makes, beside the weights."""
    tracker = MemTracker()
    with torch.inference_mode(), tracker:
        run(tracker.reset_mod_stats)  # it wants to be told of each new pass
    return tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"] - weights


def profiled(model, budget):
    """The planning pass: one batch at the budget, logits for one token of each sequence."""
    model(torch.zeros(1, budget, dtype=torch.long), use_cache=False, logits_to_keep=SEQUENCES)


def serve(model, ids, budget, prompt_logprobs, new_pass):
    """Prefill `ids` in chunks of `budget`; with prompt_logprobs, look up the log-probability of each prompt token."""
    cache = StaticCache(config=CONFIG, max_cache_len=PROMPT)
    found = []
    for chunk, following in zip(ids.split(budget, 1), ids.roll(-1, 1).split(budget, 1), strict=True):
        new_pass()
        logits = model(chunk, past_key_values=cache, logits_to_keep=0 if prompt_logprobs else 1).logits
        if prompt_logprobs:
            found.append(logits.log_softmax(-1).gather(-1, following.unsqueeze(-1)))
        del logits
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="a prefill budget of 512 instead of 4096 tokens")
    budget = 512 if parser.parse_args().fixed else 4096
    warnings.filterwarnings("ignore", message="The module hierarchy tracking")  # MemTracker, in inference mode
    warnings.filterwarnings("ignore", message="`past_key_values` is deprecated")  # renamed in transformers 5
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)

    model = LlamaForCausalLM(CONFIG).eval()
    weights = sum(p.nbytes for p in model.parameters())
    planned = peak_of(lambda _: profiled(model, budget), weights)
    pool = int(CARD * SHARE) - weights - planned
    print(f"budget {budget}: weights {weights / 2**20:.0f} MiB, profiled peak {planned / 2**20:.0f} MiB")
    print(f"measure cache_mib={pool / 2**20:.1f}")

    ids = torch.randint(CONFIG.vocab_size, (1, PROMPT))
    cache = 2 * CONFIG.num_hidden_layers * CONFIG.num_key_value_heads * 64 * 4 * PROMPT  # part of the pool
    for name, prompt_logprobs in (("ordinary", False), ("with_prompt_logprobs", True)):
        peak = peak_of(partial(serve, model, ids, budget, prompt_logprobs), weights) - cache
        room = CARD - weights - pool - peak
        print(f"request {name}: peak {peak / 2**20:.0f} MiB beside weights and cache")
        print(f"measure room_left_{name}_mib={room / 2**20:.1f}")


if __name__ == "__main__":
    main()
