# SPDX-License-Identifier: Apache-2.0
"""What two common debuggers say of Mantissa's library of planted faults.

Each fault of library.json is rebuilt in plain PyTorch on the CPU (the same structure, the same place, the same magnitude; the data are
synthetic) and trained three times from equal seeds:

  plain    no debugger; a dispatch mode looks at every result of every operation and notes where the first non-finite number was born
  anomaly  under torch.autograd.detect_anomaly(check_nan=True)
  hf       under transformers.debug_utils.DebugUnderflowOverflow(model)

The rules of judgement, the same for both debuggers:

  said   It raised its error at or after the step in which the fault begins. An error before that is "too early": a false alarm.
  named  yes   In the step of the first non-finite number its text has the layer and the side of it (weight or output), or the autograd
               function and the line of code, where that number was born; or the non-finite input, weight or statistics themselves, by
               the layer that reads or holds them. (A weight that the optimizer has spoilt may be named in the next step.)
         near  In that step its text has not the birth, but the code around it: a child or the parent of the module whose own operation
               it was, the line of code alone, or the line or function that reads the bad input, label or weight.
         no    Anything else: a later operation, another phase, another step. A debugger that says nothing names nothing.
  tells  (a + in the table) The text alone tells the kind of cause: the bad input or weight itself, or, where the written cause is an
         overflow of the forward pass, an Inf made of finite inputs in the right layer.

A fault is silent if nothing was non-finite in the plain run. A run has the steps that the library examines, or the experiment's, but at
most 60 after its first non-finite number; it validates at the library's interval and at its end. What cannot be rebuilt is listed, with
the reason. TF32 is taken as FP32, and autocast's list is that of PyTorch's CPU.

Written for Python 3.11, torch 2.15.0, transformers 5.23.0.
Usage: python compare_debuggers.py [library.json] [--only NAME] [--jobs N] [--out table.md] [--show]
  --only   the faults and healthy runs whose names contain NAME;  --show  also prints what the debuggers said
"""
import argparse, collections, concurrent.futures, contextlib, copy, io, json, math, re, traceback, unittest.mock, warnings

import torch
import torch.nn.functional as F
import transformers
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.debug_utils import DebugUnderflowOverflow

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "silu": nn.SiLU}
NARROW = {"fp16": torch.float16, "bf16": torch.bfloat16}
STEPS_AFTER = 60
VOCABULARY = 91


class CannotBeRebuilt(Exception):
    pass


# ---- Models: names, structure and initial weights as in the library's experiments ----

class Mlp(nn.Module):
    def __init__(self, widths, activation):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))
        self.activations = nn.ModuleList(ACTIVATIONS[activation]() for _ in widths[2:])

    def forward(self, x):
        x = x.flatten(1)
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.activations):
                x = self.activations[i](x)
        return x


class Autoencoder(nn.Module):
    def __init__(self, widths, activation):
        super().__init__()
        def stack(widths, ends):
            parts = [part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), ACTIVATIONS[activation]())]
            return nn.Sequential(*(parts if ends else parts[:-1]))
        self.encoder, self.decoder = stack(widths, True), stack(widths[::-1], False)

    def forward(self, x):
        return self.decoder(self.encoder(x.flatten(1)))


class BasicBlock(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b)
        self.relu = nn.ReLU()
        self.conv2, self.bn2 = nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        self.downsample = nn.Sequential(nn.Conv2d(a, b, 1, stride, bias=False), nn.BatchNorm2d(b)) if a != b else None

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        identity = x if self.downsample is None else self.downsample(x)
        return self.relu(out + identity)


