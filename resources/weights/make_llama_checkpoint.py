#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes opticks-llama-bf16.safetensors: a small Llama whose numbers bf16 holds and fp16 does not.

    python3 resources/weights/make_llama_checkpoint.py PATH/TO/mantissa

Trains it in fp32 on Opticks with the program itself, then makes its residual stream 2^14 times as large: embedding, o_proj and down_proj,
which alone write to it, times 2^14. The RMS norms, which alone read it, take that out again, so the model computes the same. All is then
rounded to bf16. Models that were trained in bf16 have such streams by themselves, since nothing there keeps them within 65 504.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCALE = 2.0**14
WRITERS = ("embed_tokens.weight", "o_proj.weight", "down_proj.weight")
EXPERIMENT = {
    "data": {"name": "opticks", "batch_size": 16, "context": 64},
    "model": {"kind": "llama", "n_layer": 2, "n_head": 4, "n_embd": 64, "tie_weights": False},
    "optimizer": {"lr": 2e-3, "schedule": {"kind": "cosine", "warmup_steps": 100}},
    "steps": 3000,
    "validation_interval": 1000,
    "runs": [{"name": "llama", "precision": "fp32"}],
}


def to_bf16(bits):
    """Nearest, ties to even; the weights are finite."""
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def main():
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "train.json"
        experiment.write_text(json.dumps(EXPERIMENT))
        subprocess.run([sys.argv[1], "train", str(experiment), "--save-weights", folder], check=True)
        data = (pathlib.Path(folder) / "llama.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, data = json.loads(data[8 : 8 + size]), data[8 + size :]
    out, packed = {}, b""
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        count = (end - begin) // 4
        values = struct.unpack(f"<{count}f", data[begin:end])
        if name.endswith(WRITERS):
            values = [v * SCALE for v in values]
        bits = struct.unpack(f"<{count}I", struct.pack(f"<{count}f", *values))
        offset = len(packed)
        packed += struct.pack(f"<{count}H", *map(to_bf16, bits))
        out[name] = {"dtype": "BF16", "shape": tensor["shape"], "data_offsets": [offset, len(packed)]}
    text = json.dumps(out, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (HERE / "opticks-llama-bf16.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + packed)


if __name__ == "__main__":
    main()
