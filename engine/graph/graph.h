// SPDX-License-Identifier: Apache-2.0
// The graph: operations on values with shapes, without formats. A model builds the forward part; `appendBackward` adds the rest.
// Pure values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/backend.h"

namespace mantissa {

using Shape = std::vector<std::int64_t>;
std::int64_t elementCount(const Shape& shape);
std::string shapeText(const Shape& shape);  // "64x128"

enum class Phase : std::uint8_t { Forward, Backward, Optimizer };
std::string_view phaseName(Phase phase);

/// The three computations of a layer that an override distinguishes. A bias's gradient belongs to WeightGrad.
enum class Direction : std::uint8_t { Forward, InputGrad, WeightGrad };
inline constexpr std::array kAllDirections{Direction::Forward, Direction::InputGrad, Direction::WeightGrad};

/// Kinds of operations, as PyTorch's autocast distinguishes them, and their gradients. Beside each: inputs -> outputs, in order.
/// R: rows, the product of all leading extents of a value. B samples, T tokens of a sample, H heads. Some gradients list a value of the
/// forward pass only for its format: they compute in it, as autograd does.
enum class OpKind : std::uint8_t {
    Linear,            // x [R,in], weight [out,in], [bias [out]] -> y [R,out]
    ActivationFn,      // x -> y
    CrossEntropy,      // logits [R,C], labels [R] -> loss [1]
    MeanSquaredError,  // prediction, target of its shape -> loss [1]
    Embedding,         // table [V,C], indices [R] -> y [R,C]
    Add,               // a, b of a's shape -> y
    AddPositions,      // x [B,T,C], table [>=T,C] -> y: row t of the table is added to row t of each sample
    LayerNorm,         // x [R,C], weight [C], [bias [C]] -> y, mean [R], inverseDeviation [R]
    Split,             // x [R, k C] -> k values [R,C], adjacent columns of x
    RmsNorm,           // x [R,C], weight [C] -> y, inverseDeviation [R]
    Rotary,            // x [B,T,H D] -> y: each head rotated by its position
    SwiGlu,            // gate, up -> y
    FusedAttention,    // q [B,T,H D], k [B,T,K D], v -> y [B,T,H D], logSumExp [B,H,T]: scores, mask, softmax and mix in one operation
    AttentionScores,   // q [B,T,H D], k [B,T,K D] -> scores [B,H,T,T]; K key heads for H query heads
    Scale,             // x -> y
    CausalMask,        // scores -> y: right of the diagonal -Inf, or another value
    Softmax,           // x -> y, along the last extent
    AttentionMix,      // weights [B,H,T,T], v [B,T,K D] -> y [B,T,H D]
    Dropout,           // x -> y
    Conv2d,            // x [B,H,W,C], weight [O,C/groups,h,w] -> y [B,H',W',O]
    BatchNorm,         // x [R,C], weight [C], bias [C], runningMean [C], runningVariance [C] -> y, mean [C], inverseDeviation [C]
    MaxPool,           // x [B,H,W,C] -> y [B,H',W',C], places int32 of y's shape
    AveragePool,       // x [B,H,W,C] -> y [B,H',W',C], or [B,C]
    // gradients
    LinearGradInput,           // gradOutput [R,out], weight -> gradInput [R,in]
    LinearGradWeight,          // gradOutput, x -> gradWeight [out,in]
    LinearGradBias,            // gradOutput -> gradBias [out]
    ActivationFnGrad,          // gradOutput, x, y -> gradInput
    CrossEntropyGrad,          // logits, labels -> gradLogits
    MeanSquaredErrorGrad,      // prediction, target -> gradPrediction
    EmbeddingGrad,             // gradOutput, indices -> gradTable
    AddGradients,              // a, b, value -> sum: for a value with several readers
    AddPositionsGrad,          // gradOutput -> gradTable
    LayerNormGrad,             // gradOutput, x, weight, mean, inverseDeviation -> gradInput, gradWeight, [gradBias]
    RmsNormGrad,               // gradOutput, x, weight, inverseDeviation -> gradInput, gradWeight
    RotaryGrad,                // gradOutput, x -> gradInput
    SwiGluGrad,                // gradOutput, gate, up -> gradGate, gradUp
    FusedAttentionGrad,        // gradOutput, q, k, v, y, logSumExp -> gradQ, gradK, gradV
    Concat,                    // k values [R,C] -> [R, k C]: Split's gradient
    AttentionScoresGradQuery,  // gradScores, k -> gradQ
    AttentionScoresGradKey,    // gradScores, q, k -> gradK
    ScaleGrad,                 // gradOutput, y -> gradInput
    CausalMaskGrad,            // gradOutput -> gradInput: 0 right of the diagonal
    SoftmaxGrad,               // gradOutput, x, y -> gradInput
    AttentionMixGradWeights,   // gradOutput, v -> gradWeights
    AttentionMixGradValue,     // gradOutput, weights, v -> gradV
    DropoutGrad,               // gradOutput, y -> gradInput
    Conv2dGradInput,           // gradOutput, weight -> gradInput
    Conv2dGradWeight,          // gradOutput, x -> gradWeight
    BatchNormGrad,             // gradOutput, x, weight, mean, inverseDeviation -> gradInput, gradWeight, gradBias
    MaxPoolGrad,               // gradOutput, x, places -> gradInput
    AveragePoolGrad,           // gradOutput, x -> gradInput
};

/// Properties of a kind: its name, its forward operation, and the direction.
struct OpFacts {
    OpKind kind;
    std::string_view name;
    OpKind forward;
    Direction direction = Direction::Forward;
};
const OpFacts& opFacts(OpKind kind);
bool isLoss(OpKind kind);  // or a loss's gradient
std::vector<std::string> forwardOpNames();

/// The role of a value. Labels and indices: int32. Targets: fp32, expected predictions. Statistic: persistent fp32 state that is not
/// trained; the forward pass of training updates it.
enum class ValueRole : std::uint8_t {
    Input,
    Labels,
    Targets,
    Parameter,
    Statistic,
    Activation,
    Indices,
    Gradient,
    ParameterGradient,
    Loss
};

struct Value {
    std::string name;  // "layers.0.weight", "layers.0.output", "layers.0.weight.grad"
    Shape shape;
    ValueRole role = ValueRole::Activation;
};

/// Attributes of an operation.
struct NormDetail {
    double epsilon = 1e-5;
};
struct AttentionDetail {
    std::int64_t heads = 1;     // of queries
    std::int64_t keyHeads = 1;  // of keys and values; each serves heads / keyHeads of queries
    float scale = 1;            // factor of the product's sums, before rounding
    bool isFused = false;       // gradients of shared heads are added before rounding
    // fused attention: exponentials and their product are rounded before the division by their sum, with a remedy for tied maxima
    bool dividesAfter = false, shiftsTies = false;
};
struct RotaryDetail {
    std::int64_t heads = 1;
    double base = 10000;
    bool isFused = false;  // its gradient rounds once, instead of rounding each of its two products too
};
struct SwiGluDetail {
    bool isFused = false;  // one rounding, instead of rounding silu before the product
};
struct BatchNormDetail {
    double epsilon = 1e-5, momentum = 0.1;  // of the running statistics
};
/// The window of a convolution or pooling.
struct WindowDetail {
    std::int64_t size = 1, stride = 1, padding = 0;  // in both directions
    std::int64_t width = 0;                          // of a non-square window with height `size`; 0: size
    std::int64_t groups = 1;                         // of a convolution
};
struct ScaleDetail {
    float factor = 1;
};
struct MaskDetail {
    float value = -std::numeric_limits<float>::infinity();
};
struct SoftmaxDetail {
    bool subtractsMax = true;
};
struct DropoutDetail {
    double probability = 0;
    std::uint32_t stream = 0;  // one for each dropout of a model
};
struct CrossEntropyDetail {
    double labelSmoothing = 0;  // in training; validation uses 0
};
using NodeDetail = std::variant<std::monostate, Activation, NormDetail, AttentionDetail, RotaryDetail, ScaleDetail, DropoutDetail,
                                BatchNormDetail, WindowDetail, CrossEntropyDetail, MaskDetail, SoftmaxDetail, SwiGluDetail>;

struct Node {
    OpKind kind = OpKind::Linear;
    Phase phase = Phase::Forward;
    std::string layer;        // "layers.0", "activations.0", "loss"
    std::vector<int> inputs;  // value indices, in the kind's order
    std::vector<int> outputs;
    NodeDetail detail;
};

struct Graph {
    std::vector<Value> values;
    std::vector<Node> nodes;
    int input = -1, logits = -1, loss = -1;
    int labels = -1;               // or targets; the input if it is its own target
    bool takesTokens = false;      // the input is int32 [B,T], and so are the labels
    std::vector<int> parameters;   // in the order of PyTorch's named_parameters()
    std::vector<int> statistics;   // likewise
    std::map<int, int> gradients;  // of parameters: what `appendBackward` made
    /// A block under gradient checkpointing: the forward nodes [begin, end). Values that no node outside of the block reads are not kept
    /// for the backward pass, which recomputes them.
    struct Block {
        std::size_t begin = 0, end = 0;
    };
    std::vector<Block> checkpointed;

    int addValue(std::string name, Shape shape, ValueRole role);
};

/// The linear layers of the forward pass but the one that makes the prediction, in order.
std::vector<std::string> hiddenLinearLayers(const Graph& graph);

/// Appends the gradient of the loss with respect to every parameter, in execution order. Recomputing nodes belong to the backward phase.
void appendBackward(Graph& graph);

}  // namespace mantissa
