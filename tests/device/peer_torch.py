# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the card, the same shapes as measure.py's: peer_torch.py gpt|resnet50|mlp fp32|bf16|fp16 prints a JSON with its median step,
peer_torch.py attention bf16 one with the times of scaled_dot_product_attention, as products.cpp takes ours.

At its best: torch.compile and fused AdamW for GPT, channels-last for the residual network, eager for the MLP, as its goal says.
"""
import json
import math
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

DEVICE = "cuda"


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = (y.view(samples, length, self.heads, width // self.heads).transpose(1, 2)
                   for y in self.c_attn(self.ln_1(x)).split(width, dim=2))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(attended.transpose(1, 2).reshape(samples, length, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))


class Gpt(nn.Module):
    def __init__(self, layers, heads, width, vocabulary, length):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks, self.ln_f = nn.Sequential(*(Block(width, heads) for _ in range(layers))), nn.LayerNorm(width)

    def forward(self, inputs, labels):
        x = self.tokens(inputs) + self.positions(torch.arange(inputs.shape[1], device=inputs.device))
        logits = F.linear(self.ln_f(self.blocks(x)), self.tokens.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.reshape(-1))


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        out = 4 * width
        self.body = nn.Sequential(nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out))
        same = channels == out and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet50():
    layers, channels = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            layers.append(Bottleneck(channels, width, 2 if stage > 0 and block == 0 else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


def prepare(model):
    """The network's loss of a step, its parameters, and how many steps to time."""
    if model == "gpt":
        net = Gpt(12, 12, 768, 50304, 1024).to(DEVICE)
        stream = torch.randint(0, 50304, (16, 1025), device=DEVICE)
        compiled = torch.compile(net)
        return (lambda: compiled(stream[:, :-1], stream[:, 1:])), list(net.parameters()), 20, "torch.compile, fused AdamW, SDPA"
    if model == "resnet50":
        net = resnet50().to(DEVICE, memory_format=torch.channels_last)
        images = torch.randn(256, 3, 224, 224, device=DEVICE).to(memory_format=torch.channels_last)
        labels = torch.randint(0, 1000, (256,), device=DEVICE)
        return (lambda: F.cross_entropy(net(images), labels)), list(net.parameters()), 20, "channels-last, fused AdamW"
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).to(DEVICE)
    inputs, labels = torch.randn(128, 784, device=DEVICE), torch.randint(0, 10, (128,), device=DEVICE)
    return (lambda: F.cross_entropy(net(inputs), labels)), list(net.parameters()), 500, "eager, AdamW"


def attention():
    q, k, v = (torch.randn(16, 1024, 12, 64, device=DEVICE, dtype=torch.bfloat16).transpose(1, 2).requires_grad_() for _ in range(3))
    grad = torch.randn_like(q)

    def ahead():
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def and_back():
        torch.autograd.grad(ahead(), (q, k, v), grad)

    def median_ms(work, calls=20, rounds=9):
        times = []
        for _ in range(rounds + 1):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(calls):
                work()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) / calls * 1e3)
        return statistics.median(times[1:])

    with torch.no_grad():
        alone = median_ms(ahead)
    print(json.dumps({"attention_ms": alone, "attention_and_gradient_ms": median_ms(and_back), "rival": f"PyTorch {torch.__version__}, SDPA"}))


def main(model, precision):
    torch.manual_seed(1)
    if model == "attention":
        return attention()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    loss_of, parameters, steps, what = prepare(model)
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, fused=model != "mlp")
    scaler = torch.amp.GradScaler(DEVICE, enabled=precision == "fp16")
    dtype = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, dtype=dtype or torch.float32, enabled=dtype is not None):
            loss = loss_of()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    for _ in range(10):
        step()
    torch.cuda.synchronize()
    blocks = []
    for _ in range(5):  # of steps without a wait in between, as its users train
        start = time.perf_counter()
        for _ in range(max(1, steps // 5)):
            loss = step()
        torch.cuda.synchronize()
        blocks.append((time.perf_counter() - start) / max(1, steps // 5))
    if math.isnan(loss.item()):
        sys.exit("the rival's loss is NaN")
    print(json.dumps({"step_ms": statistics.median(blocks) * 1e3, "rival": f"PyTorch {torch.__version__}, {what}"}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
