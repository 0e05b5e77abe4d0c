#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of block_training_golden_test.cpp: PyTorch trains 50 steps in each block policy, its linear layers written out.

Run by hand when a definition changes (needs torch and numpy; about ten minutes on one core):

    python3 tests/golden/make_block_training_goldens.py [CASE ...]      (with names: prints their runs and writes nothing)
    python3 tests/golden/make_block_training_goldens.py --add CASE ...  (adds cases to the file; the others stay as they are)

block-training.safetensors has
    MODEL.init.PARAMETER    weights before step 0, numbers of bf16
and for each case, with parameters in the order of MODEL.init
    CASE.losses [steps]     mean loss of each step
    CASE.others [steps]     largest difference of that step's loss, or an earlier one's, from the runs below
    CASE.grads [n, 25]      of each parameter's gradient of step 0 the 2-norm, then 24 elements: number i is element i * count // 24
    CASE.grads_others [1]   largest 2-norm of the difference of those elements, beside their own, of any parameter in the first six runs below
    CASE.final [n, 25]      of each parameter after the last step the same as of gradients
    CASE.final_others [n]   largest 2-norm of the difference of those elements from the runs below
and, in its metadata, the versions, the models with their seeds and the cases in words.

A run is the bf16 policy of make_model_goldens.py, except for linear layers that are neither the head nor kept in bf16. Their products y = x w^T,
dx = dy w and dw = dy^T x take their operands in blocks along the sum, each from the bf16 tensor: codes and scales by block_oracle.py. A case that
requantises takes dw's x from the numbers of y's x instead, rounded to bf16. Elements
times scales are summed, in double and rounded to fp32; the sum is multiplied by fp32(the factors of both tensors), which only nvfp4 has; then comes
the bias, all in fp32, and one rounding to bf16. A bias's gradient is the sum of dy. Nothing is rounded stochastically.

