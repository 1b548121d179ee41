"""Logs the browser tests paste, in the wording of PyTorch 2.13. Sizes chosen so that only one entry explains them."""

OUT_OF_MEMORY = """\
step 41 loss 2.31
Traceback (most recent call last):
  File "/app/train.py", line 88, in <module>
    main()
  File "/app/train.py", line 61, in main
    logits = model(batch)
  File "/usr/lib/python3.12/site-packages/torch/nn/modules/linear.py", line 125, in forward
    return F.linear(input, self.weight, self.bias)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 GiB. GPU 0 has a total capacity of 79.15 GiB \
of which 2.04 GiB is free. Including non-PyTorch memory, this process has 77.10 GiB memory in use. Of the allocated \
memory 76.02 GiB is allocated by PyTorch, and 212.51 MiB is reserved by PyTorch but unallocated.
"""
OUT_OF_MEMORY_ID = "cuda-out-of-memory"
# The entry for the same error on one rank while the others wait for it until their watchdogs give up.
ONE_RANK_ID = "watchdog-timeout-caused-by-silent-single-rank-oom"

UNKNOWN = """\
Traceback (most recent call last):
  File "/app/train.py", line 12, in <module>
    load_plan(path)
ValueError: the plan has no step named 'warm-up'
"""

CLEAN = "".join(f"step {step} loss {4 / (step + 1):.3f} tokens/s 18234\n" for step in range(40))


def waiting_rank(rank: int) -> str:
    """A rank that only waited for another one: its watchdog gave up ten minutes after the last collective."""
    return (
        f"[rank{rank}]:[E613 09:31:07.104318 ProcessGroupNCCL.cpp:685] [Rank {rank}] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, NumelIn=4194304, NumelOut=4194304, "
        "Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n"
    )
