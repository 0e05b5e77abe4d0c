#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the stored references of golden_test.cpp: what PyTorch does with the same weights and batches.

Run by hand when a case changes (needs torch and numpy); the tests only read what it wrote:

    python3 tests/golden/make_goldens.py [CASE ...]    (without a name: all of them)

One `.safetensors` file a case, with
    init.PARAMETER   weights before step 0, torch.nn.Linear's draw
    grad.PARAMETER   unscaled, unclipped gradient of the first step that overflows nowhere (mean over all micro-batches)
    grad_step [1]    which step that is
    final.PARAMETER  weights after the last step
    losses [steps]   unscaled mean loss of each step
    scales [steps]   loss scale used in each step
    rates [steps]    learning rate used in each step, where there is a schedule
    validation [n]   mean loss over the validation samples, after every so many steps, where the case asks for it
and, in its metadata, the versions, the seed and the case in words.

The 16-bit cases are CUDA autocast written as explicit casts, since a CPU has its own list: a linear layer takes input, weight and bias
in the low format, sums in fp32 and rounds once after the bias; an activation rounds its output; cross_entropy takes log_softmax in the
low format and the rest in fp32; each gradient is rounded where the forward cast was. fp32 weights, fp32 optimizer. The scaler is torch.amp.GradScaler's rule, written out.

The fp8 cases are bf16 autocast whose linear layers multiply quantised tensors, by Transformer Engine's HYBRID recipe written out:
input and weight in e4m3, the gradient that comes back in e5m2, each times its scale and saturated; sums in fp32, times the product of
the inverse scales, plus the bias in bf16; one rounding to bf16. A bias's gradient is summed before quantising. Delayed scales are
renewed after each step from the largest magnitude of the history; current ones are each tensor's own.

The pure cases keep weights, gradients and moments in bf16: AdamW in fp32 arithmetic on them, rounded when stored, as PyTorch's fused
kernel does; "kahan" adds what the write before lost to the new weight, and keeps what this write loses, in bf16.

The muon cases are torch.optim.Muon for the hidden weights and AdamW for the rest, with one rate (match_rms_adamw). The Newton-Schulz
iteration is written out: sums in fp32, one rounding to its format, as on a GPU; a CPU's addmm may round twice in bf16. The moments case is
AdamW in fp32 arithmetic whose moments are stored in bf16, as pure cases store theirs.

The tf32 case rounds both operands of each product of a linear layer to tf32, to nearest even by integer arithmetic on the numbers' bits,
the gradients' products likewise. Sums, biases, activations and the loss are fp32.

