#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on the handwritten digits in PyTorch for Mantissa to watch, with mistakes to choose from.

    mantissa-lab --listen default &
    python watch_digits.py --precision fp16 --scale 1e9     # a loss scale that is far too high
    python watch_digits.py --precision fp16 --no-scaler      # gradients that FP16 flushes to zero
    python watch_digits.py --precision bf16 --spoil-a-pixel  # one NaN in one batch

It runs some seconds on a CPU and needs PyTorch 2.4 or newer and nothing else.
"""
import argparse
import gzip
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for place in (HERE.parent.parent / "engine" / "attach" / "probe", HERE.parent / "probe"):
    if place.is_dir():
        sys.path.insert(0, str(place))

import torch
import torch.nn.functional as F
from torch import nn

import mantissa_probe

DTYPES = {"fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16}


def digits():
    with gzip.open(HERE.parent / "data" / "digits.csv.gz", "rt") as file:
        rows = torch.tensor([[float(cell) for cell in line.split(",")] for line in file])
    return rows[:, :-1] / 16, rows[:, -1].long()


def main():
    parser = argparse.ArgumentParser(description="Trains a small network that Mantissa watches.")
    parser.add_argument("--precision", choices=DTYPES, default="fp16")
    parser.add_argument("--scale", type=float, default=65536.0, help="the first loss scale")
    parser.add_argument("--no-scaler", action="store_true")
    parser.add_argument("--spoil-a-pixel", action="store_true", help="put a NaN into the batch of step 100")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--to", help="where the probe sends: unix:PATH, tcp:127.0.0.1:PORT or FILE.mprobe")
    options = parser.parse_args()

    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    images, labels = (each.to(device) for each in digits())
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    dtype = DTYPES[options.precision]
    is_scaled = dtype == torch.float16 and not options.no_scaler
    scaler = torch.amp.GradScaler(device, init_scale=options.scale, growth_interval=100) if is_scaled else None

    probe = mantissa_probe.watch(model, optimizer, scaler=scaler, to=options.to, name=f"digits in PyTorch, {options.precision}")
    for step in range(options.steps):
        chosen = torch.randint(len(labels), (64,), device=device)
        batch = images[chosen]
        if options.spoil_a_pixel and step == 100:
            batch[3, 20] = float("nan")
        with torch.autocast(device, dtype or torch.bfloat16, enabled=dtype is not None):
            loss = F.cross_entropy(model(batch), labels[chosen])
        optimizer.zero_grad()
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
        probe.step(loss)


if __name__ == "__main__":
    main()
