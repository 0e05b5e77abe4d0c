# SPDX-License-Identifier: Apache-2.0
"""Compares losses and gradients of random compiled models with and without the probe, to the last bit.

Prints a line for each model that differs, and how many did. Usage: python random_models.py FIRST_SEED LAST_SEED [narrow|wide]
"""
import random

from support import *


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in ((width, 2 * width), (width, 2 * width), (2 * width, width)))

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Attended(nn.Module):
    def __init__(self, width, is_fused):
        super().__init__()
        self.norm, self.qkv, self.out, self.is_fused = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width), is_fused

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        if self.is_fused:
            return x + self.out(F.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None], is_causal=True)[:, 0])
        return x + self.out(torch.softmax((q @ k.transpose(-1, -2)).float() / 4, -1).to(v.dtype) @ v)


class Residual(nn.Module):
    def __init__(self, width, norm, activation, dropout):
        super().__init__()
        self.branch = nn.Sequential(norm(width), nn.Linear(width, 3 * width), activation(), nn.Linear(3 * width, width), nn.Dropout(dropout))

    def forward(self, x):
        return x + self.branch(x)


class ReadTwice(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)

    def forward(self, x):
        y = self.a(x)
        return x + y * torch.sigmoid(y)


class Convolved(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.norm, self.b = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.Conv2d(width, width, 1)

    def forward(self, x):
        return F.relu(self.norm(self.a(x))) + self.b(x)


class Classifier(nn.Module):
    """Of images or of words."""

    def __init__(self, choice):
        super().__init__()
        self.of_images = choice.random() < 1 / 3
        width = choice.choice([4, 8, 16] if self.of_images else [16, 32, 48])
        self.first = nn.Conv2d(3, width, 3, stride=choice.choice([1, 2])) if self.of_images else nn.Embedding(33, width)
        parts = [
            lambda: Gated(width),
            lambda: Attended(width, choice.random() < 0.5),
            lambda: Residual(width, choice.choice([nn.LayerNorm, nn.RMSNorm]), choice.choice([nn.GELU, nn.ReLU, nn.SiLU, nn.Tanh]), choice.choice([0.0, 0.1])),
            lambda: ReadTwice(width),
        ]
        self.parts = nn.ModuleList(Convolved(width) if self.of_images else choice.choice(parts)() for _ in range(choice.randint(1, 4)))
        self.head = nn.Linear(width, 33)

    def forward(self, x, targets):
        x = self.first(x)
        for part in self.parts:
            x = part(x)
        return F.cross_entropy(self.head(x.mean((2, 3)) if self.of_images else x).float().flatten(0, -2), targets.flatten())


def trained(seed, policies, is_watched, place):
    """Returns the policy, and the losses and gradients of three steps, by name."""
    choice, found = random.Random(seed), []
    torch._dynamo.reset()
    torch.manual_seed(seed)
    model, policy = Classifier(choice), choice.choice(policies)
    if isinstance(policy, str):
        model = model.to(getattr(torch, policy))
    dtype = next(model.parameters()).dtype
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    compiled = torch.compile(model, fullgraph=True)
    probe = mantissa_probe.watch(compiled, optimizer, to=place, every=2, quiet=True, sketches=seed % 2 == 0) if is_watched else mantissa_probe.NoProbe()
    for step in range(3):
        batch = torch.randn(4, 3, 12, 12).to(dtype) if model.of_images else torch.randint(0, 33, (4, 12))
        with torch.autocast("cpu", torch.bfloat16 if isinstance(policy, (str, type(None))) else policy, enabled=isinstance(policy, torch.dtype)):
            loss = compiled(batch, torch.randint(0, 33, (4,) if model.of_images else (4, 12)))
        loss.backward()
        found += [(f"loss {step}", loss.detach().clone())] + [(f"{name} {step}", p.grad.clone()) for name, p in model.named_parameters()]
        optimizer.step()
        optimizer.zero_grad()
        probe.step(loss)
    probe.close()
    return policy, found


if __name__ == "__main__":
    first, last = int(sys.argv[1]), int(sys.argv[2])
    policies = {"narrow": [torch.bfloat16, torch.float16, "bfloat16"], "wide": [None, "float64"]}
    chosen = policies[sys.argv[3]] if len(sys.argv) > 3 else sum(policies.values(), [])
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            (policy, plain), (_, watched) = (trained(seed, chosen, is_watched, f"{folder}/{seed}.mprobe") for is_watched in (False, True))
            names = [name for (name, a), (_, b) in zip(plain, watched) if not torch.equal(a, b)]
            differ += bool(names)
            if names:
                print(f"model {seed} ({policy}): {len(names)} of {len(plain)} differ, first {names[0]}", flush=True)
    print(f"{differ} of {last - first + 1} models differ")
