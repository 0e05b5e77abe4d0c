#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of first_gradients_test.cpp: first gradients in PyTorch of four small models, five seeds and three formats.

Run by hand when a model or its initial weights change (needs torch and numpy, and the program, whose initial weights PyTorch takes over):

    python3 tests/golden/make_first_gradients.py build/release/bin/mantissa

One `first-gradients-MODEL.safetensors` a model, with
    SEED.FORMAT.PARAMETER   unscaled gradient of step 0: of a larger parameter every n-th element, SAMPLED of them at most
    SEED.FORMAT.losses      unscaled losses of ten steps of AdamW
    SEED.FORMAT.self [2]    how far PyTorch is from itself where it sums products, convolutions and batch norms in double: the first gradients'
                            distance as a share of the format's effect, and the largest relative difference of a loss
    SEED.FORMAT.double.PARAMETER, SEED.FORMAT.double.losses
                            the same of PyTorch where it sums so: results that no order of a sum changes
    SEED.sum [1]            sum of all initial weights, so that other ones are noticed
Semantics, casts included, are those of make_model_goldens.py; fp16 with a loss scale of 2^16.

With `--autocast` it writes nothing and prints how far these explicit casts are from PyTorch's CPU autocast with the CUDA list forced on it.
"""
import contextlib
import json
import math
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
from unittest import mock

import numpy
import torch
from torch.nn import functional

import make_model_goldens as models
from make_goldens import cross_entropy, write

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = [1, 2, 3, 4, 5]
SAMPLED = 400
SCALE = 65536.0
TOKENS = {"data": {"name": "opticks", "batch_size": 4, "order": "sequential", "context": 12}}
DIGITS = {"data": {"name": "digits", "batch_size": 16, "order": "sequential"}}
SETTINGS = {
    "mlp": {**DIGITS, "model": {"kind": "mlp", "hidden": [32, 24]}},
    "resnet": {**DIGITS, "model": {"kind": "resnet", "depth": 8}},
    "gpt": {**TOKENS, "model": {"kind": "gpt", "n_layer": 2, "n_head": 2, "n_embd": 16}},
    "llama": {**TOKENS, "model": {"kind": "llama", "n_layer": 2, "n_head": 4, "n_kv_head": 2, "n_embd": 16, "n_inner": 24, "tie_weights": False}},
}


class Mlp:
    def __init__(self, case, features):
        widths = [features, *case["hidden"], 10]
        self.statistics, self.parameters, self.count = {}, {}, len(widths) - 1
        for i, (width, out) in enumerate(zip(widths, widths[1:])):
            layer = torch.nn.Linear(width, out)
            self.parameters[f"layers.{i}.weight"], self.parameters[f"layers.{i}.bias"] = layer.weight, layer.bias

    def loss(self, images, labels, p):
        x = images
        for i in range(self.count):
            x = p.linear(x, self.parameters[f"layers.{i}.weight"], self.parameters[f"layers.{i}.bias"])
            x = torch.relu(x) if i + 1 < self.count else x
        return cross_entropy(x, labels, p.low)


def make_model(name, classes):
    settings = SETTINGS[name]
    case = {**settings["model"], **settings["data"]}
    return {"mlp": lambda: Mlp(case, 64), "resnet": lambda: models.Resnet(case, classes), "gpt": lambda: models.Gpt(case, classes),
            "llama": lambda: models.Llama(case, classes)}[name]()


def initial_weights(program, name, seed):
    """As the program draws them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        experiment = {**SETTINGS[name], "init": {"seed": seed}, "steps": 0, "runs": [{"name": "run", "precision": "fp32"}]}
        (path / "e.json").write_text(json.dumps(experiment))
        subprocess.run([program, "train", str(path / "e.json"), "--quiet", "--save-weights", folder], check=True, stdout=subprocess.DEVNULL)
        blob = (path / "run.safetensors").read_bytes()
    length = struct.unpack("<Q", blob[:8])[0]
    header = json.loads(blob[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for tensor, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[tensor] = torch.from_numpy(numpy.frombuffer(blob[begin:end], "<f4").reshape(entry["shape"]).copy())
    return tensors


def sampled(gradient):
    flat = gradient.flatten()
    return flat[:: max(1, -(-flat.numel() // SAMPLED))].clone()


def run(name, low, weights):
    is_text = "context" in SETTINGS[name]["data"]
    batch, classes = models.opticks(SETTINGS[name]["data"]["context"]) if is_text else models.digit_batches()
    model, size = make_model(name, classes), SETTINGS[name]["data"]["batch_size"]
    with torch.no_grad():
        for parameter, tensor in {**model.parameters, **model.statistics}.items():
            source = weights[parameter]
            tensor.copy_(source.reshape(tensor.shape) if source.dim() != 4 else source)
    optimizer = torch.optim.AdamW(model.parameters.values(), lr=1e-3, weight_decay=0.01)
    precision, scale = models.Precision(low), SCALE if low == torch.float16 else 1.0
    losses, gradients = [], {}
    for step in range(10):
        optimizer.zero_grad()
        loss = model.loss(*batch(step * size, size), precision)
        losses.append(loss.item())
        (loss * scale).backward()
        for parameter, p in model.parameters.items():
            p.grad /= scale
            assert torch.isfinite(p.grad).all(), (name, parameter)
            if step == 0:
                gradients[parameter] = sampled(p.grad)
        optimizer.step()
    return gradients, torch.tensor(losses)


@contextlib.contextmanager
def summing_in_double():
    """Other last bits of fp32, which both programs may have."""
    names = ["linear", "conv2d", "batch_norm"]
    plain = {name: getattr(functional, name) for name in names}

    def in_double(name):
        def call(*tensors, **options):
            if name == "batch_norm":  # running statistics, which have no part in the first losses, stay as they are
                tensors = [t.clone() for t in tensors]
            return plain[name](*(None if t is None else t.double() for t in tensors), **options).float()

        return call

    for name in names:
        setattr(functional, name, in_double(name))
    try:
        yield
    finally:
        for name in names:
            setattr(functional, name, plain[name])


def distance(a, b):
    return math.sqrt(sum(((a[name] - b[name]).double() ** 2).sum().item() for name in a))


class CpuAutocast(models.Precision):
    """Products of torch.autocast('cpu') on tensors of the low format, in place of explicit casts."""

    def cast(self, x):
        return x.to(self.low)

    def linear(self, x, weight, bias=None):
        with torch.autocast("cpu", dtype=self.low):
            return functional.linear(x, weight, bias)

    def product(self, a, b):
        with torch.autocast("cpu", dtype=self.low):
            return a @ b


@contextlib.contextmanager
def cpu_autocast(loss):
    """The CUDA list on the CPU: layer norm and softmax in fp32, the loss as given."""
    with contextlib.ExitStack() as stack:
        for owner, name, own in [(models, "Precision", CpuAutocast), (models, "cross_entropy", loss), (sys.modules[__name__], "cross_entropy", loss)]:
            stack.enter_context(mock.patch.object(owner, name, own))
        for name in ["layer_norm", "softmax"]:
            plain = getattr(functional, name)
            in_fp32 = lambda x, *a, plain=plain, **options: plain(x.float(), *a, **options)
            stack.enter_context(mock.patch.object(functional, name, in_fp32))
        yield


def print_distance_from_cpu_autocast(program):
    """The CPU's log_softmax rounds twice in 16 bits, where CUDA's rounds once: distances with either."""
    losses = {"rounds once": lambda logits, labels, low, rounds_once=cross_entropy: rounds_once(logits.float(), labels, low),
              "of the CPU": lambda logits, labels, _: functional.nll_loss(functional.log_softmax(logits, dim=-1).float(), labels)}
    for name in SETTINGS:
        weights = [initial_weights(program, name, seed) for seed in SEEDS]
        exact = [run(name, None, w)[0] for w in weights]
        for format in ["fp16", "bf16"]:
            low = models.LOW_FORMATS[format]
            casts = [run(name, low, w)[0] for w in weights]
            for kind, loss in losses.items():
                with cpu_autocast(loss):
                    gradients = [run(name, low, w)[0] for w in weights]
                shares = [distance(g, c) / distance(c, e) for g, c, e in zip(gradients, casts, exact)]
                print(f"{name} {format}, log_softmax {kind}: median {statistics.median(shares):.4f}", flush=True)


def main():
    torch.set_num_threads(1)
    if "--autocast" in sys.argv:
        return print_distance_from_cpu_autocast(sys.argv[1])
    for name in SETTINGS:
        out = {}
        for seed in SEEDS:
            weights = initial_weights(sys.argv[1], name, seed)
            out[f"{seed}.sum"] = torch.tensor([sum(w.double().sum() for w in weights.values())]).float()
            for format, low in models.LOW_FORMATS.items():
                gradients, losses = run(name, low, weights)
                out.update({f"{seed}.{format}.{parameter}": g for parameter, g in gradients.items()})
                out[f"{seed}.{format}.losses"] = losses
                if low is None:
                    exact = gradients
                with summing_in_double():
                    others, other_losses = run(name, low, weights)
                out.update({f"{seed}.{format}.double.{parameter}": g for parameter, g in others.items()})
                out[f"{seed}.{format}.double.losses"] = other_losses
                if low is None:
                    continue
                share = distance(others, gradients) / distance(gradients, exact)
                out[f"{seed}.{format}.self"] = torch.tensor([share, ((other_losses - losses) / losses).abs().max().item()])
        write(HERE / f"first-gradients-{name}.safetensors", out,
              {"torch": torch.__version__, "numpy": numpy.__version__, "seeds": json.dumps(SEEDS), "settings": json.dumps(SETTINGS[name])})
        print(name)


if __name__ == "__main__":
    main()