The other runs, each as right as the reference: sums in fp32 as PyTorch has them, and with the terms permuted; exp, log, erf and square roots in
double; PyTorch's fused AdamW, which changes last bits of fp32 weights, and so which weights are rounded up to bf16; and, five times, one output of
a linear layer rounded the other way in each of the steps 0 to 9, the largest of 16 random ones. Their distance is what single roundings that fall
the other way grow to. Of step 0's gradients, one such rounding can change whole tensors: in attention, with elements of four bits, by half.
A model's seed is one where in step 0 none does in the first six runs, nor in the program.
"""
import functools
import json
import pathlib
import sys

import numpy
import torch
from numpy import float32
from torch.nn import functional

import block_oracle as oracle
from make_block_goldens import amax_without_nan, cut, read, uncut, write
from make_goldens import bf16, cross_entropy, digits
from make_model_goldens import Gpt, Llama, Precision, opticks

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "2"
STEPS = 50
SAMPLES = 24
SPREAD = 4  # binades up and down
ADAMW = {"lr": 1e-3, "weight_decay": 0.01}

# 150 rows: blocks of 16, 32 and 128 end with shorter ones, and six rows are not rotated. 160 columns: likewise.
MODELS = {"mlp": {"hidden": [160, 48], "batch": 150, "seed": 20},
          "gpt": {"n_layer": 2, "n_head": 2, "n_embd": 32, "context": 20, "batch": 4, "seed": 23},
          "llama": {"n_layer": 2, "n_head": 4, "n_kv_head": 2, "n_embd": 32, "n_inner": 80, "context": 20, "batch": 4, "seed": 23}}

# The recipes of Transformer Engine d0067d0, and of torchao for whole rows and for less than eight bits: formats of x and w, and of dy; rule or dialect.
RECIPES = {"fp8-block": {"forward": "fp8_block_e4m3", "gradient": "fp8_block_e4m3", "variant": "power-of-two", "square": True},
           "fp8-rowwise": {"forward": "fp8_block_e4m3", "gradient": "fp8_block_e4m3", "variant": "power-of-two", "rows": True},
           "mxfp8": {"forward": "mxfp8_e4m3", "gradient": "mxfp8_e4m3", "variant": "round-up"},
           "mxfp6": {"forward": "mxfp6_e2m3", "gradient": "mxfp6_e2m3", "variant": "round-up"},
           "mxfp4": {"forward": "mxfp4", "gradient": "mxfp4", "variant": "round-up"},
           "nvfp4": {"forward": "nvfp4", "gradient": "nvfp4", "variant": "te", "square": True, "rotate": True, "keep_last": 0.15}}

VARIANTS = {"mlp.mxfp8.e5m2": {"gradient": "mxfp8_e5m2"},
            "mlp.fp8-block.e5m2": {"gradient": "fp8_block_e5m2"},
            "mlp.mxfp6.e3m2": {"gradient": "mxfp6_e3m2"},
            **{f"mlp.mxfp8.{rule}": {"variant": rule} for rule in ("floor", "rceil", "ceil", "even")},
            "mlp.mxfp8.square": {"square": True},
            "mlp.fp8-block.unsquare": {"square": False},
            "mlp.fp8-block.fp32": {"variant": "fp32"},
            "mlp.fp8-block.requantised": {"requantise": True},
            "mlp.fp8-block.fp32-requantised": {"variant": "fp32", "requantise": True},
            "mlp.fp8-rowwise.fp32": {"variant": "fp32"},
            "llama.fp8-block.fp32-requantised": {"variant": "fp32", "requantise": True},
            "mlp.nvfp4.unsquare": {"square": False},
            "mlp.nvfp4.unrotated": {"rotate": False},
            "mlp.mxfp4.rotated": {"rotate": True},
            "mlp.nvfp4.kept": {"keep_last": 0.5},
            "mlp.nvfp4.exact": {"variant": "exact"},
            "mlp.nvfp4.torchao-inference": {"variant": "torchao-inference"},
            "mlp.nvfp4.bf16-forward": {"wide_forward": True}}
CASES = {**{f"{model}.{policy}": {"model": model, **recipe} for model in MODELS for policy, recipe in RECIPES.items()},
         **{name: {"model": name.split(".")[0], **RECIPES[name.split(".")[1]], **changes} for name, changes in VARIANTS.items()}}
OTHERS = ["fp32", "double functions", "permuted 1", "double functions, permuted 2", "fused", "fused, double functions, permuted 3",
          *(f"other rounding {i}" for i in range(5))]
NATURAL = 6  # of these


class Arithmetic:
    """How sums are formed and functions evaluated: "reference" or one of OTHERS."""

    def __init__(self, name, layers):
        self.name, seed = name, int(name[-1]) if name[-1].isdigit() else 0
        self.random = torch.Generator().manual_seed(seed)
        self.permutation = seed if "permuted" in name else None
        self.layers, self.calls = layers, 0 if name.startswith("other rounding") else None

    def product(self, a, b):
        if self.name == "fp32":
            return a @ b
        if self.permutation is None:
            return (a.double() @ b.double()).float()
        p = torch.randperm(a.shape[-1], generator=torch.Generator().manual_seed(self.permutation))
        return a[..., p] @ b[..., p, :]

    def rounded(self, y):
        """A linear layer's output in bf16."""
        y = bf16(y)
        if self.calls is None or self.calls >= 10 * self.layers:
            return y
        if self.calls % self.layers == 0:
            self.place = int(torch.randint(0, self.layers, (), generator=self.random))
        if self.calls % self.layers == self.place:
            chosen = torch.randint(0, y.numel(), (16,), generator=self.random)
            bits = y.view(-1).view(torch.int32)
            bits[chosen[y.view(-1)[chosen].argmax()]] += 0x10000
        self.calls += 1
        return y

    def sum_of_rows(self, x):
        return self.product(torch.ones(1, x.shape[0]), x)[0]

    def __enter__(self):
        """Functions that PyTorch evaluates in fp32, in double."""
        self.places = [(functional, "gelu"), (functional, "silu"), (functional, "softmax"), (functional, "layer_norm"), (torch, "log_softmax"),
                       (torch, "rsqrt")]
        self.kept = [getattr(*place) for place in self.places]
        if "double functions" in self.name:
            for place, function in zip(self.places, self.kept):
                setattr(*place, self.in_double(function))
        return self

    def __exit__(self, *_):
        for place, function in zip(self.places, self.kept):
            setattr(*place, function)

    @staticmethod
    def in_double(function):
        wide = lambda x: x.double() if isinstance(x, torch.Tensor) else x
        return lambda *parts, **named: function(*map(wide, parts), **named).float()


