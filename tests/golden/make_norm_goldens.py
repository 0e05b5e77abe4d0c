#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of norm_golden_test.cpp: layer norm and RMS norm written out in tensors of fp16 and bf16, in PyTorch.

Run by hand when a case changes (needs torch and numpy):

    python3 tests/golden/make_norm_goldens.py

norms.safetensors has, for each FORMAT.NORM, x, weight, bias, gradOutput, y, and autograd's gradients gradInput, gradWeight, gradBias. Every
operation runs in the format, on the CPU, and rounds once as CUDA's kernels do. Two of PyTorch's CPU kernels round twice: the mean rounds its
sum, so a row has 32 elements and the division is exact; rsqrt rounds the root, so it is taken in fp32 here. The CPU also rounds epsilon to
the format before it adds it, so epsilon is a power of two.
"""
import pathlib

import numpy
import torch

from make_goldens import write

HERE = pathlib.Path(__file__).resolve().parent
SEED, ROWS, COLUMNS, EPSILON = 20, 24, 32, 2.0**-10


def rsqrt(x):
    return (1 / x.float().sqrt()).to(x.dtype)


def rms_norm(x, weight, bias):
    return x * rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * weight


def layer_norm(x, weight, bias):
    difference = x - x.mean(-1, keepdim=True)
    return difference * rsqrt(difference.pow(2).mean(-1, keepdim=True) + EPSILON) * weight + bias


def main():
    torch.set_num_threads(1)
    out = {}
    for format, dtype in {"fp16": torch.float16, "bf16": torch.bfloat16}.items():
        for name, norm in {"rms": rms_norm, "layer": layer_norm}.items():
            torch.manual_seed(SEED)
            x = (torch.randn(ROWS, COLUMNS) * 2 ** torch.arange(-6.0, 6.0).repeat(2)[:, None] + torch.randn(ROWS, 1)).to(dtype).requires_grad_()
            weight = (1 + 0.3 * torch.randn(COLUMNS)).to(dtype).requires_grad_()
            bias = (0.3 * torch.randn(COLUMNS)).to(dtype).requires_grad_()
            gradient = torch.randn(ROWS, COLUMNS).to(dtype)
            y = norm(x, weight, bias)
            y.backward(gradient)
            tensors = {"x": x, "weight": weight, "bias": bias, "gradOutput": gradient, "y": y, "gradInput": x.grad, "gradWeight": weight.grad}
            if name == "layer":
                tensors["gradBias"] = bias.grad
            out.update({f"{format}.{name}.{key}": tensor.detach().float() for key, tensor in tensors.items()})
    write(HERE / "norms.safetensors", out, {"torch": torch.__version__, "numpy": numpy.__version__, "seed": str(SEED), "epsilon": str(EPSILON)})


if __name__ == "__main__":
    main()