Whole runs in narrow formats can be chaotic: one rounding that falls the other way changes all later ones. The seed and the rate of a case are
such that PyTorch's final weights agree with themselves, within half the test's limit, when it forms its sums, exp and log in double.
"""
import gzip
import json
import pathlib
import struct
import sys

import numpy
import torch

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parent.parent / "resources" / "data" / "digits.csv.gz"
TRAIN_SAMPLES = 1437
SEED = 20
STEPS = 200
HIDDEN = [32, 24]
LOW_FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
ACTIVATIONS = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}

MUON = {"kind": "muon", "lr": 3e-3, "weight_decay": 0.1}
ADAMW = {"kind": "adamw", "lr": 1e-3, "weight_decay": 0.01}
CASES = {
    "fp32-adamw": {"precision": "fp32", "activation": "relu", "optimizer": ADAMW},
    "fp32-sgd-nesterov": {"precision": "fp32", "activation": "gelu",
                          "optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 0.9, "weight_decay": 1e-3, "nesterov": True}},
    "fp32-sgd-live": {"precision": "fp32", "activation": "relu",
                      "optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 0.0, "weight_decay": 0.0, "nesterov": False},
                      "changes": {10: {"momentum": 0.9, "dampening": 0.5},  # the first use: a copy of the gradient, undampened
                                  40: {"momentum": 0.0, "dampening": 0.5},  # the buffer stays as it is
                                  60: {"momentum": 0.8, "dampening": 0.25},  # and is gone on from
                                  100: {"momentum": 0.0, "dampening": 0.0},
                                  101: {"momentum": 0.9, "nesterov": True}}},
    "fp32-clip-accumulate": {"precision": "fp32", "activation": "tanh", "optimizer": ADAMW, "clip": 0.5, "accumulate": 4, "batch": 16},
    "bf16-adamw": {"precision": "bf16", "activation": "relu", "optimizer": ADAMW},
    "bf16-sgd": {"precision": "bf16", "activation": "sigmoid",
                 "optimizer": {"kind": "sgd", "lr": 0.5, "momentum": 0.9, "weight_decay": 0.0, "nesterov": False}},
    "fp16-adamw": {"precision": "fp16", "activation": "gelu", "optimizer": ADAMW,
                   "scaler": {"init_scale": 2.0**24, "growth_interval": 40}},
    "fp16-sgd-clip-accumulate": {"precision": "fp16", "activation": "relu", "clip": 0.25, "accumulate": 2, "batch": 32,
                                 "optimizer": {"kind": "sgd", "lr": 0.05, "momentum": 0.9, "weight_decay": 0.0, "nesterov": False},
                                 "scaler": {"init_scale": 65536.0, "growth_interval": 100}},
    "fp8-delayed-adamw": {"precision": "fp8", "activation": "gelu", "optimizer": ADAMW, "fp8": {"scaling": "delayed", "history": 16}},
    "pure-bf16-adamw": {"precision": "pure-bf16", "activation": "relu", "optimizer": ADAMW, "update": "nearest-even"},
    "pure-bf16-kahan": {"precision": "pure-bf16", "activation": "tanh", "optimizer": ADAMW, "update": "kahan"},
    "fp8-current-sgd": {"precision": "fp8", "activation": "relu", "fp8": {"scaling": "current"}, "seed": 23,
                        "optimizer": {"kind": "sgd", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.0, "nesterov": False}},
    "fp16-label-smoothing": {"precision": "fp16", "activation": "relu", "optimizer": ADAMW, "smoothing": 0.1,
                             "scaler": {"init_scale": 65536.0, "growth_interval": 100}},
    "bf16-label-smoothing": {"precision": "bf16", "activation": "gelu", "optimizer": ADAMW, "smoothing": 0.1},
    "tf32-adamw": {"precision": "tf32", "activation": "gelu", "optimizer": ADAMW},
    "fp32-label-smoothing": {"precision": "fp32", "activation": "relu", "optimizer": ADAMW, "smoothing": 0.1, "validate_every": 40},
    "fp32-validation": {"precision": "fp32", "activation": "tanh", "validate_every": 15,
                        "optimizer": {"kind": "sgd", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.0, "nesterov": False}},
    "fp32-decay-matrices": {"precision": "fp32", "activation": "gelu", "decay": "matrices",
                            "optimizer": {"kind": "adamw", "lr": 1e-3, "weight_decay": 1.0}},
    "fp32-decay-all": {"precision": "fp32", "activation": "gelu", "optimizer": {"kind": "adamw", "lr": 1e-3, "weight_decay": 1.0}},
    "fp32-schedule-linear": {"precision": "fp32", "activation": "tanh", "optimizer": ADAMW, "schedule": {"kind": "linear", "total": 150}},
    "fp32-schedule-cosine": {"precision": "fp32", "activation": "tanh", "optimizer": ADAMW,
                             "schedule": {"kind": "cosine", "warmup": 20, "total": STEPS}},
    "fp32-schedule-step": {"precision": "fp32", "activation": "tanh", "optimizer": ADAMW,
                           "schedule": {"kind": "step", "warmup": 10, "every": 30, "factor": 0.5}},
    "muon-fp32": {"precision": "fp32", "activation": "tanh", "optimizer": MUON, "iterates": "fp32", "hidden": [24, 40], "seed": 21},
    "muon-bf16": {"precision": "fp32", "activation": "tanh", "optimizer": MUON, "iterates": "bf16", "hidden": [24, 40], "seed": 21},
    "moments-bf16": {"precision": "fp32", "activation": "tanh", "optimizer": ADAMW, "moments": "bf16"},
}


class Cast(torch.autograd.Function):
    """To the low format and back to fp32, the gradient likewise: autocast's cast with fp32 arithmetic around it."""

    @staticmethod
    def forward(ctx, x, dtype):
        ctx.dtype = dtype
        return x.to(dtype).float()

    @staticmethod
    def backward(ctx, gradient):
        return gradient.to(ctx.dtype).float(), None


