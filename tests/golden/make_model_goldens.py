#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of model_golden_test.cpp: the first ten steps of each kind of model in PyTorch.

Run by hand when a case changes (needs torch and numpy); the tests only read what it wrote:

    python3 tests/golden/make_model_goldens.py

One `.safetensors` file a case, with
    init.PARAMETER   weights before step 0, in fp32's files; a model's other precisions begin with the same
    grad.PARAMETER   unscaled, unclipped gradient of step 0
    losses [steps]   unscaled mean loss of each step
    first.STATISTIC  running statistics after step 0
    saved_bytes [1]  fp32's files: what autograd keeps of step 0 for its backward pass, parameters apart
and, in its metadata, the versions, the seed, and the case in words.

The 16-bit cases are CUDA autocast written as explicit casts, since a CPU has its own list: products take operands in the low format, sum
in fp32 and round once; layer norms, softmax and mse_loss run in fp32 and give fp32; everything else runs in the format that comes in,
batch norms with fp32 statistics, log_softmax inside of cross_entropy too, and what meets in a sum is promoted.
A residual network's narrow gradients change by percents when one relu falls the other way, for which a last bit is enough; its seed is one
where in bf16 they do not.
"""
import json
import math
import pathlib

import numpy
import torch
from torch.nn import functional

from make_goldens import Cast, cross_entropy, digits, write

HERE = pathlib.Path(__file__).resolve().parent
OPTICKS = HERE.parent.parent / "resources" / "data" / "opticks.txt"
SEED = 20
STEPS = 10
ADAMW = {"kind": "adamw", "lr": 1e-3, "weight_decay": 0.01}
GPT = {"model": "gpt", "n_layer": 2, "n_head": 2, "n_embd": 16, "context": 12, "batch": 4, "optimizer": ADAMW}
LOW_FORMATS = {"fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16}
LLAMA = {"model": "llama", "n_layer": 2, "n_head": 4, "n_kv_head": 2, "n_embd": 16, "n_inner": 24, "context": 12, "batch": 4, "optimizer": ADAMW}
AUTOENCODER = {"model": "autoencoder", "hidden": [24], "code": 6, "batch": 16, "optimizer": ADAMW}
RESNET = {"model": "resnet", "depth": 8, "seed": 43, "batch": 16, "optimizer": ADAMW}
CASES = {
    "autoencoder-fp32": {**AUTOENCODER, "precision": "fp32"},
    "autoencoder-bf16": {**AUTOENCODER, "precision": "bf16"},
    "autoencoder-fp16": {**AUTOENCODER, "precision": "fp16", "scale": 1024.0},
    "resnet-fp32": {**RESNET, "precision": "fp32"},
    "resnet-bf16": {**RESNET, "precision": "bf16"},
    "resnet-fp16": {**RESNET, "precision": "fp16", "scale": 1024.0},
    "gpt-fp32": {**GPT, "precision": "fp32"},
    "gpt-fp32-untied-without-bias": {**GPT, "precision": "fp32", "tie_weights": False, "bias": False},
    "gpt-bf16": {**GPT, "precision": "bf16"},
    "gpt-fp16": {**GPT, "precision": "fp16", "scale": 1024.0},
    "llama-fp32": {**LLAMA, "precision": "fp32"},
    "llama-bf16": {**LLAMA, "precision": "bf16"},
    "llama-fp16": {**LLAMA, "precision": "fp16", "scale": 1024.0},
}


class Precision:
    """Tensors are fp32 throughout; what is in the low format holds its numbers."""

    def __init__(self, low):
        self.low = low

    def cast(self, x):
        return Cast.apply(x, self.low) if self.low else x

    def linear(self, x, weight, bias=None):
        return self.cast(functional.linear(self.cast(x), self.cast(weight), None if bias is None else self.cast(bias)))

    def product(self, a, b):
        return self.cast(self.cast(a) @ self.cast(b))


class Autoencoder:
    """Two torch.nn.Sequential: linear layers down to the code and back, tanh between them."""

    def __init__(self, case, features):
        self.parameters, self.statistics = {}, {}
        widths = [features, *case["hidden"], case["code"]]
        self.parts = [("encoder", widths), ("decoder", widths[::-1])]
        for part, sizes in self.parts:
            for i in range(len(sizes) - 1):
                layer = torch.nn.Linear(sizes[i], sizes[i + 1])
                self.parameters[f"{part}.{2 * i}.weight"], self.parameters[f"{part}.{2 * i}.bias"] = layer.weight, layer.bias

    def loss(self, images, _, p):
        x = images
        for part, sizes in self.parts:
            for i in range(len(sizes) - 1):
                x = p.linear(x, self.parameters[f"{part}.{2 * i}.weight"], self.parameters[f"{part}.{2 * i}.bias"])
                if part == "encoder" or i + 2 < len(sizes):
                    x = p.cast(torch.tanh(x))
        return functional.mse_loss(x, images)


class Resnet:
    """CIFAR's residual network with torchvision's names; planes of one channel, so that the order of channels is of no matter."""

    WIDTHS = (16, 32, 64)

    def __init__(self, case, classes):
        self.blocks = (case["depth"] - 2) // 6
        self.parameters, self.statistics = {}, {}
        self.conv_norm("conv1", "bn1", 1, 16, 3)
        width = 16
        for stage, out in enumerate(self.WIDTHS, 1):
            for i in range(self.blocks):
                block = f"layer{stage}.{i}"
                self.conv_norm(block + ".conv1", block + ".bn1", width, out, 3)
                self.conv_norm(block + ".conv2", block + ".bn2", out, out, 3)
                if width != out:
                    self.conv_norm(block + ".downsample.0", block + ".downsample.1", width, out, 1)
                width = out
        self.parameters["fc.weight"] = ((torch.rand(classes, width) * 2 - 1) / 8).requires_grad_()
        self.parameters["fc.bias"] = ((torch.rand(classes) * 2 - 1) / 8).requires_grad_()

    def conv_norm(self, conv, norm, channels, out, size):
        deviation = math.sqrt(2 / (out * size * size))
        self.parameters[conv + ".weight"] = (torch.randn(out, channels, size, size) * deviation).requires_grad_()
        self.parameters[norm + ".weight"] = (1 + 0.1 * torch.randn(out)).requires_grad_()
        self.parameters[norm + ".bias"] = (0.1 * torch.randn(out)).requires_grad_()
        self.statistics[norm + ".running_mean"], self.statistics[norm + ".running_var"] = torch.zeros(out), torch.ones(out)

    def convolved(self, x, conv, norm, p, stride=1):
        weight = self.parameters[conv + ".weight"]
        x = p.cast(functional.conv2d(p.cast(x), p.cast(weight), stride=stride, padding=weight.shape[-1] // 2))
        statistics = self.statistics[norm + ".running_mean"], self.statistics[norm + ".running_var"]
        return p.cast(functional.batch_norm(x, *statistics, self.parameters[norm + ".weight"], self.parameters[norm + ".bias"], training=True))

    def loss(self, images, labels, p):
        x = torch.relu(self.convolved(images.view(-1, 1, 8, 8), "conv1", "bn1", p))
        for stage in range(1, 4):
            for i in range(self.blocks):
                block, stride = f"layer{stage}.{i}", 2 if stage > 1 and i == 0 else 1
                y = torch.relu(self.convolved(x, block + ".conv1", block + ".bn1", p, stride))
                y = self.convolved(y, block + ".conv2", block + ".bn2", p)
                if stride == 2:
                    x = self.convolved(x, block + ".downsample.0", block + ".downsample.1", p, stride)
                x = torch.relu(p.cast(y + x))
        x = p.cast(x.mean((2, 3)))
        return cross_entropy(p.linear(x, self.parameters["fc.weight"], self.parameters["fc.bias"]), labels, p.low)


class Transformer:
    """What language models share. `parameters`: by name, in the order of the original's modules."""

    def __init__(self, case):
        self.heads, self.layers, self.width = case["n_head"], case["n_layer"], case["n_embd"]
        self.has_bias = case.get("bias", True)
        self.parameters, self.statistics = {}, {}

    def move_away(self):
        """Biases and norms away from 0 and 1, and weights so large that attention is far from uniform: an error in them shows."""
        with torch.no_grad():
            for name, p in self.parameters.items():
                if p.dim() == 1:
                    p.add_(torch.randn(p.shape) * 0.1)
                else:
                    p.mul_(8)

    def add(self, name, tensor):
        self.parameters[name] = tensor.requires_grad_()

    def normal(self, layer, shape, deviation=0.02):
        self.add(layer + ".weight", torch.randn(shape) * deviation)

    def linear(self, layer, out, width, deviation=0.02):
        self.normal(layer, (out, width), deviation)
        if self.has_bias:
            self.add(layer + ".bias", torch.zeros(out))

    def norm(self, layer):
        self.add(layer + ".weight", torch.ones(self.width))
        if self.has_bias:
            self.add(layer + ".bias", torch.zeros(self.width))

    def weights(self, layer):
        return self.parameters[layer + ".weight"], self.parameters.get(layer + ".bias")

    def normed(self, x, layer):
        return functional.layer_norm(x, x.shape[-1:], *self.weights(layer))

    def heads_of(self, x):
        """[samples, length, heads * size] -> [samples, heads, length, size]"""
        return x.view(*x.shape[:2], -1, self.width // self.heads).transpose(1, 2)

    def attend(self, q, k, v, p):
        length = q.shape[2]
        scores = p.cast(p.product(q, k.transpose(-2, -1)) * (1 / math.sqrt(q.shape[3])))
        scores = scores.masked_fill(torch.ones(length, length).tril() == 0, float("-inf"))
        mixed = p.product(functional.softmax(scores, dim=-1), v)
        return mixed.transpose(1, 2).reshape(q.shape[0], length, self.width)

    def cross_entropy(self, x, head, labels, p):
        logits = p.linear(x, head)
        return cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1), p.low)


