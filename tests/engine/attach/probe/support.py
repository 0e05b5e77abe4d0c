# SPDX-License-Identifier: Apache-2.0
"""What the tests of the probe share: models, data, and statistics taken with numpy."""
import functools
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "engine" / "attach" / "probe"))
sys.dont_write_bytecode = True

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import mantissa_probe
import mantissa_probe.modules
import mantissa_probe.counting
import mantissa_probe.deferred
import mantissa_probe.native
from mantissa_probe import cells, reading

torch.set_num_threads(1)
HAS_CPU_SCALER = hasattr(torch, "amp") and hasattr(torch.amp, "GradScaler")
CAN_COMPILE = mantissa_probe.modules.graph.can_compile


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.c_attn, self.c_proj, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.c_attn(x).split(c, 2))
        scores = (q @ k.transpose(-2, -1)) / (c // self.heads) ** 0.5
        scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        return self.c_proj((F.softmax(scores.float(), -1).to(v.dtype) @ v).transpose(1, 2).reshape(b, t, c))


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
    """As nanoGPT's, with tied embeddings."""

    def __init__(self, vocabulary=65, context=16, layers=2, width=32, heads=4):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return logits, F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class ResNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width)
        self.relu, self.fc = nn.ReLU(inplace=True), nn.Linear(width, 10)

    def forward(self, images, labels):
        x = self.relu(self.bn1(self.conv1(images)))
        x = self.relu(self.bn2(self.conv2(x)) + x)
        return F.cross_entropy(self.fc(x.mean((2, 3))).float(), labels)


def tokens(count=4, context=16, vocabulary=65):
    return torch.randint(0, vocabulary, (count, context)), torch.randint(0, vocabulary, (count, context))


def images(count=8):
    return torch.randn(count, 1, 8, 8), torch.randint(0, 10, (count,))


def statistics_of(array):
    """Classes, absolute maximum, smallest and cells of a tensor, by numpy and by another way than the probe's."""
    values = array.detach().to(torch.float32).contiguous().view(torch.int32).numpy().reshape(-1).view(np.uint32).copy()
    magnitude, negative = values & np.uint32(0x7FFFFFFF), values >> 31 == 1
    finite = magnitude < 0x7F800000
    counted = finite & (magnitude > 0)
    classes = (
        int((negative & (magnitude == 0x7F800000)).sum()), int((negative & counted).sum()), int((magnitude == 0).sum()),
        int((~negative & counted).sum()), int((~negative & (magnitude == 0x7F800000)).sum()), int((magnitude > 0x7F800000).sum()),
    )
    numbers = magnitude[counted]
    doubles = np.where(numbers < 0x800000, numbers * 2.0**-149, numbers.view(np.float32).astype(np.float64))
    mantissa, exponent = np.frexp(doubles)
    fraction = ((mantissa * 2 - 1) * 2**23).astype(np.int64)
    index = (exponent - 1 + 149) * 10 + sum((fraction >= start).astype(np.int64) for start in cells.PART_STARTS)
    found, counts = np.unique(index, return_counts=True)
    return (
        classes,
        float(doubles.max()) if doubles.size else 0.0,
        float(doubles.min()) if doubles.size else 0.0,
        dict(zip(found.tolist(), counts.tolist())),
    )


def skips_what_torch_cannot(test):
    """Skips a test where this torch has no such operation for the dtype, or no such autocast."""

    @functools.wraps(test)
    def wrapped(self):
        try:
            test(self)
        except RuntimeError as error:
            if "not implemented for" in str(error) or "only support Bfloat16" in str(error):
                self.skipTest(f"this torch cannot: {error}")
            raise

    return wrapped


class ProbeTest(unittest.TestCase):
    """Has a folder of its own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        torch.manual_seed(0)

    def tearDown(self):
        for probe in list(mantissa_probe.probe.PROBES):
            probe.close()
        self._folder.cleanup()

    def path(self, name="run.mprobe"):
        return str(self.folder / name)

    def watch(self, *arguments, **settings):
        settings.setdefault("to", self.path())
        return mantissa_probe.watch(*arguments, quiet=True, **settings)

    def read(self, name="run.mprobe"):
        run = reading.read_file(self.path(name))
        self.assertEqual(run.problem, "")
        self.assertEqual(run.problems, [])
        return run


def main():
    unittest.main(verbosity=2)