class LogSoftmax(torch.autograd.Function):
    """log_softmax in the low format: fp32 inside, one rounding; its gradient comes in and goes out in that format."""

    @staticmethod
    def forward(ctx, x, dtype):
        y = torch.log_softmax(x, -1).to(dtype).float()
        ctx.dtype = dtype
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        gradient = gradient.to(ctx.dtype).float()
        return (gradient - y.exp() * gradient.sum(-1, keepdim=True)).to(ctx.dtype).float(), None


def cross_entropy(logits, labels, low, smoothing=0.0):
    """F.cross_entropy under CUDA autocast: log-probabilities in the logits' format, nll_loss and the mean in fp32, and the gradients of both
    rounded on their way back."""
    if low is None:
        return torch.nn.functional.cross_entropy(logits, labels, label_smoothing=smoothing)
    y = LogSoftmax.apply(logits, low)
    loss = torch.nn.functional.nll_loss(Cast.apply(y, low), labels) * (1 - smoothing)
    return loss if smoothing == 0 else loss - Cast.apply(y, low).sum(-1).mean() * (smoothing / logits.shape[-1])


class Bf16AdamW:
    """AdamW on parameters whose values are numbers of bf16."""

    def __init__(self, parameters, update, lr, weight_decay):
        self.parameters, self.update, self.lr, self.weight_decay = list(parameters), update, lr, weight_decay
        self.states = [[torch.zeros_like(p) for _ in range(3)] for p in self.parameters]
        self.steps = 0

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.steps += 1
        correction1, correction2 = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        for p, (m, v, lost) in zip(self.parameters, self.states):
            m_new = m + (1 - 0.9) * (p.grad - m)
            v_new = v * 0.999 + (1 - 0.999) * p.grad * p.grad
            target = p * (1 - self.lr * self.weight_decay) - self.lr / correction1 * m_new / (v_new.sqrt() / correction2**0.5 + 1e-8)
            m.copy_(bf16(m_new))
            v.copy_(bf16(v_new))
            if self.update == "kahan":
                target += lost
                lost.copy_(bf16(target - bf16(target)))
            p.copy_(bf16(target))


class AdamWStates:
    """AdamW whose moments are rounded when they are stored."""

    def __init__(self, parameters, lr, weight_decay, rounded):
        self.parameters, self.rounded, self.steps = list(parameters), rounded, 0
        self.param_groups = [{"params": self.parameters, "lr": lr, "weight_decay": weight_decay}]
        self.states = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.parameters]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.steps += 1
        lr, decay = self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]
        correction1, correction2 = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        for p, (m, v) in zip(self.parameters, self.states):
            m.lerp_(p.grad, 1 - 0.9)
            v.mul_(0.999).addcmul_(p.grad, p.grad, value=1 - 0.999)
            p.mul_(1 - lr * decay).addcdiv_(m, v.sqrt() / correction2**0.5 + 1e-8, value=-lr / correction1)
            m.copy_(self.rounded(m))
            v.copy_(self.rounded(v))