class ResNet8(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1, self.relu = nn.Conv2d(1, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()
        self.layer1 = nn.Sequential(BasicBlock(16, 16, 1))
        self.layer2 = nn.Sequential(BasicBlock(16, 32, 2))
        self.layer3 = nn.Sequential(BasicBlock(32, 64, 2))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(self.avgpool(x).flatten(1))


def naive_softmax(scores, dim=-1, dtype=None):
    scores = scores if dtype is None else scores.to(dtype)
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim, keepdim=True)


class Attention(nn.Module):  # nanoGPT's, without its flash path
    def __init__(self, c):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(c["n_embd"], 3 * c["n_embd"]), nn.Linear(c["n_embd"], c["n_embd"])
        self.attn_dropout, self.resid_dropout = nn.Dropout(c.get("dropout", 0)), nn.Dropout(c.get("dropout", 0))
        self.heads, self.mask = c["n_head"], float(c.get("mask", "-inf"))
        self.softmax, self.softmax_dtype = naive_softmax if c.get("softmax") == "naive" else F.softmax, torch.float32

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, c // self.heads).transpose(1, 2) for part in self.c_attn(x).split(c, dim=2))
        att = q @ k.transpose(-2, -1)
        att = att * (1 / math.sqrt(k.shape[-1]))
        att = att.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), self.mask)
        att = self.softmax(att, dim=-1, dtype=self.softmax_dtype).to(v.dtype)
        y = self.attn_dropout(att) @ v
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(b, t, c)))


class GptMlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c_fc, self.gelu, self.c_proj = nn.Linear(c["n_embd"], 4 * c["n_embd"]), nn.GELU(), nn.Linear(4 * c["n_embd"], c["n_embd"])
        self.dropout = nn.Dropout(c.get("dropout", 0))

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class GptBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        norm = lambda: nn.LayerNorm(c["n_embd"], eps=c.get("norm_eps", 1e-5))
        self.ln_1, self.attn, self.ln_2, self.mlp = norm(), Attention(c), norm(), GptMlp(c)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(VOCABULARY, c["n_embd"]), wpe=nn.Embedding(c["context"], c["n_embd"]), drop=nn.Dropout(c.get("dropout", 0)),
            h=nn.ModuleList(GptBlock(c) for _ in range(c["n_layer"])), ln_f=nn.LayerNorm(c["n_embd"], eps=c.get("norm_eps", 1e-5))))
        self.lm_head = nn.Linear(c["n_embd"], VOCABULARY, bias=False)
        if c.get("tie_weights", True):
            self.transformer.wte.weight = self.lm_head.weight
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.ndim == 2:
                nn.init.normal_(p, 0, 0.02 / math.sqrt(2 * c["n_layer"]) if name.endswith("c_proj.weight") else 0.02)

    def forward(self, tokens, targets):
        x = self.transformer.drop(self.transformer.wte(tokens) + self.transformer.wpe(torch.arange(tokens.shape[1])))
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


class NarrowRmsNorm(nn.Module):  # Llama's, forced to FP16: the squares too
    def __init__(self, norm):
        super().__init__()
        self.weight, self.eps = norm.weight, norm.variance_epsilon

    def forward(self, x):
        h = x.half()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * h.to(x.dtype)


class Fp16Linear(nn.Linear):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.float16):
            return super().forward(x)


def make_llama(c):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=c["n_embd"], intermediate_size=-(-c["n_embd"] * 8 // 3 // 32) * 32,
        num_hidden_layers=c["n_layer"], num_attention_heads=c["n_head"], rms_norm_eps=float(c.get("norm_eps", 1e-6)),
        tie_word_embeddings=c.get("tie_weights", True), attn_implementation="eager", use_cache=False))


def make_model(e):
    c, data = e["model"], e["data"]["name"]
    torch.manual_seed(e["init"]["seed"])
    inputs, outputs = (64, 10) if data == "digits" else (16, 10) if data == "npy" else (16, 1)
    if c["kind"] == "mlp":
        model = Mlp([inputs, *c["hidden"], outputs], c["activation"])
    elif c["kind"] == "autoencoder":
        model = Autoencoder([inputs, *c["hidden"], c["code"]], c["activation"])
    elif c["kind"] == "resnet":
        if c.get("norm_eps") == 0:
            raise CannotBeRebuilt("PyTorch refuses a batch norm whose epsilon is 0")
        model = ResNet8()
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eps = c.get("norm_eps", 1e-5)
    else:
        c = {**c, "context": e["data"]["context"]}
        model = Gpt(c) if c["kind"] == "gpt" else make_llama(c)
    for place, form in (e["precision"].get("overrides") or {}).items():
        if form != "fp16" or place not in ("softmax", "rms_norm") and not place.startswith("layers."):
            raise CannotBeRebuilt(f"PyTorch's own {place} cannot be forced to {form}")
        if place == "softmax":
            for block in model.transformer.h:
                block.attn.softmax_dtype = torch.float16
        elif place == "rms_norm":
            for layer in model.model.layers:
                layer.input_layernorm, layer.post_attention_layernorm = (
                    NarrowRmsNorm(layer.input_layernorm), NarrowRmsNorm(layer.post_attention_layernorm))
            model.model.norm = NarrowRmsNorm(model.model.norm)
        else:
            model.get_submodule(place).__class__ = Fp16Linear
    return model


