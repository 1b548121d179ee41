"""A .safetensors file that is not what its name says, and the header check that refuses it.

Plain run: a file is damaged in the ways downloads and clones damage it, the library's own message is
printed for each, and the last one, an interrupted download, is left to raise.
With --fixed: the file is checked against its own header before it gets its final name, the interrupted
copy is fetched again, and loading succeeds.
"""

import argparse
import json
import shutil
import struct
import tempfile
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 4988025760\n"
PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


def publish(path: Path) -> None:
    """The intact file, as its author saved it."""
    save_file({"embed.weight": torch.randn(256, 64), "head.weight": torch.randn(64, 256)}, path)


def damaged(good: bytes) -> dict[str, bytes]:
    header_length = struct.unpack("<Q", good[:8])[0]
    return {
        "Git LFS pointer": POINTER.encode(),
        "HTML page": PAGE.encode(),
        "empty file": b"",
        "cut inside the header": good[: 8 + header_length // 2],
        "preallocated, never written": bytes(len(good)),
        "bytes after the last tensor": good + b"\0" * 16,
        "interrupted download": good[: len(good) * 2 // 3],
    }


def missing_bytes(path: Path) -> int | None:
    """Bytes that the header promises and the file lacks (negative: too many); None if there is no header."""
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(8)
        length = struct.unpack("<Q", first)[0] if len(first) == 8 else size
        if 8 + length > size:
            return None
        try:
            header = json.loads(file.read(length))
        except ValueError:
            return None
    header.pop("__metadata__", None)
    return 8 + length + max((t["data_offsets"][1] for t in header.values()), default=0) - size


def load_damaged(source: Path, target: Path) -> None:
    variants = damaged(source.read_bytes())
    interrupted = variants.pop("interrupted download")
    for name, content in variants.items():
        target.write_bytes(content)
        try:
            load_file(target)
        except SafetensorError as error:
            print(f"{name}, {len(content)} bytes: {type(error).__name__}: {error}", flush=True)
    target.write_bytes(interrupted)
    load_file(target)  # nobody catches this one


def load_checked(source: Path, target: Path) -> None:
    part = target.with_suffix(".part")
    part.write_bytes(damaged(source.read_bytes())["interrupted download"])
    print(f"first attempt lacks {missing_bytes(part)} bytes, fetching again")
    shutil.copyfile(source, part)
    if missing_bytes(part) != 0:
        raise SystemExit("the source itself is damaged")
    part.replace(target)  # the final name appears only once the content is whole
    print("loaded", sorted(load_file(target)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixed", action="store_true", help="check the file before it gets its final name")
    fixed = parser.parse_args().fixed
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "hub.safetensors"), Path(folder, "model.safetensors")
        publish(source)
        (load_checked if fixed else load_damaged)(source, target)


if __name__ == "__main__":
    main()
