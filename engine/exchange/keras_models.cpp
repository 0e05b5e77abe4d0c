// SPDX-License-Identifier: Apache-2.0
// The models in Keras 3, initialised as ours. Logits are in FP32, as the loss.
#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"

namespace mantissa {
namespace {

using python::fill;
using python::number;

constexpr const char* kDense = R"(def dense(x, units, **options):
    """Drawn as torch.nn.Linear draws: uniform within one over the root of the inputs."""
    bound = x.shape[-1] ** -0.5
    kernel, bias = keras.initializers.RandomUniform(-bound, bound), keras.initializers.RandomUniform(-bound, bound)
    return layers.Dense(units, kernel_initializer=kernel, bias_initializer=bias, **options)(x)


)";

constexpr const char* kStack = R"(inputs = x = keras.Input((@features@,))
for units in @hidden@:
    x = layers.Activation("@activation@")(dense(x, units))
outputs = layers.Activation("linear", dtype="float32")(dense(x, @outputs@))
model = keras.Model(inputs, outputs)
)";

// PyTorch pads on both sides alike; Keras' "same" pads unevenly where the stride is 2
constexpr const char* kResnet = R"(def conv_norm(x, filters, size, stride):
    """Without bias, drawn by Kaiming's rule from the fan-out; padded as PyTorch pads."""
    init = keras.initializers.VarianceScaling(2.0, "fan_out", "untruncated_normal")
    x = layers.ZeroPadding2D(size // 2)(x)
    x = layers.Conv2D(filters, size, stride, use_bias=False, kernel_initializer=init)(x)
    return layers.BatchNormalization(momentum=0.9, epsilon=@eps@)(x)


def block(x, width, stride):
    filters = @expansion@ * width
    y = x
    for count, size, step in @convolutions@:
        y = layers.ReLU()(conv_norm(y, count, size, step))
    y = conv_norm(y, filters, @last_size@, 1)
    if stride != 1 or x.shape[-1] != filters:
        x = conv_norm(x, filters, 1, stride)
    return layers.ReLU()(layers.Add()([y, x]))


inputs = keras.Input((@height@, @width@, @channels@))
@stem@
for stage, blocks in enumerate(@blocks@):
    for i in range(blocks):
        x = block(x, @first@ << stage, 2 if stage > 0 and i == 0 else 1)
x = dense(layers.GlobalAveragePooling2D()(x), @classes@)
model = keras.Model(inputs, layers.Activation("linear", dtype="float32")(x))
)";

constexpr const char* kTransformer = R"(def normal(std=0.02):
    return keras.initializers.RandomNormal(stddev=std)


def linear(units, std=0.02):
    return layers.Dense(units, use_bias=@bias@, kernel_initializer=normal(std))


class Embed(layers.Layer):
    def __init__(self):
        super().__init__()
        self.tokens = layers.Embedding(@classes@, @width@, embeddings_initializer=normal())
@positions_init@

    def call(self, x):
        return self.tokens(x)@positions_add@


