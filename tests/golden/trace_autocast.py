#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes autocast-trace.json: which aten operation PyTorch's dispatcher runs in which formats under CUDA autocast, forward and backward.

Run by hand when PyTorch or a model changes (needs torch built for CUDA, torchvision and transformers; no GPU):

    python3 tests/golden/trace_autocast.py

The tensors are fake CUDA tensors: they have shapes, formats and a device, but no elements. The real autocast and autograd kernels dispatch
them, and the real autograd engine runs the backward pass. Rows have
    phase    forward or backward
    module   path of the module without layer numbers; in a backward row the module of the forward operation; "" is the model itself
    node     backward rows: the autograd node. Two gradients of one value meet in an add of the node that made the later one
    op       aten operation; views and copies that change no format are left out
    in, out  formats of its tensors: fp32 or low, which is the region's fp16 or bf16; integers and Booleans are left out
Equal rows of one model are stored once, in the order of their first appearance. A model has one list for all formats that agree.
"""
import json
import math
import pathlib

import torch
import torchvision
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

OUT = pathlib.Path(__file__).resolve().parent / "autocast-trace.json"
FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
BATCH, CONTEXT, WIDTH, HEADS, VOCABULARY, CLASSES = 2, 4, 16, 2, 11, 5


def prepare_without_gpu():
    """Lets autocast and the autograd engine run without a GPU. Another accelerator is registered, so the engine asks CUDA for no stream."""
    torch._C._ensureCUDADeviceGuardSet()
    torch.utils.backend_registration._setup_privateuseone_for_python_backend("none")
    torch.autograd.set_multithreading_enabled(False)
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.cuda.is_bf16_supported = lambda *_: True


def to_cuda(model):
    """Module.to cannot swap fake parameters. A parameter that two modules share stays shared."""
    moved = {}
    for module in model.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                module._parameters[name] = moved.setdefault(parameter, torch.nn.Parameter(parameter.detach().to("cuda")))
        for name, buffer in module._buffers.items():
            module._buffers[name] = torch.zeros(buffer.shape, dtype=buffer.dtype, device="cuda")
    return model


class Trace(TorchDispatchMode):
    """Records rows. Whoever uses it says when the backward pass begins."""

    def __init__(self, model, low):
        super().__init__()
        self.rows, self.modules, self.path, self.is_backward = [], {}, [], False
        self.formats = {torch.float32: "fp32", low: "low"}
        self.names = {module: name for name, module in model.named_modules()}

    def __enter__(self):
        self.hooks = [
            torch.nn.modules.module.register_module_forward_pre_hook(lambda m, _: self.path.append(self.names.get(m, ""))),
            torch.nn.modules.module.register_module_forward_hook(lambda *_: None if self.path.pop() else None),
        ]
        return super().__enter__()

    def __exit__(self, *error):
        for hook in self.hooks:
            hook.remove()
        return super().__exit__(*error)

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if op is torch.ops.prim.device.default and self.is_backward:
            return torch.device("meta")  # the engine waits for the streams of a GPU's gradients
        result = op(*args, **(kwargs or {}))
        if op.namespace == "aten":
            self.record(op, (args, kwargs), result)
        return result

    def record(self, op, inputs, result):
        path = self.path[-1] if self.path else ""
        if not self.is_backward:
            self.modules.setdefault(torch.autograd._get_sequence_nr() - 1, path)
        row = {"phase": "backward" if self.is_backward else "forward", "module": path, "op": str(op).removeprefix("aten.")}
        if self.is_backward:
            node = torch._C._current_autograd_node()
            if node is None:
                return  # the loss's own gradient, which is one
            row |= {"module": self.modules.get(node._sequence_nr(), ""), "node": node.name().removesuffix("Backward0")}
        row["op"] = row["op"].removesuffix(".default")
        row["module"] = ".".join(part for part in row["module"].split(".") if not part.isdigit())
        for key, values in ("in", inputs), ("out", result):
            row[key] = [self.formats[x.dtype] for x in tree_leaves(values) if isinstance(x, torch.Tensor) and x.dtype in self.formats]
        is_view = any(returned.alias_info and not returned.alias_info.is_write for returned in op._schema.returns)
        is_copy = row["op"] in ("clone", "_unsafe_view") or (row["op"] == "_to_copy" and row["in"] == row["out"])
        if row["in"] and not is_view and not is_copy and row not in self.rows:
            self.rows.append(row)


# nanoGPT's model: same modules, same operations in the same order.
class CausalSelfAttention(torch.nn.Module):
    def __init__(self, is_flash):
        super().__init__()
        self.c_attn = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.c_proj = torch.nn.Linear(WIDTH, WIDTH)
        self.is_flash = is_flash
        self.attn_dropout = torch.nn.Dropout(0.1)
        self.resid_dropout = torch.nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(CONTEXT, CONTEXT)).view(1, 1, CONTEXT, CONTEXT))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(WIDTH, dim=2)
        k = k.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        q = q.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        v = v.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        if self.is_flash:
            y = functional.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            att = functional.softmax(att, dim=-1)
            att = self.attn_dropout(att)
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class LayerNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(WIDTH))
        self.bias = torch.nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c_fc = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.gelu = torch.nn.GELU()
        self.c_proj = torch.nn.Linear(4 * WIDTH, WIDTH)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(torch.nn.Module):
    def __init__(self, is_flash):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = LayerNorm(), CausalSelfAttention(is_flash), LayerNorm(), MLP()

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(torch.nn.Module):
    def __init__(self, is_flash):
        super().__init__()
        self.transformer = torch.nn.ModuleDict({
            "wte": torch.nn.Embedding(VOCABULARY, WIDTH), "wpe": torch.nn.Embedding(CONTEXT, WIDTH), "drop": torch.nn.Dropout(0.1),
            "h": torch.nn.ModuleList(Block(is_flash) for _ in range(2)), "ln_f": LayerNorm()})
        self.lm_head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.transformer.wte.weight = self.lm_head.weight

    def forward(self, idx):
        x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(torch.arange(CONTEXT, device=idx.device)))
        for block in self.transformer.h:
            x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        return functional.cross_entropy(logits.view(-1, logits.size(-1)), idx.view(-1), ignore_index=-1)


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, WIDTH), *(torch.nn.Linear(WIDTH, WIDTH) for _ in range(2)),
                                           torch.nn.Linear(WIDTH, CLASSES)])
        self.activations = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.GELU(), torch.nn.Sigmoid()])

    def forward(self, x):
        for layer, activation in zip(self.layers, self.activations):
            x = activation(layer(x))
        return self.layers[-1](x)


class Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Linear(CLASSES, WIDTH), torch.nn.Tanh())
        self.decoder = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, CLASSES))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class BasicBlock(torch.nn.Module):
    """A CIFAR residual block, as He et al. describe it."""

    def __init__(self, width, out, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(width, out, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(out)
        self.conv2 = torch.nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1:
            self.downsample = torch.nn.Sequential(torch.nn.Conv2d(width, out, 1, stride, bias=False), torch.nn.BatchNorm2d(out))

    def forward(self, x):
        identity = self.downsample(x) if self.downsample else x
        return functional.relu(self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x))))) + identity)


class CifarResNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 3, 1, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.layer1 = torch.nn.Sequential(BasicBlock(4, 4, 1), BasicBlock(4, 4, 1))
        self.layer2 = torch.nn.Sequential(BasicBlock(4, 8, 2), BasicBlock(8, 8, 1))
        self.layer3 = torch.nn.Sequential(BasicBlock(8, 16, 2), BasicBlock(16, 16, 1))
        self.avgpool = torch.nn.AdaptiveAvgPool2d(1)
        self.fc = torch.nn.Linear(16, CLASSES)

    def forward(self, x):
        x = self.layer1(functional.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.avgpool(self.layer3(self.layer2(x))), 1))


def flash_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=True, scale=None, enable_gqa=False):
    """What scaled_dot_product_attention chooses on a GPU of today for 16-bit operands and a causal mask."""
    return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, True, scale=scale)[0]


def llama(attention):
    if attention == "sdpa":  # on a GPU there is no mask to materialize where nothing is padded; from here on
        transformers.models.llama.modeling_llama.create_causal_mask = lambda **_: None
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=CONTEXT, use_cache=False, attn_implementation=attention))


def tokens():
    return (torch.zeros(BATCH, CONTEXT, dtype=torch.long, device="cuda"),)


def images():
    return torch.zeros(BATCH, 3, 32, 32, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")


def features():
    return torch.zeros(BATCH, 3, device="cuda"), torch.zeros(BATCH, dtype=torch.long, device="cuda")


def targets():
    return torch.zeros(BATCH, CLASSES, device="cuda"), torch.zeros(BATCH, CLASSES, device="cuda")


def with_loss(loss):
    return lambda model, x, target: loss(model(x), target)


CLASSIFIER = with_loss(functional.cross_entropy)
CASES = {  # name: how the model is made, inputs, loss
    "mlp": (Mlp, features, CLASSIFIER),
    "mlp-smoothing": (Mlp, features, with_loss(lambda y, t: functional.cross_entropy(y, t, label_smoothing=0.1))),
    "mlp-float": (Mlp, features, with_loss(lambda y, t: functional.cross_entropy(y.float(), t))),
    "mlp-float-smoothing": (Mlp, features, with_loss(lambda y, t: functional.cross_entropy(y.float(), t, label_smoothing=0.1))),
    "autoencoder": (Autoencoder, targets, with_loss(functional.mse_loss)),
    "gpt": (lambda: Gpt(is_flash=False), tokens, lambda model, x: model(x)),
    "gpt-flash": (lambda: Gpt(is_flash=True), tokens, lambda model, x: model(x)),
    "llama": (lambda: llama("eager"), tokens, lambda model, x: model(input_ids=x, labels=x).loss),
    "llama-flash": (lambda: llama("sdpa"), tokens, lambda model, x: model(input_ids=x, labels=x).loss),
    "resnet": (CifarResNet, images, CLASSIFIER),
    "resnet18": (lambda: torchvision.models.resnet18(num_classes=CLASSES), images, CLASSIFIER),
}


def trace(make, inputs, loss, low):
    with FakeTensorMode(allow_non_fake_inputs=True):
        model, given = to_cuda(make()), inputs()
        recorder = Trace(model, low)
        with recorder:
            with torch.autocast("cuda", dtype=low):
                result = loss(model, *given)
            recorder.is_backward = True
            result.backward()
    return recorder.rows


def main():
    prepare_without_gpu()
    functional.scaled_dot_product_attention = flash_attention
    versions = {module.__name__: module.__version__ for module in (torch, torchvision, transformers)}
    traces = []
    for name, case in CASES.items():
        for format, low in FORMATS.items():
            found = trace(*case, low)
            if traces and traces[-1]["model"] == name and traces[-1]["rows"] == found:
                traces[-1]["formats"].append(format)
            else:
                traces.append({"model": name, "formats": [format], "rows": found})
    lists = []
    for entry in traces:
        lines = ",\n".join("   " + json.dumps(row) for row in entry["rows"])
        lists.append(f'  {{"model": {json.dumps(entry["model"])}, "formats": {json.dumps(entry["formats"])}, "rows": [\n{lines}]}}')
    OUT.write_text(f'{{"versions": {json.dumps(versions)},\n "traces": [\n' + ",\n".join(lists) + "]}\n")


if __name__ == "__main__":
    main()