class Gpt(Transformer):
    """GPT-2 as nanoGPT has it, with its names."""

    def __init__(self, case, vocabulary):
        super().__init__(case)
        self.is_tied = case.get("tie_weights", True)
        self.normal("transformer.wte", (vocabulary, self.width))
        self.normal("transformer.wpe", (case["context"], self.width))
        residual = 0.02 / math.sqrt(2 * self.layers)
        for i in range(self.layers):
            block = f"transformer.h.{i}"
            self.norm(block + ".ln_1")
            self.linear(block + ".attn.c_attn", 3 * self.width, self.width)
            self.linear(block + ".attn.c_proj", self.width, self.width, residual)
            self.norm(block + ".ln_2")
            self.linear(block + ".mlp.c_fc", 4 * self.width, self.width)
            self.linear(block + ".mlp.c_proj", self.width, 4 * self.width, residual)
        self.norm("transformer.ln_f")
        if not self.is_tied:
            self.normal("lm_head", (vocabulary, self.width))
        self.move_away()

    def attention(self, x, layer, p):
        q, k, v = map(self.heads_of, p.linear(x, *self.weights(layer + ".c_attn")).split(self.width, dim=2))
        return p.linear(self.attend(q, k, v, p), *self.weights(layer + ".c_proj"))

    def loss(self, tokens, labels, p):
        x = self.parameters["transformer.wte.weight"][tokens] + self.parameters["transformer.wpe.weight"][: tokens.shape[1]]
        for i in range(self.layers):
            block = f"transformer.h.{i}"
            x = x + self.attention(self.normed(x, block + ".ln_1"), block + ".attn", p)
            wide = p.linear(self.normed(x, block + ".ln_2"), *self.weights(block + ".mlp.c_fc"))
            x = x + p.linear(p.cast(functional.gelu(wide)), *self.weights(block + ".mlp.c_proj"))
        head = self.parameters["transformer.wte.weight" if self.is_tied else "lm_head.weight"]
        return self.cross_entropy(self.normed(x, "transformer.ln_f"), head, labels, p)