# s / 4 of R = diag(s) H / 4.
SIGNS = numpy.array([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1], float32) / 4


def rotated(x):
    """Each 16 rows times R, in fp32, rounded to bf16; the rows after the last 16 as they are. H by sums and differences at distances 1, 2, 4
    and 8."""
    whole = x.shape[0] // 16 * 16
    v = x[:whole].reshape(-1, 16, x.shape[1]) * SIGNS[None, :, None]
    for distance in (1, 2, 4, 8):
        pairs = v.reshape(v.shape[0], 8 // distance, 2, distance, -1)
        v = numpy.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(v.shape)
    return numpy.concatenate([bf16(torch.from_numpy(v.reshape(whole, -1))).numpy(), x[whole:]])


def quantized(name, variant, block, x):
    """The numbers of a matrix in a block format, without the tensor's factor, and that factor."""
    x = numpy.ascontiguousarray(x.numpy() if isinstance(x, torch.Tensor) else x)
    blocks, factor = cut(x, block), float32(1)
    if name == "nvfp4":
        S = oracle.tensor_scale(variant, amax_without_nan(x))
        codes, scales = oracle.quantize_nvfp4(variant, S, blocks)
        numbers = oracle.element_values(2, 1)[codes] * oracle.e4m3_values(scales)[:, None]
        factor = S if variant == "torchao-inference" else float32(1) / S
    else:
        codes, scales = oracle.quantize_mx(name, variant, blocks)
        numbers = oracle.dequantize_mx(name, codes, scales)
    return torch.from_numpy(numpy.ascontiguousarray(uncut(numbers, x.shape, block))), factor


def operand(case, x, sums_rows, is_gradient=False, is_weight=False, rotates=False):
    """A matrix in blocks along its rows, or along its columns where the product sums its rows."""
    name = case["gradient" if is_gradient else "forward"]
    size = oracle.BLOCK_SIZES[name]
    block = (size, 1) if sums_rows else (1, size)
    if case.get("rows"):
        block = (x.shape[0], 1) if sums_rows else (1, x.shape[1])
    if is_weight and case.get("square"):
        block = (size, size)
    return quantized(name, case["variant"], block, rotated(x.numpy()) if rotates else x)


class BlockLinear(torch.autograd.Function):
    """x [rows, in], w [out, in], b [out] or nothing: numbers of bf16."""

    @staticmethod
    def forward(ctx, x, w, b, case, arithmetic):
        ctx.save_for_backward(x, w)
        ctx.case, ctx.arithmetic, ctx.has_bias = case, arithmetic, b is not None
        if case is None or case.get("wide_forward"):
            y = arithmetic.product(x, w.t())
        else:
            (xq, x_factor), (wq, w_factor) = operand(case, x, False), operand(case, w, False, is_weight=True)
            y = arithmetic.product(xq, wq.t()) * float(x_factor * w_factor)
        return arithmetic.rounded(y if b is None else y + b)

    @staticmethod
    def backward(ctx, dy):
        (x, w), case, product = ctx.saved_tensors, ctx.case, ctx.arithmetic.product
        dy = bf16(dy)
        db = bf16(ctx.arithmetic.sum_of_rows(dy)) if ctx.has_bias else None
        if case is None:
            return bf16(product(dy, w)), bf16(product(dy.t(), x)), db, None, None
        (gq, g_factor), (wq, w_factor) = operand(case, dy, False, is_gradient=True), operand(case, w, True, is_weight=True)
        dx = product(gq, wq) * float(g_factor * w_factor)
        rotates = case.get("rotate", False)
        if case.get("requantise"):
            x = bf16(operand(case, x, False)[0])
        (gq, g_factor), (xq, x_factor) = operand(case, dy, True, is_gradient=True, rotates=rotates), operand(case, x, True, rotates=rotates)
        dw = product(gq.t(), xq) * float(g_factor * x_factor)
        return bf16(dx), bf16(dw), db, None, None


class Product(torch.autograd.Function):
    """Attention's, of bf16 numbers."""

    @staticmethod
    def forward(ctx, a, b, arithmetic):
        ctx.save_for_backward(a, b)
        ctx.arithmetic = arithmetic
        return bf16(arithmetic.product(a, b))

    @staticmethod
    def backward(ctx, gradient):
        (a, b), product, gradient = ctx.saved_tensors, ctx.arithmetic.product, bf16(gradient)
        return bf16(product(gradient, b.transpose(-2, -1))), bf16(product(a.transpose(-2, -1), gradient)), None


class BlockPrecision(Precision):
    """The bf16 policy with products in blocks where `in_blocks` holds the weight."""

    def __init__(self, case, in_blocks, arithmetic):
        super().__init__(torch.bfloat16)
        self.case, self.in_blocks, self.arithmetic = case, in_blocks, arithmetic

    def linear(self, x, weight, bias=None):
        case = self.case if any(weight is w for w in self.in_blocks) else None
        y = BlockLinear.apply(self.cast(x).reshape(-1, x.shape[-1]), self.cast(weight), None if bias is None else self.cast(bias), case, self.arithmetic)
        return y.view(*x.shape[:-1], -1)

    def product(self, a, b):
        return Product.apply(self.cast(a), self.cast(b), self.arithmetic)


class Mlp:
    def __init__(self, case, classes):
        self.widths, self.parameters = [64, *case["hidden"], classes], {}
        for i, (width, out) in enumerate(zip(self.widths, self.widths[1:])):
            layer = torch.nn.Linear(width, out)
            self.parameters[f"layers.{i}.weight"], self.parameters[f"layers.{i}.bias"] = layer.weight, layer.bias

    def loss(self, x, labels, p):
        last = len(self.widths) - 2
        for i in range(last + 1):
            x = p.linear(x, self.parameters[f"layers.{i}.weight"], self.parameters[f"layers.{i}.bias"])
            x = x if i == last else p.cast(torch.relu(x))
        return cross_entropy(x, labels, p.low)


def spread_out(name, parameters):
    """Numbers of one magnitude have the same elements under any power of two, so units that only pass a linear layer, a relu or a product
    are multiplied by powers of two, and the weights that read them are divided by those: the same function."""
    def move(rows, columns):
        """Rows of weights and biases, and columns of weights, share memory with the parameters."""
        powers = torch.exp2(torch.randint(-SPREAD, SPREAD + 1, (len(rows[0]),)).float())
        for part in rows:
            part.mul_(powers.view(-1, *[1] * (part.dim() - 1)))
        for part in columns:
            part.div_(powers)

    if name == "mlp":
        for i in range(2):
            move([parameters[f"layers.{i}.weight"], parameters[f"layers.{i}.bias"]], [parameters[f"layers.{i + 1}.weight"]])
        return
    for i in range(MODELS[name]["n_layer"]):
        if name == "gpt":  # values of attention
            attention, width = f"transformer.h.{i}.attn", MODELS[name]["n_embd"]
            move([parameters[attention + ".c_attn.weight"][2 * width:], parameters[attention + ".c_attn.bias"][2 * width:]],
                 [parameters[attention + ".c_proj.weight"]])
        else:
            move([parameters[f"model.layers.{i}.mlp.up_proj.weight"]], [parameters[f"model.layers.{i}.mlp.down_proj.weight"]])


def model_of(name):
    torch.manual_seed(MODELS[name]["seed"])
    shape = MODELS[name]
    if name == "mlp":
        images, labels = digits()
        rows = lambda step: torch.arange(step * shape["batch"], (step + 1) * shape["batch"]) % len(labels)
        model, batch = Mlp(shape, 10), lambda step: (images[rows(step)], labels[rows(step)])
    else:
        windows, vocabulary = opticks(shape["context"])
        model, batch = {"gpt": Gpt, "llama": Llama}[name](shape, vocabulary), lambda step: windows(step * shape["batch"], shape["batch"])
    with torch.no_grad():
        spread_out(name, model.parameters)
        for p in model.parameters.values():
            p.copy_(bf16(p))
    return model, batch


def weights_in_blocks(name, model, keep_last):
    """Weights of linear layers except for the head's, and for those of the last blocks of the model."""
    blocks = [f"layers.{i}." for i in range(2)] if name == "mlp" else [f"{'transformer.h' if name == 'gpt' else 'model.layers'}.{i}." for i in range(2)]
    blocks = blocks[:len(blocks) - int(keep_last * len(blocks) + 0.5)]
    return [p for layer, p in model.parameters.items() if p.dim() == 2 and any(layer.startswith(b) for b in blocks)]


def sampled(tensors):
    """[n, 1 + SAMPLES]: 2-norms and elements."""
    rows = []
    for tensor in tensors:
        flat = tensor.detach().double().flatten()
        rows.append(torch.cat([flat.norm()[None], flat[torch.arange(SAMPLES) * flat.numel() // SAMPLES]]).float())
    return torch.stack(rows)


def train(case, name):
    model, batch = model_of(case["model"])
    optimizer = torch.optim.AdamW(model.parameters.values(), **ADAMW, fused="fused" in name)
    losses, grads = [], None
    with Arithmetic(name, len(weights_in_blocks(case["model"], model, 0)) + 1) as arithmetic:
        precision = BlockPrecision(case, weights_in_blocks(case["model"], model, case.get("keep_last", 0)), arithmetic)
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = model.loss(*batch(step), precision)
            losses.append(loss.item())
            loss.backward()
            if step == 0:
                grads = sampled([p.grad for p in model.parameters.values()])
            optimizer.step()
    return {"losses": torch.tensor(losses), "grads": grads, "final": sampled(model.parameters.values())}


def compared(case):
    """The reference run, and how far the other ones are from it."""
    out = train(case, "reference")
    others = [train(case, name) for name in OTHERS]
    differences = torch.stack([(other["losses"] - out["losses"]).abs() for other in others])
    out["others"] = differences.amax(0).cummax(0).values
    out["grads_others"] = torch.tensor([max(map(functools.partial(distance, out["grads"]), (other["grads"] for other in others[:NATURAL])))])
    out["final_others"] = torch.stack([(other["final"] - out["final"])[:, 1:].norm(dim=1) for other in others]).amax(0)
    return out


def distance(samples, others):
    """The largest relative one of a parameter."""
    size = samples[:, 1:].norm(dim=1)
    return float(((others - samples)[:, 1:].norm(dim=1)[size > 0] / size[size > 0]).max())


def main():
    torch.set_num_threads(1)
    adds = sys.argv[1:2] == ["--add"]
    arrays, names = {}, sys.argv[2 if adds else 1:] or CASES
    if adds:
        arrays, metadata = read(HERE / "block-training.safetensors")
        kept = json.loads(metadata["cases"])
    for name in () if adds else MODELS:
        for parameter, p in model_of(name)[0].parameters.items():
            arrays[f"{name}.init.{parameter}"] = (p.detach().numpy().view(numpy.uint32) >> 16).astype(numpy.uint16)
    for name in names:
        out = compared(CASES[name])
        arrays.update({f"{name}.{key}": value.numpy() for key, value in out.items()})
        at = [0, 5, 20, STEPS - 1]
        distances = ", ".join(f"{float(out['others'][i]):.1e}" for i in at)
        print(f"{name}: loss {out['losses'][0]:.6f} -> {out['losses'][-1]:.4f}, others at steps {at}: "
              f"{distances}; gradients {float(out['grads_others'][0]):.1e}; "
              f"weights {float((out['final_others'] / out['final'][:, 1:].norm(dim=1)).max()):.1e}", flush=True)
    if adds:
        metadata |= {"script": VERSION, "oracle": oracle.VERSION, "cases": json.dumps({**kept, **{name: CASES[name] for name in names}})}
        write(HERE / "block-training.safetensors", arrays, metadata)
    if not sys.argv[1:]:
        metadata = {"script": VERSION, "oracle": oracle.VERSION, "torch": torch.__version__, "numpy": numpy.__version__, "threads": "1",
                    "steps": str(STEPS), "optimizer": json.dumps(ADAMW), "models": json.dumps(MODELS), "cases": json.dumps(CASES)}
        write(HERE / "block-training.safetensors", arrays, metadata)


if __name__ == "__main__":
    main()