class MuonAndAdamW:
    """torch.optim.Muon's step for the matrices, with its iteration in a format of choice, and torch.optim.AdamW for the rest."""

    def __init__(self, matrices, others, lr, weight_decay, rounded):
        self.matrices, self.rounded = list(matrices), rounded
        self.adamw = torch.optim.AdamW(others, lr=lr, weight_decay=weight_decay)
        self.param_groups = self.adamw.param_groups
        self.moments = [torch.zeros_like(p) for p in self.matrices]

    def zero_grad(self):
        self.adamw.zero_grad()
        for p in self.matrices:
            p.grad = None

    def orthogonal(self, g):
        x = self.rounded(g.T if g.size(0) > g.size(1) else g)
        x = self.rounded(x / self.rounded(x.double().norm().float()).clamp(min=1e-7))
        for _ in range(5):
            a = self.rounded(x @ x.T)
            polynomial = self.rounded(-4.775 * a + 2.0315 * (a @ a))
            x = self.rounded(3.4445 * x + polynomial @ x)
        return x.T if g.size(0) > g.size(1) else x

    @torch.no_grad()
    def step(self):
        lr, decay = self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]
        for p, m in zip(self.matrices, self.moments):
            m.lerp_(p.grad, 1 - 0.95)
            update = self.orthogonal(p.grad.lerp(m, 0.95))
            p.mul_(1 - lr * decay).add_(update, alpha=-lr * 0.2 * max(p.shape) ** 0.5)
        self.adamw.step()


class Fp8Scale:
    """The scale of one tensor. (mantissa bits, exponent of the smallest normal number, largest number) of its format."""

    FORMATS = {"e4m3": (3, -6, 448.0), "e5m2": (2, -14, 57344.0)}

    def __init__(self, name, recipe):
        self.mantissa, self.lowest, self.largest = self.FORMATS[name]
        self.history_length = recipe.get("history")
        self.history, self.seen, self.scale = [], 0.0, numpy.float32(1)

    def quantize(self, x):
        """Numbers of the format as fp32, and what to multiply them by afterwards."""
        absmax = float(x.abs().max())
        if self.history_length is None:
            self.scale = numpy.float32(self.largest) / numpy.float32(absmax) if absmax > 0 else numpy.float32(1)
        self.seen = max(self.seen, absmax)
        scaled = (x * float(self.scale)).double().clamp(-self.largest, self.largest).numpy()
        exponent = numpy.maximum(numpy.frexp(scaled)[1] - 1, self.lowest)
        ulp = numpy.ldexp(1.0, exponent - self.mantissa)
        codes = numpy.clip(numpy.rint(scaled / ulp) * ulp, -self.largest, self.largest)
        return torch.from_numpy(codes).float(), numpy.float32(1) / self.scale

    def end_step(self):
        if self.history_length is not None and self.seen > 0:
            self.history = [self.seen, *self.history][:self.history_length]
            self.scale = numpy.float32(self.largest) / numpy.float32(max(self.history))
        self.seen = 0.0


class Fp8Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, scales):
        (xq, x_inverse), (wq, w_inverse) = scales["x"].quantize(x), scales["w"].quantize(weight)
        ctx.save_for_backward(xq, wq)
        ctx.scales, ctx.inverses = scales, (x_inverse, w_inverse)
        return bf16(xq @ wq.t() * float(x_inverse * w_inverse) + bf16(bias))

    @staticmethod
    def backward(ctx, gradient):
        xq, wq = ctx.saved_tensors
        x_inverse, w_inverse = ctx.inverses
        gradient = bf16(gradient)
        gq, g_inverse = ctx.scales["g"].quantize(gradient)
        return (bf16(gq @ wq * float(g_inverse * w_inverse)), bf16(gq.t() @ xq * float(g_inverse * x_inverse)),
                bf16(gradient.sum(0)), None)


class Tf32Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(tf32(x), tf32(weight))
        return tf32(x) @ tf32(weight).t() + bias

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return tf32(gradient) @ weight, tf32(gradient).t() @ x, gradient.sum(0)


