#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT on Newton's Opticks in PyTorch, under FP16 autocast with a GradScaler, for Mantissa to watch.

    mantissa-lab --listen default &
    python watch_gpt.py                 # a sound training: watch the scale find its place
    python watch_gpt.py --fault         # at step 150 one layer's weights are far too large: which one?

It runs about a minute on a CPU and needs PyTorch 2.4 or newer and nothing else. Without a window that listens, the probe writes a file.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for place in (HERE.parent.parent / "engine" / "attach" / "probe", HERE.parent / "probe"):  # in the source; installed
    if place.is_dir():
        sys.path.insert(0, str(place))

import torch
import torch.nn.functional as F
from torch import nn

import mantissa_probe

FAULT_STEP = 150


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.c_attn, self.c_proj, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.c_attn(x).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(b, t, c))


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c_fc, self.gelu, self.c_proj = nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.c_proj(self.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width), Mlp(width)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self, vocabulary, context=64, layers=2, width=64, heads=4):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def main():
    parser = argparse.ArgumentParser(description="Trains a small GPT that Mantissa watches.")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--fault", action="store_true", help=f"spoil one layer at step {FAULT_STEP}")
    parser.add_argument("--to", help="where the probe sends: unix:PATH, tcp:127.0.0.1:PORT or FILE.mprobe")
    options = parser.parse_args()

    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    text = (HERE.parent / "data" / "opticks.txt").read_text(encoding="utf-8")
    letters = {letter: i for i, letter in enumerate(sorted(set(text)))}
    data = torch.tensor([letters[letter] for letter in text], device=device)
    model = Gpt(len(letters)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    scaler = torch.amp.GradScaler(device, growth_interval=100)

    probe = mantissa_probe.watch(model, optimizer, scaler=scaler, to=options.to, name="GPT in PyTorch")
    for step in range(options.steps):
        if options.fault and step == FAULT_STEP:
            with torch.no_grad():
                model.h[1].mlp.c_fc.weight.mul_(1e5)
        starts = torch.randint(len(data) - 65, (8,)).tolist()
        batch = torch.stack([data[i : i + 65] for i in starts])
        with torch.autocast(device, torch.float16):
            logits = model(batch[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        probe.step(loss)
        if step % 50 == 0:
            print(f"step {step}: loss {loss.item():.3f}, loss scale {scaler.get_scale():g}", flush=True)


if __name__ == "__main__":
    main()