class Llama(Transformer):
    """Llama with Hugging Face's names: halves of a head are turned together."""

    def __init__(self, case, vocabulary):
        super().__init__(case)
        self.has_bias = False
        size = self.width // self.heads
        self.normal("model.embed_tokens", (vocabulary, self.width))
        for i in range(self.layers):
            block = f"model.layers.{i}"
            for name, out in (("q", self.heads), ("k", case["n_kv_head"]), ("v", case["n_kv_head"])):
                self.linear(f"{block}.self_attn.{name}_proj", out * size, self.width)
            self.linear(block + ".self_attn.o_proj", self.width, self.width)
            self.linear(block + ".mlp.gate_proj", case["n_inner"], self.width)
            self.linear(block + ".mlp.up_proj", case["n_inner"], self.width)
            self.linear(block + ".mlp.down_proj", self.width, case["n_inner"])
            self.norm(block + ".input_layernorm")
            self.norm(block + ".post_attention_layernorm")
        self.norm("model.norm")
        self.move_away()
        self.normal("lm_head", (vocabulary, self.width), 0.16)
        angles = torch.arange(case["context"])[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
        self.cos, self.sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

    def normed(self, x, layer):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.parameters[layer + ".weight"]

    def turned(self, x, p):
        """In fp32, as cosines and sines are; attention rounds it. Each of the two gradients is rounded, as x is in the low format."""
        first, second = p.cast(x).chunk(2, dim=-1)
        return p.cast(x) * self.cos + torch.cat((-second, first), dim=-1) * self.sin

    def attention(self, x, layer, p):
        q, k, v = (self.heads_of(p.linear(x, *self.weights(f"{layer}.{name}_proj"))) for name in "qkv")
        group = q.shape[1] // k.shape[1]
        k, v = (part.repeat_interleave(group, dim=1) for part in (self.turned(k, p), v))
        return p.linear(self.attend(self.turned(q, p), k, v, p), *self.weights(layer + ".o_proj"))

    def mlp(self, x, layer, p):
        gate, up = (p.linear(x, *self.weights(f"{layer}.{name}_proj")) for name in ("gate", "up"))
        return p.linear(p.cast(p.cast(functional.silu(gate)) * up), *self.weights(layer + ".down_proj"))

    def loss(self, tokens, labels, p):
        x = self.parameters["model.embed_tokens.weight"][tokens]
        for i in range(self.layers):
            block = f"model.layers.{i}"
            x = x + self.attention(self.normed(x, block + ".input_layernorm"), block + ".self_attn", p)
            x = x + self.mlp(self.normed(x, block + ".post_attention_layernorm"), block + ".mlp", p)
        return self.cross_entropy(self.normed(x, "model.norm"), self.parameters["lm_head.weight"], labels, p)


def opticks(context):
    """Windows of the training part side by side: tokens, and the token after each."""
    text = OPTICKS.read_text(encoding="utf-8")
    characters = sorted(set(text))
    number = {c: i for i, c in enumerate(characters)}
    stream = torch.tensor([number[c] for c in text[: len(text) * 9 // 10]])

    def batch(first, count):
        starts = [i * context for i in range(first, first + count)]
        return (torch.stack([stream[s : s + context] for s in starts]), torch.stack([stream[s + 1 : s + 1 + context] for s in starts]))

    return batch, len(characters)


def digit_batches():
    images, labels = digits()
    return (lambda first, count: (images[first : first + count], labels[first : first + count])), 10


def saved_bytes(model, batch):
    """Each storage once; the running statistics are left as they were."""
    inputs, labels = (part.clone() for part in batch)  # storages of their own
    apart = {p.data_ptr() for p in model.parameters.values()}
    statistics = {name: s.clone() for name, s in model.statistics.items()}
    saved = {}

    def pack(tensor):
        if tensor.storage().data_ptr() not in apart:
            saved[tensor.storage().data_ptr()] = tensor.storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = model.loss(inputs, labels, Precision(None))  # alive, so that no storage is used twice
    for name, s in statistics.items():
        model.statistics[name].copy_(s)
    return float(sum(saved.values()) + 0 * loss.item())


def train(case):
    batch, classes = opticks(case["context"]) if "context" in case else digit_batches()
    torch.manual_seed(case.get("seed", SEED))
    model = Autoencoder(case, 64) if case["model"] == "autoencoder" else {"gpt": Gpt, "llama": Llama, "resnet": Resnet}[case["model"]](case, classes)
    out = {}
    if case["precision"] == "fp32":
        out = {f"init.{name}": p.detach().clone() for name, p in {**model.parameters, **model.statistics}.items()}
        out["saved_bytes"] = torch.tensor([saved_bytes(model, batch(0, case["batch"]))])
    options = dict(case["optimizer"])
    options.pop("kind")
    optimizer = torch.optim.AdamW(model.parameters.values(), **options)
    precision, scale = Precision(LOW_FORMATS[case["precision"]]), case.get("scale", 1.0)
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = model.loss(*batch(step * case["batch"], case["batch"]), precision)
        losses.append(loss.item())
        (loss * scale).backward()
        for name, p in model.parameters.items():
            p.grad /= scale
            assert torch.isfinite(p.grad).all(), name
            if step == 0:
                out[f"grad.{name}"] = p.grad.clone()
        if step == 0:
            out.update({f"first.{name}": s.clone() for name, s in model.statistics.items()})
        optimizer.step()
    out["losses"] = torch.tensor(losses)
    return out


def main():
    torch.set_num_threads(1)
    for name, case in CASES.items():
        tensors = train(case)
        metadata = {"torch": torch.__version__, "numpy": numpy.__version__, "seed": str(case.get("seed", SEED)), "case": json.dumps(case)}
        write(HERE / f"{name}.safetensors", tensors, metadata)
        print(f"{name}: loss {tensors['losses'][0]:.4f} -> {tensors['losses'][-1]:.4f}")


if __name__ == "__main__":
    main()
