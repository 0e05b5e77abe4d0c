#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes autocast-trace.json: which aten operation PyTorch's dispatcher runs in which formats under CUDA autocast, forward and backward.

Run by hand when PyTorch or a model changes (needs torch built for CUDA, torchvision and transformers; no GPU):

    python3 tests/golden/trace_autocast.py

The tensors are fake CUDA tensors: they have shapes, formats and a device, but no elements. The real autocast and autograd kernels dispatch
them, and the real autograd engine runs the backward pass. Rows have
    phase    forward or backward
    module   path of the module, layer numbers left out; in a backward row the module of the forward operation; "" is the model itself
    node     backward rows: the autograd node; "engine" for additions where two gradients of one value meet
    op       aten operation
    in, out  formats of its tensors, integers and Booleans left out
Equal rows of one model are stored once, in the order of their first appearance.
"""
import contextlib
import json
import math
import pathlib
import re
import sys

import torch
import torchvision
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

OUT = pathlib.Path(__file__).resolve().parent / "autocast-trace.json"
FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
NAMES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}
BATCH, CONTEXT, WIDTH, HEADS, VOCABULARY, CLASSES = 2, 4, 8, 2, 11, 5


def prepare_without_gpu():
    """Lets autocast and the autograd engine run where no GPU is. Another accelerator is registered, so the engine asks CUDA for no stream."""
    torch._C._ensureCUDADeviceGuardSet()
    torch.utils.backend_registration._setup_privateuseone_for_python_backend("none")
    torch.autograd.set_multithreading_enabled(False)
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False


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
    def __init__(self, model):
        super().__init__()
        self.model, self.rows, self.modules, self.path, self.is_backward = model, [], {}, [], False
        self.node = None
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
        row = {"phase": "forward", "module": self.path[-1] if self.path else ""}
        if self.is_backward:
            node = torch._C._current_autograd_node()
            name = node.name() if node else "engine"
            self.node = node or self.node
            module = self.modules.get(self.node._sequence_nr(), "") if self.node else ""
            row = {"phase": "backward", "module": module, "node": name.removesuffix("Backward0")}
        else:
            self.modules.setdefault(torch.autograd._get_sequence_nr() - 1, row["module"])
        row["module"] = ".".join(part for part in row["module"].split(".") if not part.isdigit())
        row["op"] = str(op).removeprefix("aten.").removesuffix(".default")
        for key, values in ("in", inputs), ("out", result):
            row[key] = [NAMES[x.dtype] for x in tree_leaves(values) if isinstance(x, torch.Tensor) and x.dtype in NAMES]
            if VERBOSE: row[key] = [str(x.dtype)[6:]+str(list(x.shape)) for x in tree_leaves(values) if isinstance(x, torch.Tensor)]
        if VERBOSE: print(*row.values(), flush=True)
        if row["in"] and row not in self.rows:
            self.rows.append(row)
VERBOSE = len(sys.argv) > 1


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
        self.wte, self.wpe = torch.nn.Embedding(VOCABULARY, WIDTH), torch.nn.Embedding(CONTEXT, WIDTH)
        self.drop = torch.nn.Dropout(0.1)
        self.h = torch.nn.ModuleList(Block(is_flash) for _ in range(2))
        self.ln_f = LayerNorm()
        self.lm_head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, idx):
        x = self.drop(self.wte(idx) + self.wpe(torch.arange(CONTEXT, device=idx.device)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return functional.cross_entropy(logits.view(-1, logits.size(-1)), idx.view(-1), ignore_index=-1)


class Mlp(torch.nn.Module):
    """A multilayer perceptron with one of the losses."""

    def __init__(self, loss):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(),
                                          torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(), torch.nn.Linear(WIDTH, CLASSES))
        self.loss = loss

    def forward(self, x, target):
        return self.loss(self.layers(x), target)


class Llama(torch.nn.Module):
    """Hugging Face's, with its own loss."""

    def __init__(self, attention):
        super().__init__()
        config = transformers.LlamaConfig(vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=12, num_hidden_layers=2,
                                          num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=CONTEXT, use_cache=False,
                                          attn_implementation=attention)
        self.model = transformers.LlamaForCausalLM(config)

    def forward(self, idx):
        return self.model(input_ids=idx, labels=idx).loss


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
        self.layers = torch.nn.Sequential(BasicBlock(4, 4, 1), BasicBlock(4, 8, 2))
        self.avgpool = torch.nn.AdaptiveAvgPool2d(1)
        self.fc = torch.nn.Linear(8, CLASSES)

    def forward(self, x):
        return self.fc(torch.flatten(self.avgpool(self.layers(functional.relu(self.bn1(self.conv1(x))))), 1))


class Classifier(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, target):
        return functional.cross_entropy(self.model(x), target)
