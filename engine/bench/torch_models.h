// SPDX-License-Identifier: Apache-2.0
// The PyTorch models of the benchmarks' rivals, with our shapes, parameters and batch sizes. Each defines `parameters`, `batch_of(number)`,
// which returns inputs and labels, and `loss_of(inputs, labels)`.
#pragma once

namespace mantissa {

/// An MLP 2-64-64-2 with batch 64.
inline constexpr const char* kTorchMlp = R"(
net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
parameters = net.parameters()
inputs, labels = torch.randn(4096, 2), torch.randint(0, 2, (4096,))
def batch_of(number):
    first = number % 64 * 64
    return inputs[first:first + 64], labels[first:first + 64]
def loss_of(inputs, labels):
    return F.cross_entropy(net(inputs), labels)
)";

/// A GPT-2, with fused attention in PyTorch 2. The code before it defines layers, heads, width, vocabulary, samples, length.
inline constexpr const char* kTorchGpt = R"(
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length) == 0)

    def forward(self, x):
        q, k, v = self.c_attn(self.ln_1(x)).split(width, dim=2)
        q, k, v = (y.view(samples, length, heads, width // heads).transpose(1, 2) for y in (q, k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(width // heads))
            mixed = F.softmax(scores.masked_fill(self.mask, float("-inf")), dim=-1) @ v
        x = x + self.c_proj(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))

tokens_of, position_of = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
blocks, ln_f = nn.Sequential(*(Block() for _ in range(layers))), nn.LayerNorm(width)
parameters = [p for m in (tokens_of, position_of, blocks, ln_f) for p in m.parameters()]
stream, positions = torch.randint(0, vocabulary, (500000,)), torch.arange(length)
def batch_of(number):
    starts = torch.randint(0, len(stream) - length - 1, (samples,)).tolist()
    return torch.stack([stream[s:s + length] for s in starts]), torch.stack([stream[s + 1:s + 1 + length] for s in starts])
def loss_of(inputs, labels):
    logits = F.linear(ln_f(blocks(tokens_of(inputs) + position_of(positions))), tokens_of.weight)
    return F.cross_entropy(logits.view(-1, vocabulary), labels.view(-1))
)";

/// CIFAR's residual network. The code before it defines depth, samples, and layout, PyTorch's memory format of images and weights.
inline constexpr const char* kTorchResnet = R"(
def conv_norm(channels, out, size, stride):
    return nn.Sequential(nn.Conv2d(channels, out, size, stride, size // 2, bias=False), nn.BatchNorm2d(out))

class Block(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.first, self.second = conv_norm(channels, out, 3, stride), conv_norm(out, out, 3, 1)
        self.shortcut = nn.Identity() if channels == out else conv_norm(channels, out, 1, stride)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x))) + self.shortcut(x))

layers, width = [conv_norm(3, 16, 3, 1), nn.ReLU()], 16
for out in (16, 32, 64):
    for i in range((depth - 2) // 6):
        layers.append(Block(width, out, 2 if width != out else 1))
        width = out
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).to(memory_format=layout)
parameters = list(net.parameters())
images, targets = torch.randn(1024, 3, 32, 32).to(memory_format=layout), torch.randint(0, 10, (1024,))
def batch_of(number):
    chosen = torch.randint(0, 1024, (samples,))
    return images[chosen], targets[chosen]
def loss_of(inputs, labels):
    return F.cross_entropy(net(inputs), labels)
)";

}  // namespace mantissa