def tf32(x):
    """The nearest number with 10 mantissa bits; a tie goes to the even one."""
    bits = x.detach().contiguous().numpy().view(numpy.uint32)
    rounded = (bits + numpy.uint32(0xFFF) + (bits >> numpy.uint32(13) & numpy.uint32(1))) & numpy.uint32(0xFFFFE000)
    return torch.from_numpy(rounded.view(numpy.float32))


def bf16(x):
    return x.to(torch.bfloat16).float()


def digits(part=slice(0, TRAIN_SAMPLES)):
    rows = numpy.loadtxt(gzip.open(DIGITS, "rt"), delimiter=",", dtype=numpy.float32)
    return torch.from_numpy(rows[part, :64] / 16), torch.from_numpy(rows[part, 64]).long()


def scheduler_of(optimizer, schedule):
    warmup = schedule.get("warmup", 0)
    schedulers = torch.optim.lr_scheduler
    if schedule["kind"] == "linear":
        main = schedulers.LinearLR(optimizer, start_factor=1, end_factor=0, total_iters=schedule["total"] - warmup)
    elif schedule["kind"] == "cosine":
        main = schedulers.CosineAnnealingLR(optimizer, T_max=schedule["total"] - warmup)
    else:
        main = schedulers.StepLR(optimizer, step_size=schedule["every"], gamma=schedule["factor"])
    if warmup == 0:
        return main
    rise = schedulers.LinearLR(optimizer, start_factor=1 / warmup, end_factor=1, total_iters=warmup - 1)
    return schedulers.SequentialLR(optimizer, [rise, main], milestones=[warmup])


@torch.no_grad()
def validation_loss(layers, activation):
    x, labels = digits(slice(TRAIN_SAMPLES, None))
    for layer in layers[:-1]:
        x = activation(layer(x))
    return torch.nn.functional.cross_entropy(layers[-1](x), labels).item()


