// SPDX-License-Identifier: Apache-2.0
// The models as PyTorch modules, with our checkpoints' parameter names and our initialisation.
#include <cmath>

#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"

namespace mantissa {
namespace {

using python::fill;
using python::number;

constexpr const char* kMlp = R"(class Mlp(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = @activation@(layer(x))
        return self.layers[-1](x)


model = Mlp(@widths@)
)";

constexpr const char* kAutoencoder = R"(def stack(widths, ends_bare):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), @module@()]
    return nn.Sequential(*layers[: -1 if ends_bare else None])


class Autoencoder(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.encoder = stack(widths, ends_bare=False)
        self.decoder = stack(widths[::-1], ends_bare=True)

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Autoencoder(@widths@)
)";

constexpr const char* kCifarResnet = R"(def norm(channels):
    return nn.BatchNorm2d(channels, eps=@eps@)


def conv(a, b, size, stride):
    layer = nn.Conv2d(a, b, size, stride, size // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer


class Block(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(a, b, 3, stride), norm(b)
        self.conv2, self.bn2 = conv(b, b, 3, 1), norm(b)
        changes = stride != 1 or a != b
        self.downsample = nn.Sequential(conv(a, b, 1, stride), norm(b)) if changes else nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self, blocks, channels, classes):
        super().__init__()
        self.conv1, self.bn1 = conv(channels, 16, 3, 1), norm(16)
        for stage, (a, b) in enumerate([(16, 16), (16, 32), (32, 64)]):
            layers = [Block(a if i == 0 else b, b, 2 if stage > 0 and i == 0 else 1) for i in range(blocks)]
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layers))
        self.fc = nn.Linear(64, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


model = ResNet(blocks=@blocks@, channels=@channels@, classes=@classes@)
)";

constexpr const char* kTorchvisionResnet = R"(from functools import partial

from torchvision.models import @kind@

model = @kind@(num_classes=@classes@, norm_layer=partial(nn.BatchNorm2d, eps=@eps@))
@stem@
)";

// nanoGPT's modules and names; the norm is written out because older versions of nn.LayerNorm always have a bias
constexpr const char* kGpt = R"(class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(@width@))
        self.bias = nn.Parameter(torch.zeros(@width@)) if @bias@ else None

    def forward(self, x):
        return F.layer_norm(x, (@width@,), self.weight, self.bias, @eps@)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(@width@, 3 * @width@, bias=@bias@)
        self.c_proj = nn.Linear(@width@, @width@, bias=@bias@)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (@heads@, -1)).transpose(1, 2) for part in self.c_attn(x).split(@width@, dim=2))
        y = attend(q, k, v, self.training).transpose(1, 2).flatten(2)
        return F.dropout(self.c_proj(y), @dropout@, self.training)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_fc = nn.Linear(@width@, 4 * @width@, bias=@bias@)
        self.c_proj = nn.Linear(4 * @width@, @width@, bias=@bias@)

    def forward(self, x):
        return F.dropout(self.c_proj(F.gelu(self.c_fc(x))), @dropout@, self.training)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = Norm(), Attention(), Norm(), Mlp()

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(@classes@, @width@),
            "wpe": nn.Embedding(@context@, @width@),
            "h": nn.ModuleList(Block() for _ in range(@layers@)),
            "ln_f": Norm(),
        })
        self.lm_head = nn.Linear(@width@, @classes@, bias=False)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02 / (2 * @layers@) ** 0.5 if name.endswith("c_proj.weight") else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)
        @tie@

    def forward(self, tokens):
        t = self.transformer
        x = F.dropout(t.wte(tokens) + t.wpe.weight, @dropout@, self.training)
        for block in t.h:
            x = block(x)
        return self.lm_head(t.ln_f(x))


model = Gpt()
)";

// the modules and names of Hugging Face's Llama
constexpr const char* kLlama = R"(class RmsNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(@width@))

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.square().mean(-1, keepdim=True) + @eps@)).to(x.dtype) * self.weight


