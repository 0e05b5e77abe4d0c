// SPDX-License-Identifier: Apache-2.0
// What the benchmarks' rivals train, in PyTorch's own words: the same shapes, parameters and batches' sizes as ours.
#pragma once

namespace mantissa {

/// 2-64-64-2, batch 64.
inline constexpr const char* kTorchMlp = R"(
net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
parameters = net.parameters()
inputs, labels = torch.randn(4096, 2), torch.randint(0, 2, (4096,))
def loss_of(batch):
    first = batch % 64 * 64
    return F.cross_entropy(net(inputs[first:first + 64]), labels[first:first + 64])
)";

/// A GPT-2 with materialised attention. Before it: layers, heads, width, vocabulary, samples, length.
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
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(width // heads))
        weights = F.softmax(scores.masked_fill(self.mask, float("-inf")), dim=-1)
        x = x + self.c_proj((weights @ v).transpose(1, 2).reshape(samples, length, width))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))

tokens_of, position_of = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
blocks, ln_f = nn.Sequential(*(Block() for _ in range(layers))), nn.LayerNorm(width)
parameters = [p for m in (tokens_of, position_of, blocks, ln_f) for p in m.parameters()]
stream, positions = torch.randint(0, vocabulary, (500000,)), torch.arange(length)
def loss_of(batch):
    starts = torch.randint(0, len(stream) - length - 1, (samples,)).tolist()
    inputs = torch.stack([stream[s:s + length] for s in starts])
    labels = torch.stack([stream[s + 1:s + 1 + length] for s in starts])
    logits = F.linear(ln_f(blocks(tokens_of(inputs) + position_of(positions))), tokens_of.weight)
    return F.cross_entropy(logits.view(-1, vocabulary), labels.view(-1))
)";

}  // namespace mantissa
