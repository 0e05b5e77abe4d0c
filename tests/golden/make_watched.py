#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes watched.mprobe and watched.json: a small GPT under fp16 autocast with a GradScaler, watched by the probe, and what the script itself saw.

    python tests/golden/make_watched.py

The scale begins at 2^24, so that the first steps are skipped; before step 24 a weight is multiplied, so that an output leaves fp16. Made
with torch 2.15.0 on a CPU.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "engine" / "attach" / "probe"))
from support import *

STEPS, BROKEN_STEP = 30, 24


def main():
    torch.manual_seed(1)
    model = Gpt(vocabulary=16, context=8, layers=1, width=16, heads=2)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24, growth_interval=8)
    file = HERE / "watched.mprobe"
    file.unlink(missing_ok=True)
    probe = mantissa_probe.watch(model, optimizer, scaler=scaler, to=str(file), name="small gpt", every=8, quiet=True)
    seen = []
    for step in range(STEPS):
        if step == BROKEN_STEP:
            with torch.no_grad():
                model.h[0].mlp.c_fc.weight.mul_(1e6)
        tokens = torch.randint(0, 16, (4, 9))
        with torch.autocast("cpu", torch.float16):
            _, loss = model(tokens[:, :-1], tokens[:, 1:])
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1e30)
        scale = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        seen.append({"loss": repr(loss.item()), "scale": scale, "norm": repr(norm.item()), "next_scale": scaler.get_scale(), "skipped": scaler.get_scale() < scale})
        probe.step(loss)
        optimizer.zero_grad()
    probe.close()
    (HERE / "watched.json").write_text(json.dumps({"torch": torch.__version__, "steps": seen}, indent=0) + "\n")
    print(file.stat().st_size, "bytes")


main()