def train(case):
    images, labels = digits()
    torch.manual_seed(case.get("seed", SEED))
    widths = [64, *case.get("hidden", HIDDEN), 10]
    layers = [torch.nn.Linear(i, o) for i, o in zip(widths, widths[1:])]
    parameters = {f"layers.{i}.{n}": getattr(layer, n) for i, layer in enumerate(layers) for n in ("weight", "bias")}
    out = {f"init.{name}": p.detach().clone() for name, p in parameters.items()}

    options = dict(case["optimizer"])
    named = options.pop("kind")
    kind = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD, "muon": None}[named]
    is_pure = case["precision"].startswith("pure-")
    if is_pure:
        with torch.no_grad():
            for p in parameters.values():
                p.copy_(bf16(p))
        optimizer = Bf16AdamW(parameters.values(), case["update"], **options)
    elif "moments" in case:
        optimizer = AdamWStates(parameters.values(), **options, rounded=bf16)
    elif named == "muon":
        hidden = [f"layers.{i}.weight" for i in range(len(layers) - 1)]
        optimizer = MuonAndAdamW([parameters[name] for name in hidden], [p for name, p in parameters.items() if name not in hidden],
                                 **options, rounded=bf16 if case["iterates"] == "bf16" else lambda x: x)
    else:
        optimizer = kind(parameters.values(), **options)
    if case.get("decay") == "matrices":
        optimizer = kind([{"params": [p for p in parameters.values() if p.dim() > 1]},
                          {"params": [p for p in parameters.values() if p.dim() <= 1], "weight_decay": 0.0}], **options)
    scheduler = scheduler_of(optimizer, case["schedule"]) if "schedule" in case else None
    rates, validation = [], []
    low = LOW_FORMATS.get(case["precision"].removeprefix("pure-"))
    activation = ACTIVATIONS[case["activation"]]
    batch, micro_batches = case.get("batch", 64), case.get("accumulate", 1)
    recipe = case.get("fp8")
    if recipe:
        low = torch.bfloat16
        fp8_scales = [{"x": Fp8Scale("e4m3", recipe), "w": Fp8Scale("e4m3", recipe), "g": Fp8Scale("e5m2", recipe)} for _ in layers]
    cast = (lambda x: Cast.apply(x, low)) if low else (lambda x: x)
    scaler = case.get("scaler")
    scale, clean, position = numpy.float32(scaler["init_scale"] if scaler else 1), 0, 0

    losses, scales = [], []
    for step in range(STEPS):
        if step in case.get("changes", {}):
            optimizer.param_groups[0].update(case["changes"][step])
        optimizer.zero_grad()
        loss_sum = 0.0
        for _ in range(micro_batches):
            samples = torch.arange(position, position + batch) % TRAIN_SAMPLES
            position += batch
            x = cast(images[samples])
            for i, layer in enumerate(layers):
                if recipe:
                    x = Fp8Linear.apply(x, layer.weight, layer.bias, fp8_scales[i])
                elif case["precision"] == "tf32":
                    x = Tf32Linear.apply(x, layer.weight, layer.bias)
                else:
                    x = cast(torch.nn.functional.linear(x, cast(layer.weight), cast(layer.bias)))
                if i + 1 < len(layers):
                    x = cast(activation(x))
            loss = cross_entropy(x, labels[samples], low, case.get("smoothing", 0.0))
            loss_sum += loss.item()
            (loss * (float(scale) / micro_batches)).backward()
        for scales_of_layer in fp8_scales if recipe else []:
            for tensor_scale in scales_of_layer.values():
                tensor_scale.end_step()
        losses.append(loss_sum / micro_batches)
        scales.append(float(scale))

        gradients = [p.grad for p in parameters.values()]
        overflow = not all(torch.isfinite(g).all() for g in gradients)
        for g in gradients:
            g.mul_(float(numpy.float32(1 / float(scale))))
        if "grad.layers.0.weight" not in out and not overflow:
            out.update({f"grad.{name}": p.grad.clone() for name, p in parameters.items()})
            out["grad_step"] = torch.tensor([float(step)])
        if "clip" in case and not overflow:
            torch.nn.utils.clip_grad_norm_(parameters.values(), case["clip"])
        if scheduler:
            rates.append(optimizer.param_groups[0]["lr"])
        if not (scaler and overflow):
            optimizer.step()
        if scheduler:
            scheduler.step()
        if (step + 1) % case.get("validate_every", STEPS + 1) == 0:
            validation.append(validation_loss(layers, activation))
        if scaler:
            clean = 0 if overflow else clean + 1
            if overflow:
                scale = numpy.float32(scale * 0.5)
            elif clean == scaler["growth_interval"]:
                scale, clean = numpy.float32(scale * 2), 0

    out.update({f"final.{name}": p.detach() for name, p in parameters.items()})
    out["losses"], out["scales"] = torch.tensor(losses), torch.tensor(scales)
    if scheduler:
        out["rates"] = torch.tensor(rates)
    if validation:
        out["validation"] = torch.tensor(validation)
    return out


def write(path, tensors, metadata):
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        blob = numpy.ascontiguousarray(tensor.numpy(), dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def main():
    torch.set_num_threads(1)
    for name, case in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        tensors = train(case)
        metadata = {"torch": torch.__version__, "numpy": numpy.__version__, "seed": str(case.get("seed", SEED)), "steps": str(STEPS),
                    "hidden": json.dumps(case.get("hidden", HIDDEN)), "case": json.dumps(case)}
        write(HERE / f"{name}.safetensors", tensors, metadata)
        skips = sum(b < a for a, b in zip(tensors["scales"], tensors["scales"][1:]))
        print(f"{name}: loss {tensors['losses'][0]:.4f} -> {tensors['losses'][-1]:.4f}, {int(skips)} skips")


if __name__ == "__main__":
    main()
