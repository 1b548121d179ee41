"""Two DataLoader workers read a list of file names, and each ends up with a private copy of the whole list.

Nothing is written: taking a name out of the list raises its reference count, the count lies beside the text, and
the first change of a page that is shared since fork() copies the page. Three epochs with the same (persistent)
workers show where it ends: at the size of the list for each worker, before the first epoch is over.
With --fixed the names lie in one NumPy buffer, whose bytes have no reference counts.
Read from /proc/PID/smaps_rollup, so Linux 4.14 or later; the workers are forked.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from torch.utils.data import DataLoader, Dataset

NAMES, WORKERS, BATCH, EPOCHS = 400_000, 2, 2000, 3
BATCHES = NAMES // BATCH
SAMPLED = (0, BATCHES // 50, BATCHES // 20, BATCHES // 10, BATCHES // 4, BATCHES // 2, 3 * BATCHES // 4, BATCHES - 8)


def name(index: int) -> str:
    return f"data/train/shard-{index % 997:05d}/image-{index:012d}-{'x' * 60}.jpg"


class ListOfNames(Dataset):
    def __init__(self):
        self.names = [name(index) for index in range(NAMES)]

    def __len__(self):
        return NAMES

    def __getitem__(self, index):
        return len(self.names[index])


class BufferOfNames(ListOfNames):
    """The same names, end to end in one array; `ends` tells where each one stops."""

    def __init__(self):
        encoded = [name(index).encode() for index in range(NAMES)]
        self.ends = np.cumsum([len(text) for text in encoded])
        self.buffer = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    def __getitem__(self, index):
        start = self.ends[index - 1] if index else 0
        return len(self.buffer[start : self.ends[index]].tobytes().decode())


def mib(pid: int, field: str) -> float:
    """One line of the kernel's summary of a process's pages."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field + ":")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="keep the names in a NumPy buffer")
    fixed = parser.parse_args().fixed
    if not Path("/proc/self/smaps_rollup").exists():
        print("skip: no /proc/self/smaps_rollup here")
        sys.exit(77)

    before = mib(os.getpid(), "Private_Dirty")
    dataset = BufferOfNames() if fixed else ListOfNames()
    print(f"names take {mib(os.getpid(), 'Private_Dirty') - before:.0f} MiB in the main process")
    loader = DataLoader(
        dataset, BATCH, shuffle=True, num_workers=WORKERS, persistent_workers=True, collate_fn=sum,
        multiprocessing_context="fork",
    )  # fmt: skip

    dirty, resident = {}, {}
    for epoch in range(EPOCHS):
        iterator = iter(loader)
        pids = [worker.pid for worker in iterator._workers]
        for number, _ in enumerate(iterator):
            if number in SAMPLED:
                dirty[epoch, number] = sum(mib(pid, "Private_Dirty") for pid in pids)
                resident[epoch, number] = sum(mib(pid, "Rss") for pid in pids)
                print(
                    f"epoch {epoch} batch {number} worker_private_dirty {dirty[epoch, number]:.0f} MiB "
                    f"worker_rss {resident[epoch, number]:.0f} MiB",
                    flush=True,
                )

    start, end = (0, SAMPLED[0]), (0, SAMPLED[-1])
    print(f"measure first_epoch_private_mib={dirty[end] - dirty[start]:.1f}")
    print(f"measure later_epochs_private_mib={dirty[EPOCHS - 1, SAMPLED[-1]] - dirty[end]:.1f}")
    print(f"measure first_epoch_rss_mib={resident[end] - resident[start]:.1f}")


if __name__ == "__main__":
    main()
