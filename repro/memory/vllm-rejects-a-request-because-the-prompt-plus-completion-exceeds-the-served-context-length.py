"""A conversation outgrows the served length because prompt and completion share it and the client counts neither.

The prompt is tokenized with a chat template and completed by a small Llama, both real; the two rules of the server
are written out, since vLLM itself is not run: up to 0.30 it refuses a request whose prompt plus `max_tokens` exceeds
the served length, from 0.32 on it shortens the completion to what is left (`get_max_tokens`).
Run plainly, the client asks for a fixed number of tokens and looks at words only: later turns are refused by the old
rule and answered short by the new one. With --fixed it counts with the server's tokenizer and template and drops the
oldest turns until prompt and completion fit: nothing is refused and every answer has the length asked for.
"""

import argparse

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SERVED, ASKED, TURNS = 336, 64, 6
QUESTION = "please describe the state of the cache blocks and the reason for the eviction in your own words, number {}"
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}<|sep|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant<|sep|>{% endif %}"
)


def build():
    """A byte-level tokenizer with a chat template, trained on the spot, and an untrained model of its vocabulary."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    special = ["<|start|>", "<|sep|>", "<|end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    bpe.train_from_iterator([QUESTION.format(i) for i in range(50)], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, chat_template=TEMPLATE)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=SERVED, eos_token_id=None, **sizes)
    return tokenizer, LlamaForCausalLM(config).eval()


def prompt_of(tokenizer, history):
    return tokenizer.apply_chat_template(history, add_generation_prompt=True, return_tensors="pt", return_dict=True)


def fit(tokenizer, history):
    """The latest part of the conversation that leaves room for ASKED tokens, counted as the server counts."""
    while len(history) > 1 and prompt_of(tokenizer, history)["input_ids"].shape[1] + ASKED > SERVED:
        history = history[2:]  # a question and its answer
    return history


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="count as the server does and drop the oldest turns")
    fixed = parser.parse_args().fixed
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    tokenizer, model = build()

    history, refused, beyond, missing = [], 0, 0, 0
    for turn in range(1, TURNS + 1):
        history.append({"role": "user", "content": QUESTION.format(turn)})
        if fixed:
            history = fit(tokenizer, history)
        prompt = prompt_of(tokenizer, history)
        length = prompt["input_ids"].shape[1]
        words = sum(len(message["content"].split()) for message in history)
        refused += length + ASKED > SERVED  # vLLM up to 0.30
        beyond = max(beyond, length + ASKED - SERVED)
        room = max(0, min(ASKED, SERVED - length))  # vLLM from 0.32 on
        answer = []
        if room:
            answer = model.generate(**prompt, max_new_tokens=room, do_sample=True, pad_token_id=0)[0, length:]
        missing += ASKED - len(answer)
        print(f"turn {turn}: {words} words, {length} tokens, {ASKED} asked, {len(answer)} answered")
        history.append({"role": "assistant", "content": tokenizer.decode(answer)})
    print(f"measure refused_requests={refused}")
    print(f"measure tokens_beyond_the_limit={beyond}")
    print(f"measure tokens_not_answered={missing}")


if __name__ == "__main__":
    main()