@rotary@class Attention(layers.Layer):
    """Causal, with weights as a tensor of their own."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = linear(@width@), linear(@key_width@), linear(@key_width@)
        self.out, self.dropout = linear(@width@, @residual@), layers.Dropout(@dropout@)

    def call(self, x, training=False):
        def heads(y, count):
            return ops.transpose(ops.reshape(y, (-1, @context@, count, @head_width@)), (0, 2, 1, 3))

        q, k, v = heads(self.q(x), @heads@), heads(self.k(x), @key_heads@), heads(self.v(x), @key_heads@)
        @rotate@
        @share@
        scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) * @head_width@**-0.5
        future = ops.triu(ops.full((@context@, @context@), -float("inf"), "float32"), 1)
        weights = ops.cast(ops.softmax(ops.cast(scores, "float32") + future), v.dtype)
        y = ops.matmul(self.dropout(weights, training=training), v)
        return self.out(ops.reshape(ops.transpose(y, (0, 2, 1, 3)), (-1, @context@, @width@)))


def mlp(x):
@mlp@


def block(x):
    x = x + @branch_dropout@(Attention()(norm()(x)))
    return x + @branch_dropout@(mlp(norm()(x)))


def norm():
    return @norm@


@head@inputs = keras.Input((@context@,), dtype="int32")
embed = Embed()
x = @embedding_dropout@(embed(inputs))
for _ in range(@layers@):
    x = block(x)
outputs = layers.Activation("linear", dtype="float32")(@apply_head@(norm()(x)))
model = keras.Model(inputs, outputs)
)";

constexpr const char* kRotary = R"(def rotate(x):
    """Rotary positions: the two halves of a head are the parts of complex numbers."""
    half = @head_width@ // 2
    angles = np.arange(@context@)[:, None] * @theta@ ** (-np.arange(half) / half)
    cos, sin = np.cos(angles).astype("float32"), np.sin(angles).astype("float32")
    a, b = ops.split(ops.cast(x, "float32"), 2, axis=-1)
    return ops.cast(ops.concatenate([a * cos - b * sin, b * cos + a * sin], -1), x.dtype)


)";

constexpr const char* kTiedHead = R"(class TiedHead(layers.Layer):
    """Multiplies by the token embedding."""

    def __init__(self, embed):
        super().__init__()
        self.embed = embed

    def call(self, x):
        return ops.matmul(x, ops.cast(ops.transpose(self.embed.tokens.embeddings), x.dtype))


)";

std::string kerasTransformer(const ModelSettings& m, const DataShape& data) {
    const bool isGpt = m.kind == "gpt";
    const std::int64_t inner = python::gatedWidth(m, data);
    const std::string residual = isGpt ? "0.02 / (2 * " + number(m.nLayer) + ") ** 0.5" : "0.02";
    const std::string gptMlp = "    x = layers.Activation(\"gelu\")(linear(4 * " + number(m.nEmbd) + ")(x))\n    return linear(" +
                               number(m.nEmbd) + ", " + residual + ")(x)";
    const std::string llamaMlp = "    gated = layers.Activation(\"silu\")(linear(" + number(inner) + ")(x)) * linear(" + number(inner) +
                                 ")(x)\n    return linear(" + number(m.nEmbd) + ")(gated)";
    const std::string dropout = m.dropout > 0 && isGpt ? "layers.Dropout(" + number(m.dropout) + ")" : "";
    const std::int64_t groups = m.nHead / m.keyHeads();
    const std::string head = "layers.Dense(" + number(data.classes) + ", use_bias=False, kernel_initializer=normal())";
    return fill(
        kTransformer,
        {{"rotary", isGpt ? "" : kRotary},
         {"head", m.tieWeights ? kTiedHead : ""},
         {"positions_init", isGpt ? "        self.positions = layers.Embedding(@context@, @width@, embeddings_initializer=normal())" : ""},
         {"positions_add", isGpt ? " + self.positions(ops.arange(@context@))" : ""},
         {"rotate", isGpt ? "" : "q, k = rotate(q), rotate(k)"},
         {"share", groups > 1 ? "k, v = ops.repeat(k, " + number(groups) + ", 1), ops.repeat(v, " + number(groups) + ", 1)" : ""},
         {"mlp", isGpt ? gptMlp : llamaMlp},
         {"branch_dropout", dropout},
         {"embedding_dropout", dropout},
         {"norm", isGpt ? "layers.LayerNormalization(epsilon=@eps@, center=" + python::truth(m.bias) + ", dtype=\"float32\")"
                        : "layers.RMSNormalization(epsilon=@eps@, dtype=\"float32\")"},
         {"apply_head", m.tieWeights ? "TiedHead(embed)" : head},
         {"residual", residual},
         {"bias", python::truth(isGpt && m.bias)},
         {"width", number(m.nEmbd)},
         {"head_width", number(m.nEmbd / m.nHead)},
         {"key_width", number(m.nEmbd / m.nHead * m.keyHeads())},
         {"heads", number(m.nHead)},
         {"key_heads", number(m.keyHeads())},
         {"theta", number(m.ropeTheta)},
         {"eps", number(m.normEpsilon())},
         {"layers", number(m.nLayer)},
         {"dropout", number(m.dropout)},
         {"classes", number(data.classes)},
         {"context", number(data.context)}});
}

std::string resnet(const ModelSettings& m, const DataShape& data) {
    const bool isCifars = m.kind == "resnet", hasBottlenecks = m.kind == "resnet50";
    const std::string n = number((m.depth - 2) / 6);
    const std::string imagenetStem =
        "x = layers.ReLU()(conv_norm(inputs, 64, 7, 2))\n"
        "x = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(x))  # zeros are no more than what ReLU leaves";
    return std::string(kDense) +
           fill(kResnet, {{"expansion", hasBottlenecks ? "4" : "1"},
                          {"convolutions", hasBottlenecks ? "[(width, 1, 1), (width, 3, stride)]" : "[(width, 3, stride)]"},
                          {"last_size", hasBottlenecks ? "1" : "3"},
                          {"stem", isCifars ? "x = layers.ReLU()(conv_norm(inputs, 16, 3, 1))" : imagenetStem},
                          {"blocks", isCifars         ? "[" + n + ", " + n + ", " + n + "]"
                                     : hasBottlenecks ? "[3, 4, 6, 3]"
                                                      : "[2, 2, 2, 2]"},
                          {"first", isCifars ? "16" : "64"},
                          {"height", number(data.height)},
                          {"width", number(data.width)},
                          {"channels", number(data.channels)},
                          {"eps", number(m.normEpsilon())},
                          {"classes", number(data.classes)}});
}

}  // namespace

std::string kerasModel(const ModelSettings& m, const DataShape& data) {
    if (takesTokens(m.kind)) return kerasTransformer(m, data);
    if (takesImages(m.kind)) return resnet(m, data);
    std::vector<std::int64_t> hidden = m.hidden;
    std::int64_t outputs = data.targets > 0 ? data.targets : data.classes;
    if (m.kind == "autoencoder") {
        hidden.push_back(m.code);
        hidden.insert(hidden.end(), m.hidden.rbegin(), m.hidden.rend());
        outputs = data.features;
    }
    return std::string(kDense) + fill(kStack, {{"features", number(data.features)},
                                               {"hidden", python::list(hidden)},
                                               {"activation", m.activation},
                                               {"outputs", number(outputs)}});
}

}  // namespace mantissa
