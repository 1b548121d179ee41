"""A /dev/shm too small for the batches that DataLoader workers hand over.

The script gives itself a private mount namespace and mounts a tmpfs of its own on /dev/shm, so nothing
outside it changes. Plain run: 16 MiB, room for one batch. With --fixed: (workers x prefetch_factor + 2)
batches, as `docker run --shm-size` or a sized volume would give it.
Needs Linux and the right to mount (root, or unprivileged user namespaces).
"""

import argparse
import ctypes
import os
import sys
from pathlib import Path

WORKERS, PREFETCH, BATCH = 2, 2, 16
SAMPLE = (3, 256, 256)  # float32: 768 KiB
BATCH_BYTES = BATCH * 4 * SAMPLE[0] * SAMPLE[1] * SAMPLE[2]
SMALL = 16 << 20

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000  # linux/sched.h
MS_REC, MS_PRIVATE = 0x4000, 0x40000  # linux/mount.h


def skip(reason: str) -> None:
    print(f"skip: {reason}")
    sys.exit(77)


def own_shm(size: int) -> None:
    """Mount a tmpfs of `size` bytes on /dev/shm that only this process and its children see."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
            skip(f"no private mount namespace: {os.strerror(ctypes.get_errno())}")
        try:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        except OSError as error:
            skip(f"no user namespace: {error.strerror}")
    for source, target, kind, flags, data in (
        (b"none", b"/", None, MS_REC | MS_PRIVATE, None),  # or the mount would spread to the host
        (b"tmpfs", b"/dev/shm", b"tmpfs", 0, f"size={size}".encode()),
    ):
        if libc.mount(source, target, kind, flags, data) != 0:
            skip(f"cannot mount a tmpfs on /dev/shm: {os.strerror(ctypes.get_errno())}")


def train() -> None:
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Images(Dataset):
        def __len__(self):
            return 20 * BATCH

        def __getitem__(self, index):
            return torch.full(SAMPLE, float(index))

    loader = DataLoader(Images(), batch_size=BATCH, num_workers=WORKERS, prefetch_factor=PREFETCH)
    for step, images in enumerate(loader):
        if step % 10 == 0:
            print(f"step {step}, batch {tuple(images.shape)}, mean {images.mean():.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="size /dev/shm for the batches in flight")
    fixed = parser.parse_args().fixed
    in_flight = (WORKERS * PREFETCH + 2) * BATCH_BYTES  # + 2: the batch in use and the next, already received
    size = in_flight + (1 << 20) if fixed else SMALL
    own_shm(size)
    print(f"/dev/shm {size >> 20} MiB, batches in flight {in_flight >> 20} MiB", flush=True)
    train()


if __name__ == "__main__":
    main()
