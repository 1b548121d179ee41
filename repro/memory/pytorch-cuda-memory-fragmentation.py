"""An allocator setting with a capital letter missing: PyTorch's own parser refuses the whole string.

The parser that reads PYTORCH_CUDA_ALLOC_CONF is part of every build, so it runs here without a GPU. A build
with CUDA parses the variable at `import torch`; a CPU build does it at the first question about the settings,
which is asked below. With --fixed the string is written as the parser wants it and is in force afterwards;
then two values follow that are accepted although they cannot be what their author meant.
"""

import argparse
import os

INTENDED = {"expandable_segments": "True", "garbage_collection_threshold": "0.8"}


def spelled(fixed):
    """The setting as one string; `true` is how a shell script or a YAML file tends to write it."""
    text = ",".join(f"{key}:{value}" for key, value in INTENDED.items())
    return text if fixed else text.replace("True", "true")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="spell the values as the parser wants them")
    args = parser.parse_args()
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"):
        os.environ.pop(name, None)
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = spelled(args.fixed)
    print(f"PYTORCH_CUDA_ALLOC_CONF={os.environ['PYTORCH_CUDA_ALLOC_CONF']}", flush=True)
    import torch

    print(f"torch {torch.__version__}", flush=True)
    print(f"in force: {torch._C._accelerator_getAllocatorSettings()}")
    for loose in ("max_split_size_mb:128GB", "max_split_size_mb:-1"):
        torch._C._accelerator_setAllocatorSettings(loose)
        print(f"accepted without a word: {loose}")


if __name__ == "__main__":
    main()
