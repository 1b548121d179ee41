"""Reading a ZeRO-3 parameter outside its module's forward pass.

Two ranks train a small model with parameters partitioned and offloaded by DeepSpeed (gloo, CPU). After a
step the script does what regularisers, metrics and weight-tying code do: it reads a weight. Run plainly, the
norm is 0.0 and the mean nan without any complaint, and the first operation that looks at the shape raises.
With --fixed the weight is read inside deepspeed.zero.GatheredParameters.
"""

import argparse
import os
import socket

os.environ.setdefault("DS_ACCELERATOR", "cpu")

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F

WORLD = 2
CONFIG = {
    "train_micro_batch_size_per_gpu": 2,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}},
    "zero_optimization": {
        "stage": 3,
        "offload_param": {"device": "cpu"},
        "stage3_param_persistence_threshold": 0,  # the default leaves tensors of up to 100 000 elements whole
    },
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train_one_step(rank, port):
    """A DeepSpeed engine after one optimizer step, on `rank` of WORLD."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(WORLD))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), LOCAL_SIZE=str(WORLD))
    import deepspeed

    # Without this DeepSpeed compiles a shared-memory collective; gloo alone is enough here.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    deepspeed.init_distributed(dist_backend="gloo", verbose=False)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(512, 64), nn.Linear(64, 256, bias=False), nn.ReLU(), nn.Linear(256, 64))
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG)
    loss = engine(torch.randint(512, (2, 8))).square().mean()
    engine.backward(loss)
    engine.step()
    return engine


def read_weight(weight, rank):
    """What a weight regulariser and a tied projection would compute."""
    norm, mean = weight.norm().item(), weight.mean().item()
    if rank == 0:
        print(f"deepspeed ZeRO stage 3, shape {tuple(weight.shape)}, partitioned from {tuple(weight.ds_shape)}")
        print(f"measure weight_norm={norm:.4f}")
        print(f"measure weight_elements={weight.numel()}")
        print(f"mean of the weight {mean:.4f}", flush=True)
    return F.linear(torch.ones(2, 64), weight)


def worker(rank, port, fixed):
    import deepspeed

    engine = train_one_step(rank, port)
    weight = engine.module[1].weight
    try:
        with deepspeed.zero.GatheredParameters(weight, enabled=fixed):
            output = read_weight(weight, rank)
        if rank == 0:
            print("projection of shape", tuple(output.shape), flush=True)
    finally:
        torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="gather the weight before it is read")
    fixed = parser.parse_args().fixed
    mp.spawn(worker, args=(free_port(), fixed), nprocs=WORLD)


if __name__ == "__main__":
    main()
