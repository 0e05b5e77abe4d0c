# SPDX-License-Identifier: Apache-2.0
"""What the probe costs: CPU time of the whole process, in pairs of blocks of steps with and without it, on one thread.

The model is nanoGPT's: 4 layers, 128 channels, 12 x 64 tokens, AdamW, fp32. Usage: python cost.py [--pairs N] [--only NAME] [--width N] [--sequences N]
"""
import argparse
import statistics
import tempfile
import time

from support import *

BLOCK = 1


def trainer(width, sequences, is_compiled, is_watched, **settings):
    torch.manual_seed(0)
    model = Gpt(context=64, layers=4, width=width)
    for block in model.h:  # as nanoGPT does where it can
        block.attn.forward = lambda x, a=block.attn: a.c_proj(
            F.scaled_dot_product_attention(
                *(z.view(*z.shape[:2], a.heads, -1).transpose(1, 2) for z in a.c_attn(x).split(x.shape[2], 2)), is_causal=True
            ).transpose(1, 2).reshape(x.shape)
        )
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    called = torch.compile(model, fullgraph=True) if is_compiled else model
    probe = mantissa_probe.watch(called, optimizer, quiet=True, **settings) if is_watched else None
    batch = tokens(sequences, 64)

    def step():
        loss = called(*batch)[1]
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if probe:
            probe.step(loss)

    def block():
        if probe:
            probe._ended_at = time.perf_counter_ns()  # the other model's steps are not waiting for data
        began = time.process_time()
        for _ in range(BLOCK):
            step()
        while probe and probe._sender._ring:  # what the sending thread has left to do is the probe's too
            time.sleep(0.0005)
        return time.process_time() - began

    return block, probe


def measure(name, pairs, width, sequences, is_compiled, **settings):
    with tempfile.TemporaryDirectory() as folder:
        plain, _ = trainer(width, sequences, is_compiled, False)
        watched, probe = trainer(width, sequences, is_compiled, True, to=f"{folder}/run.mprobe", **settings)
        for _ in range(20):  # also until the schedule has found its period
            plain(), watched()
        ratios, times = [], []
        for pair in range(pairs):
            if pair % 2:
                a, b = plain(), watched()
            else:
                b, a = watched(), plain()
            ratios.append(b / a)
            times.append(a / BLOCK)
        low, middle, high = statistics.quantiles(ratios, n=4)
        probe.close()
        period = probe.period
        size = pathlib.Path(probe.place).stat().st_size / max(probe._step, 1)
        print(f"{name:<44} x{middle:.4f}  quartiles x{low:.4f} to x{high:.4f}  (step {statistics.median(times) * 1e3:.1f} ms, statistics each {period}, {size / 1e3:.1f} kB a step)", flush=True)
        if probe.problems:
            print("   ", probe.problems)


CASES = {
    "nothing (the measurement's own spread)": dict(is_compiled=False, every=0, include=lambda name, m: False, budget=0.0),
    "default": dict(is_compiled=False),
    "default, flags always": dict(is_compiled=False, flags="always"),
    "default, flags sampled": dict(is_compiled=False, flags="sampled"),
    "no statistics": dict(is_compiled=False, every=0),
    "scalars alone": dict(is_compiled=False, every=0, flags="sampled"),
    "outputs, all elements, each step": dict(is_compiled=False, every=1, gradients="never"),
    "every tensor, blocks, each step": dict(is_compiled=False, every=1, blocks=True),
    "every tensor, all elements, each step": dict(is_compiled=False, every=1),
    "compiled, default": dict(is_compiled=True),
    "compiled, no statistics": dict(is_compiled=True, every=0),
    "compiled, every tensor, each step": dict(is_compiled=True, every=1),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--only", default="")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--sequences", type=int, default=12)
    chosen = parser.parse_args()
    print(f"torch {torch.__version__}, counted in C: {mantissa_probe.native.native_counter() is not None}")
    for name, case in CASES.items():
        if chosen.only in name and (CAN_COMPILE or not case["is_compiled"]):
            measure(name, chosen.pairs, chosen.width, chosen.sequences, **case)
