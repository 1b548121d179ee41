"""ZeRO divides model states, never activations: at stage 3 the micro-batch still decides.

Two ranks (gloo, CPU accelerator) train the same network at stage 3. DeepSpeed's estimator promises a few MiB for the
model states. A limit on the data of each process (RLIMIT_DATA) plays the card: 400 MiB may be added. Run plainly, one
micro-batch of 32768 rows is sent through and the allocator refuses in the middle of the forward pass. With --fixed,
the same rows go through as sixteen micro-batches with gradient accumulation. The limit is real, only the card is not.
"""

import argparse
import os
import resource
import socket
from pathlib import Path

os.environ.setdefault("DS_ACCELERATOR", "cpu")

import torch
import torch.multiprocessing as mp
from torch import nn

WORLD, LAYERS, WIDTH, ROWS = 2, 12, 256, 32768
ROOM = 400 * 2**20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def join(rank, port):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(WORLD))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), LOCAL_SIZE=str(WORLD))
    import deepspeed

    torch.set_num_threads(1)
    # Without this DeepSpeed compiles a shared-memory collective; gloo alone is enough here.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    deepspeed.init_distributed(dist_backend="gloo", verbose=False)
    return deepspeed


def allow(extra):
    """Let this process's data grow by `extra` bytes, no further."""
    status = Path("/proc/self/status").read_text().splitlines()
    used = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (used + extra, used + extra))


def estimate(count):
    from deepspeed.runtime.zero.stage3 import estimate_zero3_model_states_mem_needs

    _, device, _ = estimate_zero3_model_states_mem_needs(count, WIDTH * WIDTH, WORLD, 1, False, False)
    return device / 2**20


def worker(rank, port, pieces):
    deepspeed = join(rank, port)
    torch.manual_seed(0)
    model = nn.Sequential(*(m for _ in range(LAYERS) for m in (nn.Linear(WIDTH, WIDTH), nn.GELU())))
    count = sum(p.numel() for p in model.parameters())
    config = {
        "train_micro_batch_size_per_gpu": ROWS // pieces,
        "gradient_accumulation_steps": pieces,
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-3, "torch_adam": True}},
        "zero_optimization": {"stage": 3, "reduce_bucket_size": WIDTH * WIDTH, "stage3_param_persistence_threshold": 0},
    }
    if rank == 0:
        print(f"ZeRO stage 3, estimate for the model states {estimate(count):.0f} MiB, {ROOM / 2**20:.0f} MiB allowed")
        print(f"{pieces} micro-batches of {ROWS // pieces} rows", flush=True)
    allow(ROOM)
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    for _ in range(pieces):
        loss = engine(torch.randn(ROWS // pieces, WIDTH)).square().mean()
        engine.backward(loss)
        engine.step()
    if rank == 0:
        print(f"optimizer steps {engine.global_steps}", flush=True)
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="sixteen micro-batches instead of one")
    pieces = 16 if parser.parse_args().fixed else 1
    mp.spawn(worker, args=(free_port(), pieces), nprocs=WORLD)


if __name__ == "__main__":
    main()