def rotate(x):
    """Rotary positions: the two halves of a head are the parts of complex numbers."""
    half = x.shape[-1] // 2
    rates = @theta@ ** (-torch.arange(half, device=x.device) / half)
    angles = torch.arange(x.shape[-2], device=x.device)[:, None] * rates
    a, b = x.float().chunk(2, -1)
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).to(x.dtype)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(@width@, @width@, bias=False)
        self.k_proj = nn.Linear(@width@, @key_width@, bias=False)
        self.v_proj = nn.Linear(@width@, @key_width@, bias=False)
        self.o_proj = nn.Linear(@width@, @width@, bias=False)

    def forward(self, x):
        q = rotate(self.q_proj(x).unflatten(2, (@heads@, -1)).transpose(1, 2))
        k = rotate(self.k_proj(x).unflatten(2, (@key_heads@, -1)).transpose(1, 2))
        v = self.v_proj(x).unflatten(2, (@key_heads@, -1)).transpose(1, 2)
        k, v = (part.repeat_interleave(@heads@ // @key_heads@, 1) for part in (k, v))
        return self.o_proj(attend(q, k, v, self.training).transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Linear(@width@, @inner@, bias=False)
        self.up_proj = nn.Linear(@width@, @inner@, bias=False)
        self.down_proj = nn.Linear(@inner@, @width@, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.mlp = Attention(), Mlp()
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(), RmsNorm()

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(@classes@, @width@),
            "layers": nn.ModuleList(Block() for _ in range(@layers@)),
            "norm": RmsNorm(),
        })
        self.lm_head = nn.Linear(@width@, @classes@, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        @tie@

    def forward(self, tokens):
        x = self.model.embed_tokens(tokens)
        for layer in self.model.layers:
            x = layer(x)
        return self.lm_head(self.model.norm(x))


model = Llama()
)";

constexpr const char* kMaterialised = R"(def attend(q, k, v, training):
    """Causal attention, scores and weights as tensors of their own."""
    scores = @scores@
    future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    scores = scores.masked_fill(future, @mask@)
    @softmax@
    return F.dropout(weights, @dropout@, training).to(v.dtype) @ v


)";
constexpr const char* kFused = R"(def attend(q, k, v, training):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


)";

std::string torchTransformer(const ModelSettings& m, const DataShape& data) {
    const std::int64_t keyWidth = m.nEmbd / m.nHead * m.keyHeads();
    const std::int64_t inner = python::gatedWidth(m, data);
    const std::string root = "q.shape[-1] ** -0.5";
    const bool isAfter = m.scoreScale == "after_product";
    const std::string attend = m.attention == "fused" ? kFused : kMaterialised;
    // PyTorch refuses to convert the number to fp16; a converted tensor becomes infinite, as in training here
    const std::string mask = std::isinf(m.maskValue) ? "-torch.inf" : "torch.tensor(" + number(m.maskValue) + ").to(scores)";
    const std::string naive =
        "weights = scores.exp()  # the wrong way, as the run has it: the maximum is not subtracted\n"
        "    weights = weights / weights.sum(-1, keepdim=True)";
    const std::string tie =
        m.kind == "gpt" ? "self.lm_head.weight = self.transformer.wte.weight" : "self.lm_head.weight = self.model.embed_tokens.weight";
    return fill(attend + (m.kind == "gpt" ? kGpt : kLlama),
                {{"scores", isAfter ? "q @ k.transpose(-2, -1) * " + root : "(q * " + root + ") @ k.transpose(-2, -1)"},
                 {"mask", mask},
                 {"softmax", m.softmax == "naive" ? naive : "weights = scores.softmax(-1)"},
                 {"width", number(m.nEmbd)},
                 {"key_width", number(keyWidth)},
                 {"heads", number(m.nHead)},
                 {"key_heads", number(m.keyHeads())},
                 {"inner", number(inner)},
                 {"theta", number(m.ropeTheta)},
                 {"eps", number(m.normEpsilon())},
                 {"layers", number(m.nLayer)},
                 {"dropout", number(m.dropout)},
                 {"bias", python::truth(m.bias)},
                 {"classes", number(data.classes)},
                 {"context", number(data.context)},
                 {"tie", m.tieWeights ? tie : ""}});
}

}  // namespace

std::string pytorchModel(const ModelSettings& m, const DataShape& data) {
    if (takesTokens(m.kind)) return torchTransformer(m, data);
    std::vector<std::int64_t> widths{data.features};
    widths.insert(widths.end(), m.hidden.begin(), m.hidden.end());
    if (m.kind == "mlp") {
        widths.push_back(data.targets > 0 ? data.targets : data.classes);
        const std::string activation = (m.activation == "tanh" || m.activation == "sigmoid" ? "torch." : "F.") + m.activation;
        return fill(kMlp, {{"activation", activation}, {"widths", python::list(widths)}});
    }
    if (m.kind == "autoencoder") {
        widths.push_back(m.code);
        const std::string module = m.activation == "relu"   ? "nn.ReLU"
                                   : m.activation == "gelu" ? "nn.GELU"
                                   : m.activation == "silu" ? "nn.SiLU"
                                   : m.activation == "tanh" ? "nn.Tanh"
                                                            : "nn.Sigmoid";
        return fill(kAutoencoder, {{"module", module}, {"widths", python::list(widths)}});
    }
    const std::string stem = "model.conv1 = nn.Conv2d(" + number(data.channels) + ", 64, 7, 2, 3, bias=False)\n" +
                             "nn.init.kaiming_normal_(model.conv1.weight, mode=\"fan_out\", nonlinearity=\"relu\")";
    return fill(m.kind == "resnet" ? kCifarResnet : kTorchvisionResnet, {{"kind", m.kind},
                                                                         {"blocks", number((m.depth - 2) / 6)},
                                                                         {"channels", number(data.channels)},
                                                                         {"classes", number(data.classes)},
                                                                         {"eps", number(m.normEpsilon())},
                                                                         {"stem", data.channels == 3 ? "" : stem}});
}

}  // namespace mantissa