# ---- Data, of the right shapes and magnitudes ----

class Data:
    def __init__(self, c):
        self.c, self.size, g = c, c["batch_size"], torch.Generator().manual_seed(7)
        if c["name"] == "digits":  # ten pictures with noise; as in real digits some pixels are always black
            self.y = torch.arange(1437) % 10
            self.x = (torch.rand(10, 1, 8, 8, generator=g)[self.y] * 0.8 + 0.2 * torch.rand(1437, 1, 8, 8, generator=g)) * 16
            self.x = self.x.floor() / 16
            self.x[..., [0, 7]] = 0
        elif c["name"] == "npy":
            self.y = torch.randint(10, (1200,), generator=g)
            x = torch.randn(10, 16, generator=g)[self.y].double() + 0.7 * torch.randn(1200, 16, generator=g)
            path = c["path"].removeprefix("@/blobs")
            x *= float(path.removeprefix("-times-")) if path.startswith("-times") else 1
            if path == "-one-nan":
                x[700, 3] = math.nan
            if path == "-beyond-fp32":
                x[450, 11] = 1e300
            self.x = x.float()
        elif c["name"] == "synthetic-regression":
            n, k, df = c["samples"], c["features"], c["degrees_of_freedom"]
            self.x, w = torch.randn(n, k, generator=g), torch.randn(k, 1, generator=g)
            student = torch.randn(n, 1, generator=g) / torch.randn(n, df, generator=g).square().mean(1, keepdim=True).sqrt()
            self.y = self.x @ w / math.sqrt(k) + c["noise"] * student
        else:  # a text in which every symbol has four likely followers
            follow = torch.randint(VOCABULARY, (VOCABULARY, 4), generator=g)
            choice, text = torch.randint(4, (20000,), generator=g).tolist(), [0]
            for i in choice:
                text.append(int(follow[text[-1], i]))
            windows = torch.tensor(text).unfold(0, c["context"] + 1, 1)
            self.x, self.y = windows[:, :-1], windows[:, 1:]

    def batch(self, i):
        per_epoch = len(self.x) // self.size
        if self.c["order"] == "sequential":
            rows = torch.arange(i * self.size, (i + 1) * self.size) % len(self.x)
        else:
            order = torch.randperm(len(self.x), generator=torch.Generator().manual_seed(self.c["seed"] * 7919 + i // per_epoch))
            rows = order[i % per_epoch * self.size:][:self.size]
        return self.x[rows].clone(), self.y[rows].clone()


# ---- Optimizers and scalers ----

class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (b1, b2), lr = group["betas"], group["lr"]
            for p in (p for p in group["params"] if p.grad is not None):
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - lr * group["weight_decay"]).sub_(torch.nan_to_num(torch.sign(b1 * m + (1 - b1) * p.grad)) * lr)
                m.mul_(b2).add_(p.grad * (1 - b2))


def make_optimizer(c, model, pure):
    c = dict(c)
    kind, matrices = c.pop("kind"), c.pop("decay", "all") == "matrices"
    c.pop("schedule", None), c.pop("schedule_on_skip", None)
    if "betas" in c:
        c["betas"] = tuple(float(b) for b in c["betas"])
    groups = [dict(params=list(model.parameters()))]
    if matrices:
        groups = [dict(params=[p for p in model.parameters() if p.ndim > 1]),
                  dict(params=[p for p in model.parameters() if p.ndim <= 1], weight_decay=0.0)]
    fused = {"fused": True} if pure and kind != "lion" else {}  # the fused ones compute in FP32 and round once
    return {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD, "lion": Lion}[kind](groups, **c, **fused)


def rate_factor(c, t, steps):
    warmup, total = c.get("warmup_steps", 0), c.get("total_steps", steps)
    if t < warmup:
        return (t + 1) / warmup
    d = min((t - warmup) / max(total - warmup, 1), 1)
    return {"constant": 1, "linear": 1 - d, "cosine": (1 + math.cos(math.pi * d)) / 2,
            "step": c.get("factor", 0.1) ** ((t - warmup) // c.get("every", 1000))}[c.get("kind", "constant")]


class Scaler(torch.amp.GradScaler):
    """PyTorch's, with a floor and a fixed scale as training loops add them by update(new_scale); pure FP16 gradients are let in."""

    def __init__(self, c):
        self.fixed, self.floor = c["preset"] == "static", c.get("min_scale", 0)
        names = ("growth_factor", "backoff_factor", "growth_interval")
        super().__init__("cpu", init_scale=float(c.get("init_scale", 65536)), **{n: c[n] for n in names if n in c})

    def _unscale_grads_(self, optimizer, inverse, found, allow_fp16):
        return super()._unscale_grads_(optimizer, inverse, found, True)

    def next(self):
        before = self.get_scale()
        self.update()
        if self.fixed or self.get_scale() < self.floor:
            self.update(new_scale=float(before if self.fixed else self.floor))


def make_scaler(e):
    c = e.get("scaler") or ({"preset": "pytorch"} if e["precision"]["policy"] == "fp16" else {"preset": "none"})
    if c["preset"] not in ("pytorch", "static", "none"):
        raise CannotBeRebuilt(f"the scaler of another framework ({c['preset']})")
    return None if c["preset"] == "none" else Scaler(c)


# ---- The plain run's observer: where is the first non-finite number born? ----

Birth = collections.namedtuple("Birth", "step phase place what line")  # what: the operation or tensor, and NaN or Inf


def own_line(frames):
    """The innermost line outside torch, as (file, line)."""
    outside = [(file, int(line)) for file, line in frames if not re.search(r"[/\\]torch[/\\]", file)]
    return (re.split(r"[/\\]", outside[-1][0])[-1], outside[-1][1]) if outside else None


def frames_of(text):
    return re.findall(r'File "([^"]+)", line (\d+)', text)


def kind_of(t):
    return "NaN" if torch.isnan(t).any() else "Inf"


def is_bad(t):
    return isinstance(t, torch.Tensor) and t.is_floating_point() and t.numel() > 0 and not torch.isfinite(t).all()


class Observer(TorchDispatchMode):
    def __init__(self, model):
        super().__init__()
        self.births, self.step, self.phase, self.stack, self.model = [], 0, "forward", [], model
        for name, module in model.named_modules():
            module.register_forward_pre_hook(lambda module, _, name=name: self.enter(module, name))
            module.register_forward_hook(lambda module, *_: self.leave(module), always_call=True)

    def here(self):
        return own_line([(f.filename, f.lineno) for f in traceback.extract_stack() if f.name not in ("__torch_dispatch__", "here", "enter", "leave", "<lambda>")])

    def enter(self, module, name):
        self.stack.append(name)
        born = self.births[-1] if self.is_done() else None  # a bad input or weight: where is it read first?
        if born and born.line is None and not list(module.children()):
            if born.phase == "input" or born.phase == "weights" and name in {n.rpartition(".")[0] for n in born.place.split()}:
                self.births[-1] = born._replace(line=self.here())

    def leave(self, module):
        if not self.is_done() and any(is_bad(b) for b in module.buffers(recurse=False)):  # running statistics are changed in place
            self.add(self.stack[-1], "native_batch_norm Inf", self.here())
        self.stack.pop()

    def is_done(self):
        return bool(self.births) and self.births[-1].step == self.step

    def add(self, place, what, line=None):
        if not self.is_done():
            self.births.append(Birth(self.step, self.phase, place, what, line))

    def look(self, phase, tensors):
        self.phase = phase
        bad = [(name, t) for name, t in tensors if is_bad(t)]
        if bad:
            self.add(" ".join(name for name, _ in bad), kind_of(bad[0][1]))

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        if self.is_done() or "empty" in name or name == "masked_fill" or self.phase == "optimizer":
            return result
        bad = [t for t in torch.utils._pytree.tree_leaves(result) if is_bad(t)]
        # A masked score is -Inf on purpose, and a softmax that takes exp of it may still be where an Inf is born.
        if bad and (name == "exp" or not any(is_bad(t) for t in torch.utils._pytree.tree_leaves((args, kwargs)))):
            if self.phase == "backward":
                node = torch._C._current_autograd_node()
                line = own_line(frames_of("".join(node.metadata.get("traceback_", "")))) if node else None
                self.add(node.name() if node else "?", kind_of(bad[0]), line)
            else:
                self.add(self.stack[-1] if self.stack else "loss", f"{name} {kind_of(bad[0])}", self.here())
        return result


class NoObserver:
    step, phase, births = 0, "", ()
    def look(self, phase, tensors): self.phase = phase


# ---- Training ----

def number(value):
    return float(value)  # "nan", "inf" and "-inf" as well


def put(e, pointer, value):
    *path, last = pointer.strip("/").split("/")
    for part in path:
        e = e.setdefault(part, {}) if isinstance(e.get(part, {}), dict) else e.update({part: {"policy": e[part]}}) or e[part]
    e[last] = value


def experiment_of(library, fault):
    e = copy.deepcopy(library["bases"][fault["base"]])
    for pointer, value in {**fault.get("with", {}), **fault.get("fault", {})}.items():
        put(e, pointer, copy.deepcopy(value))
    precision = e["precision"]
    e["precision"] = {"policy": precision} if isinstance(precision, str) else precision
    if "fp8" in json.dumps(e["precision"]):
        raise CannotBeRebuilt("PyTorch has no FP8 training of its own")
    if e["precision"].get("autocast"):
        raise CannotBeRebuilt("Keras' autocast list")
    if e["precision"].get("weight_update"):
        raise CannotBeRebuilt(f"{e['precision']['weight_update']} weight updates")
    return e


class Training:
    """One run of one fault. With a debugger the run ends where that raises."""

    def __init__(self, library, fault):
        self.fault, self.e = fault, experiment_of(library, fault)
        self.model, self.data, self.scaler = make_model(self.e), Data(self.e["data"]), make_scaler(self.e)
        tensors = {**dict(self.model.named_parameters()), **dict(self.model.named_buffers())}
        with torch.no_grad():
            for change in fault.get("weights", []):
                t = tensors[change["tensor"]]
                if "element" in change:
                    t.view(-1)[change["element"]] = number(change["value"])
                t.mul_(number(change.get("times", 1)))
                if "fill" in change:
                    t.fill_(number(change["fill"]))
        self.policy = self.e["precision"]["policy"]
        self.pure = NARROW[self.policy[5:]] if self.policy.startswith("pure-") else None
        if self.pure:
            self.model.to(self.pure)
        self.optimizer = make_optimizer(self.e["optimizer"], self.model, self.pure)
        self.step, self.skipped = 0, []
        step = fault.get("step")
        self.steps = step + 1 if isinstance(step, int) and "truth" in fault else self.e["steps"]

    def output_and_loss(self, x, y, policy, smoothing=0.0):
        kind, narrow = self.e["model"]["kind"], NARROW.get(policy)
        with torch.autocast("cpu", dtype=narrow or torch.bfloat16, enabled=narrow is not None):
            if kind == "gpt":
                return self.model(x, y)[1]
            if kind == "llama":
                return self.model(input_ids=x, labels=x).loss
            output = self.model(x.to(self.pure) if self.pure else x)
            if y.dtype == torch.long and kind != "autoencoder":
                return F.cross_entropy(output, y, label_smoothing=smoothing)
            return F.mse_loss(output.float(), x.flatten(1) if kind == "autoencoder" else y)

    def apply_events(self):
        injected = {}
        for event in self.fault.get("events", []):
            for pointer, value in event["set"].items() if event["step"] == self.step else ():
                if pointer.startswith("/inject"):
                    injected[pointer[8:]] = value
                elif pointer == "/scaler/scale":
                    self.scaler.update(new_scale=float(value))
                elif pointer == "/precision":
                    self.policy, self.e["precision"] = value, {"policy": value}
                    self.scaler = make_scaler(self.e)
                else:
                    put(self.e, pointer, value)
        for group in self.optimizer.param_groups:
            group.update({k: v for k, v in self.e["optimizer"].items() if k in ("eps", "weight_decay", "momentum")})
            factor = rate_factor(self.e["optimizer"].get("schedule", {}), self.step, self.e["steps"])
            group["lr"] = self.e["optimizer"].get("lr", 1e-3) * factor
        return injected

    def one_step(self, watch):
        e, injected, micros = self.e, self.apply_events(), self.e.get("accumulate", 1)
        named = list(self.model.named_parameters())
        watch.look("weights", named)
        watch.look("statistics", self.model.named_buffers())
        if e.get("zero_grad", True):
            self.optimizer.zero_grad()
        for micro in range(micros):
            x, y = self.data.batch(self.step * micros + micro)
            for name, t in (("input", x), ("label", y)):
                if name in injected and micro == 0:
                    t[0].view(-1)[t[0].numel() // 2] = number(injected[name])
                watch.look(name, [(name, t)])
            watch.phase = "forward"
            loss = self.output_and_loss(x, y, self.policy, e["model"].get("label_smoothing", 0.0)) / micros
            watch.phase = "backward"
            (self.scaler.scale(loss) if self.scaler else loss).backward()
        if "tensor" in injected and injected["tensor"]["tensor"].endswith(".grad"):
            grad = self.model.get_parameter(injected["tensor"]["tensor"][:-5]).grad
            grad.view(-1)[grad.numel() // 2] = number(injected["tensor"]["value"])
        watch.look("gradients", [(n, p.grad) for n, p in named])
        watch.phase = "optimizer"
        bound, late = e.get("clip_grad_norm"), e.get("unscale") == "after_clip"
        if self.scaler and not late:
            self.scaler.unscale_(self.optimizer)
        if bound is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), bound)
        if self.scaler:
            if late:
                self.scaler.unscale_(self.optimizer)
            if any(v.item() for v in self.scaler._found_inf_per_device(self.optimizer).values()):
                self.skipped.append(self.step)
            else:
                watch.look("unscaling", [(n, p.grad) for n, p in named])
                watch.phase = "optimizer"
            self.scaler.step(self.optimizer)
            self.scaler.next()
        else:
            self.optimizer.step()
        watch.look("optimizer", named)
        if injected.get("tensor", {}).get("tensor") == "parameters":
            with torch.no_grad():
                middle = sum(p.numel() for _, p in named) // 2
                for _, p in named:
                    if 0 <= middle < p.numel():
                        p.view(-1)[middle] = number(injected["tensor"]["value"])
                    middle -= p.numel()
        if (self.step + 1) % e["validation_interval"] == 0 or self.step + 1 == self.steps:
            self.validate(watch)
        return loss.item()

    def validate(self, watch):
        watch.phase = "validation"
        self.model.eval()
        with torch.no_grad():
            self.output_and_loss(self.data.x[-64:], self.data.y[-64:], self.e.get("eval_precision") or self.policy)
        self.model.train()
        watch.phase = ""

    def begins(self):
        return min((event["step"] for event in self.fault.get("events", [])), default=0)

    def run(self, watch, until=None):
        losses = []
        naive = self.e["model"].get("softmax") == "naive" and self.e["model"]["kind"] == "llama"
        with unittest.mock.patch("torch.nn.functional.softmax", naive_softmax) if naive else contextlib.nullcontext():
            while self.step < (self.steps if until is None else until):
                watch.step = self.step
                losses.append(self.one_step(watch))
                first = next((b.step for b in watch.births if b.step >= self.begins()), None)
                if first is not None and self.step >= first + STEPS_AFTER:
                    break
                self.step += 1
        return losses


# ---- The three runs of a fault, and the judgement ----

def plain(library, fault):
    training = Training(library, fault)
    watch = Observer(training.model)
    with watch, torch.autograd.set_detect_anomaly(True, check_nan=False):  # for the lines of code alone
        losses = training.run(watch)
    birth = next((b for b in watch.births if b.step >= training.begins()), None)
    return training, watch.births, birth, losses


def under_anomaly(library, fault, until):
    training = Training(library, fault)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly(check_nan=True):
                training.run(NoObserver(), until)
        except RuntimeError as error:
            text = "".join(str(w.message) for w in caught if "Traceback of forward call" in str(w.message))
            function = re.search(r"Function '(\w+)' returned nan", str(error))
            if not function:
                raise
            return {"step": training.step, "function": function[1], "line": own_line(frames_of(text)), "text": f"{text}\n{error}"}
    return None


def under_hf(library, fault, until):
    training, printed, watch = Training(library, fault), io.StringIO(), NoObserver()
    DebugUnderflowOverflow(training.model)
    try:
        with contextlib.redirect_stdout(printed):
            training.run(watch, until)
    except ValueError as error:
        text = printed.getvalue()
        if "inf/nan detected" not in str(error):
            raise
        flags = re.findall(r"^(\S+) has (nan|inf)s$", text, re.M)
        heads = re.findall(r"^ {17} (\S*) ?(\w+)$", text, re.M)
        return {"step": training.step, "phase": watch.phase, "module": heads[-1][0],
                "flags": flags, "text": f"{text}\n{error}"}
    return None


def operation(function):
    return re.sub(r"Backward\d+$", "", function).lower()


def judge_anomaly(birth, said):
    if said["step"] == birth.step and birth.phase == "label" and said["function"] == "MseLossBackward0":
        return "near"
    if said["step"] != birth.step or said["line"] != birth.line or birth.line is None:
        return "no"
    if birth.phase == "backward":  # an Inf is passed over: what is named is another function, perhaps of the same line
        return "yes" if said["function"] == birth.place and birth.what == "NaN" else "near"
    if birth.phase == "forward":
        return "yes" if operation(said["function"]) == birth.what.split()[0].replace("_", "") else "near"
    return "near" if birth.phase in ("input", "weights") else "no"


def judge_hf(birth, said):
    flagged, module = {name for name, _ in said["flags"]}, said["module"]
    full = {f"{module}.{name}" for name in flagged}
    if birth.phase in ("weights", "optimizer"):
        return "yes" if full & set(birth.place.split()) and said["step"] <= birth.step + 1 else "no"
    if birth.phase == "statistics":
        return "yes" if any(name.rpartition(".")[0] == module for name in birth.place.split()) else "no"
    if said["step"] != birth.step:
        return "no"
    if birth.phase == "input":
        return "yes" if "input[0]" in flagged else "no"
    if birth.phase not in ("forward", "validation"):
        return "no"
    if module == birth.place and not any(name.startswith("input") for name in flagged):
        return "yes"
    child, parent = module.startswith(birth.place + "."), birth.place.startswith(module + ".") and module != ""
    return "near" if (child or parent or module == birth.place) and birth.place not in ("", "loss") else "no"


def cell_of(said, training, begins):
    if said is None:
        return "-"
    line = said.get("line")
    text = f"`{said['function']}`" + (f" of {line[0]}:{line[1]}" if line else "") if "function" in said else (
        f"`{said['module'] or 'model'}` " + ", ".join(dict.fromkeys(f"{name} {what}" for name, what in said["flags"])))
    notes = [note for note, holds in (("validation", said.get("phase") == "validation"), ("too early", said["step"] < begins),
                                      ("in a step that the scaler skips", said["step"] in training.skipped)) if holds]
    return f"{said['step']}: {text}" + (f" ({', '.join(notes)})" if notes else "")


def examine(task):
    library, fault, show = task
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    row = {"name": fault["name"], "kind": fault.get("kind", "healthy")}
    try:
        training, births, birth, losses = plain(library, fault)
    except CannotBeRebuilt as why:
        return {**row, "cannot": str(why)}
    except Exception as error:
        return {**row, "cannot": f"PyTorch raises {type(error).__name__}: {error}"}
    until = min(training.step + 1, training.steps)
    row |= {"birth": f"{birth.step}: {birth.phase} {birth.place.split()[0] if birth.place else 'model'}"
            f"{' and others' if ' ' in birth.place else ''} {birth.what}" if birth else "-", "steps": until,
            "early": births[0].step if births and births[0].step < training.begins() else None, "skipped": len(training.skipped),
            "losses": [round(losses[0], 4), losses[-1]], "layer": fault.get("truth", {}).get("layer", "")}
    for tool, run, judge in (("anomaly", under_anomaly, judge_anomaly), ("hf", under_hf, judge_hf)):
        said = run(library, fault, until)
        early = said is not None and said["step"] < training.begins()
        named = judge(birth, said) if said and birth and not early else "no"
        flags, overflow = (said or {}).get("flags", []), "forward overflow" in fault.get("truth", {}).get("verdict", [])
        made_of_finite = overflow and {name for name, _ in flags} == {"output"} and ("output", "inf") in flags
        tells = named == "yes" and (birth.phase in ("input", "weights") or made_of_finite)
        row[tool] = {"cell": cell_of(said, training, training.begins()), "said": bool(said), "early": early, "named": named, "tells": tells,
                     "in_skip": bool(said and said["step"] in training.skipped)}
        if show and said:
            print(f"---- {fault['name']}, {tool}, step {said['step']}, named: {named}; born {birth}\n{said['text'][-3000:]}", flush=True)
    return row


# ---- The table ----

def verdict(row, tool):
    if row["kind"] == "healthy":
        return "false alarm" if row[tool]["said"] else ""
    return "" if row["birth"] == "-" else row[tool]["named"] + ("+" if row[tool]["tells"] else "")


def table(rows):
    ran = [r for r in rows if "cannot" not in r]
    faults, healthy = [r for r in ran if r["kind"] != "healthy"], [r for r in ran if r["kind"] == "healthy"]
    loud, silent = [r for r in faults if r["birth"] != "-"], [r for r in faults if r["birth"] == "-"]
    count = lambda rows, tool, test: sum(bool(test(r[tool])) for r in rows)
    out = [f"torch {torch.__version__}, transformers {transformers.__version__}; {len(faults)} faults and {len(healthy)} healthy runs.", "",
           "| | detect_anomaly | DebugUnderflowOverflow |", "|---|---|---|"]
    for title, group, test in (
            ("something becomes non-finite: said something", loud, lambda t: t["said"] and not t["early"]),
            ("... and named the place", loud, lambda t: t["named"] == "yes"), ("... near it", loud, lambda t: t["named"] == "near"),
            ("... and its text tells the kind of cause", loud, lambda t: t["tells"]),
            ("... raised too early, before the fault", loud, lambda t: t["early"]),
            ("... raised in a step that the scaler skips", loud, lambda t: t["in_skip"]),
            ("silent faults: said something", silent, lambda t: t["said"]),
            ("healthy runs: false alarm", healthy, lambda t: t["said"])):
        out.append(f"| {title} | " + " | ".join(f"{count(group, tool, test)} of {len(group)}" for tool in ("anomaly", "hf")) + " |")
    out += ["", "Cells: step: what it said. A dash: nothing.", "",
            "| fault | kind | steps | first non-finite number | detect_anomaly | named | DebugUnderflowOverflow | named |", "|" + "---|" * 8]
    for r in faults + healthy:
        out.append(f"| {r['name']} | {r['kind']} | {r['steps']} | {r['birth']} | " + " | ".join(
            f"{r[tool]['cell']} | {verdict(r, tool)}"
            for tool in ("anomaly", "hf")) + " |")
    out += ["", "A + after yes: the text alone tells the kind of cause.", "", "Not rebuilt:", ""]
    return "\n".join(out + [f"- {r['name']}: {r['cannot']}" for r in rows if "cannot" in r]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="What two common debuggers say of the library of planted faults.")
    parser.add_argument("library", nargs="?", default="library.json")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default="table.md")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    with open(options.library, encoding="utf-8") as file:
        library = json.load(file)
    cases = [c for c in library["faults"] + library["healthy"] if options.only in c["name"]]
    rows = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for row in pool.map(examine, ((library, case, options.show) for case in cases)):
            rows.append(row)
            print(json.dumps(row), flush=True)
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(table(rows))


if __name__ == "__main__":
    main()
