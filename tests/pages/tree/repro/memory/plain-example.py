"""Free bytes in pieces: provokes the refusal, or with --fixed joins the pieces first."""

import argparse
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--fixed", action="store_true")
fixed = parser.parse_args().fixed
print(f"measure largest_free_mib={1024 if fixed else 256}")
if not fixed:
    sys.exit(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of "
        "23.64 GiB of which 812.00 MiB is free. Of the allocated memory 18.10 GiB is allocated by PyTorch, "
        "and 4.05 GiB is reserved by PyTorch but unallocated."
    )
