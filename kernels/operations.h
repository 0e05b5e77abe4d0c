// SPDX-License-Identifier: Apache-2.0
// The operations of a backend: one plain struct each, with the operands of `enqueue` listed beside it, in order.
// This file has products, formats, losses and optimizers; network_operations.h and convolution_operations.h have further operations of
// architectures, stats_operations.h tensor statistics, step_operations.h the end of a step. Numerics and threads: backend.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/convolution_operations.h"
#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/block_format.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"
#include "kernels/network_operations.h"
#include "kernels/stats_operations.h"
#include "kernels/step_operations.h"

namespace mantissa {

/// The test for an overflow of a step's gradients. Frameworks differ.
enum class OverflowTest : std::int32_t {
    Elements,          // an element that is not finite, before unscaling
    UnscaledElements,  // an element that is not finite after unscaling, also a finite gradient that leaves fp32's range by the factor
    Sums,              // a parameter's sum of scaled gradients, in fp32, is not finite: finite gradients can suffice
    Norm,              // the 2-norm of all scaled gradients, in fp32, is not finite: one gradient above 2^64 suffices
};

/// Values that change from step to step; one per run, in backend memory.
/// The trainer writes the inputs before a step and reads the outputs after it.
struct StepScalars {
    // inputs
    float lossGrad = 1;      // gradient that seeds the backward pass: loss scale / micro-batches
    float inverseScale = 1;  // float(1 / double(loss scale)); may be Inf for tiny scales, on purpose
    double lr = 0;
    float maxGradNorm = 0;         // <= 0: no clipping
    std::int32_t clipsScaled = 0;  // 1: clip first, then unscale; the wrong order, for demonstration
    std::int32_t skipOnFoundInf = 0;
    OverflowTest overflowTest = OverflowTest::Elements;
    std::int64_t optimizerStep = 0;  // optimizer steps taken before this one (skipped steps do not count)
    std::int64_t dropoutStep = 0;    // number of the forward pass: each has its own random bits, and its backward pass the same ones
    std::int64_t step = 0;           // number of this step, skipped ones counted; selects the elements of partial statistics
    std::int32_t hasMomentum = 0;    // 1: SGD's momentum buffer has been filled by an earlier step
    // outputs
    float foundInf = 0;    // 1 when the gradients overflowed, by the test
    float gradNorm = 0;    // global 2-norm of the unscaled gradients, before clipping
    float gradAbsMax = 0;  // largest |unscaled gradient|; not finite when one of them is not
    float clipCoefficient = 1;
    std::int32_t skipped = 0;  // 1: the optimizer changed nothing; 2: the step was halted before it (JudgeStepDesc)
};

enum class Activation : std::uint8_t { Relu, Gelu, Tanh, Sigmoid, Silu };
std::string_view activationName(Activation kind);

/// Matrix product: C[m,n] = op(A) op(B) (+ bias[n] broadcast over rows). Row-major, packed.
/// transposeA: A is stored [k,m]; transposeB: B is stored [n,k]. Operands are first rounded to `compute`, by `operandRounding`, if it is
/// narrower than their storage (tf32). `accumulator` defines the sums; one rounding to `out`, after the bias, which is stored as `out`.
/// isScaled: the operands are quantised and taken as stored; the sums are multiplied by fp32(inverse of a's scale * inverse of b's) before
/// the bias is added, in fp32.
/// aBlocks, bBlocks: the operand is stored in this block format (QuantizeBlocksDesc), and `a` or `b` is the format's numbers();
/// `compute`, BF16 or fp8, then defines the accumulator alone.
struct MatmulDesc {  // a, b, [bias,] [a's QuantScale, b's QuantScale,] c, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
    bool hasBias = false;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32, compute = Dtype::F32;
    bool isScaled = false;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
    /// Partial sums over this many elements of k are added in plain fp32, as kernels do to avoid a tensor core's short accumulator. 0:
    /// never.
    std::int64_t promoteEvery = 0;
    /// With an fp32 `out`: the narrower format to which results are rounded. Saves a pass if they are widened afterwards.
    Dtype result = Dtype::F32;
    std::optional<BlockFormat> aBlocks{}, bBlocks{};
    Dtype resultFormat() const { return out == Dtype::F32 ? result : out; }
};

/// Conversion: dst = round(src), for any pair of storable dtypes.
struct CastDesc {  // src, dst
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// The scale of a quantised tensor, in backend memory, followed by `historyLength` floats of past magnitudes. All zeros: initial state,
/// scale 1.
struct QuantScale {
    float scale = 0, inverse = 0;  // a stored value is x * scale; inverse = fp32(1 / scale)
    float absMax = 0;              // largest magnitude since the last update; NaN is ignored
    std::int32_t newest = 0;       // index of the newest entry in the history
};

/// Where a quantised tensor's scale comes from. Current: the tensor's largest magnitude. Delayed: the stored scale, which UpdateScalesDesc
/// updates from the magnitudes recorded here. Frozen: the stored scale, without recording magnitudes.
enum class ScaleSource : std::uint8_t { Current, Delayed, Frozen };

/// Quantisation: dst = round(src * scale), nearest even, saturating; NaN stays NaN. fp8 formats only.
/// Current: scale = fp32(max * 2^-margin / absMax), max the format's largest number; at most the largest fp32 number; 1 if absMax is 0 or
/// not finite.
/// transposedRows > 0: src is a matrix with this many rows, and its transpose is written too, for products that read along k.
struct QuantizeDesc {  // src, dst, QuantScale; transpose [count / transposedRows, transposedRows] in `to`, if requested
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::E4M3;
    ScaleSource source = ScaleSource::Current;
    int margin = 0;
    std::int64_t transposedRows = 0;
};

/// Quantisation of a matrix to a block format (kernels/dtype/block_scaling.h): packed codes, then the scales' codes, storageBytes in all
/// without the tensor's factor, which becomes the QuantScale's inverse. Numbers are first rounded to bf16 if they are stored wider.
/// isRotated: each 16 consecutive numbers of a column are multiplied by R (kernels/dtype/hadamard.h) and rounded to bf16; rows after the
/// last 16 are not rotated. Stochastic rounding: element i draws number firstElement + i of stream StepScalars.dropoutStep.
/// source: src is stored in this block format, without a tensor's factor, and `from` is its numbers().
struct QuantizeBlocksDesc {  // src, dst, QuantScale, StepScalars (null: not stochastic), workspace
    static constexpr bool kNamesWorkspace = true;
    MatrixShape shape;
    Dtype from = Dtype::BF16;
    BlockFormat format{};
    bool isRotated = false;
    Rounding rounding = Rounding::NearestEven;
    std::uint64_t seed = 0;
    std::int64_t firstElement = 0;
    std::optional<BlockFormat> source{};
};

/// Update of delayed scales: each scale with a magnitude since the last update adds it to its history, and becomes QuantizeDesc's scale of
/// the history's largest magnitude (or of the newest one only); if that is 0 or not finite, the scale is unchanged.
struct UpdateScalesDesc {  // QuantScale[formats] `quantScaleBytes` apart
    std::vector<Dtype> formats;
    std::int64_t historyLength = 1024;
    bool usesNewestOnly = false;
    int margin = 0;
};
/// Distance between two scales in bytes: whole cache lines.
constexpr std::size_t quantScaleBytes(std::int64_t historyLength) {
    return (sizeof(QuantScale) + static_cast<std::size_t>(historyLength) * sizeof(float) + 63) / 64 * 64;
}

/// Accumulation: accumulator += src.
struct AccumulateDesc {  // src, accumulator
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// Activation function: y = f(x). gelu is the exact one, x * Phi(x), as torch.nn.GELU's default.
struct ActivationDesc {  // x, y
    Activation kind = Activation::Relu;
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// Whether the gradient reads the stored output y, as PyTorch's of relu, tanh and sigmoid; otherwise the input x.
constexpr bool gradientSeesOutput(Activation kind) {
    return kind == Activation::Relu || kind == Activation::Tanh || kind == Activation::Sigmoid;
}

/// Gradient of an activation: gradInput = gradOutput * f'(x); relu's derivative at 0 is 0. silu is x / (1 + exp(-x)). seen: y or x, by
/// gradientSeesOutput.
struct ActivationGradDesc {  // gradOutput, seen, gradInput
    Activation kind = Activation::Relu;
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// Gradient of a bias: gradBias[cols] = sum over rows of gradOutput[rows, cols].
struct BiasGradDesc {  // gradOutput, gradBias
    std::int64_t rows = 0, cols = 0;
    Dtype dtype = Dtype::F32, out = Dtype::F32;
};

/// Mean cross-entropy over rows, in fp32, and the number of rows whose largest logit is at the label.
/// A row with a NaN logit counts as wrong. labelSmoothing: the share of the target that is spread evenly over all classes, as in PyTorch.
/// `compute` F32: fp32 throughout. The logits' own 16-bit format: log-probabilities are rounded to it before the mean, as
/// torch.nn.functional.cross_entropy does under CUDA autocast (kernels/log_probabilities.h).
struct SoftmaxCrossEntropyDesc {  // logits [rows, classes], labels int32 [rows], loss F32 [1], correct int32 [1]
    std::int64_t rows = 0, classes = 0;
    double labelSmoothing = 0;
    Dtype logits = Dtype::F32, compute = Dtype::F32;
};

/// Gradient of mean cross-entropy.
/// `compute` F32: gradLogits = (softmax(logits) - target) * lossGrad / rows; the target is onehot(label), smoothed.
/// Narrower: gradLogits = g - exp(l) * sum of g, with l the rounded log-probabilities and g their rounded gradient.
struct SoftmaxCrossEntropyGradDesc {  // logits, labels, StepScalars, gradLogits in `compute`
    std::int64_t rows = 0, classes = 0;
    double labelSmoothing = 0;
    Dtype logits = Dtype::F32, compute = Dtype::F32;
};

/// The magnitude of the gradient at a label's log-probability at loss scale 1.
inline double lossGradientPerScale(const SoftmaxCrossEntropyGradDesc& d) {
    return (1 - d.labelSmoothing + d.labelSmoothing / static_cast<double>(d.classes)) / static_cast<double>(d.rows);
}

/// Mean squared error: the mean of (prediction - target)^2.
struct MeanSquaredErrorDesc {  // prediction F32, target F32, loss F32 [1]
    std::int64_t count = 0;
};

/// Gradient of the mean squared error: gradPrediction = 2 (prediction - target) * lossGrad / count.
struct MeanSquaredErrorGradDesc {  // prediction, target, StepScalars, gradPrediction F32
    std::int64_t count = 0;
};

/// Gathers rows: dst row i = the `cols` elements of the table from indices[i] * stride on, bit for bit, so it also copies int32 labels and
/// tokens.
/// A stride of 1 takes windows of a stream, which may overlap.
struct GatherRowsDesc {  // table, indices int32 [rows], dst [rows, cols]; elements of 32 bits
    std::int64_t rows = 0, cols = 0;
    std::int64_t stride = 0;  // 0: cols
};

/// Offsets of the parameters in a flat buffer: one entry more than parameters, the last one the total.
using Segments = std::vector<std::int64_t>;

/// Unscaling and overflow check. For each parameter: foundInf[i] = 1 if it overflowed by StepScalars.overflowTest; gradients *=
/// inverseScale (skipped if it is exactly 1). Then foundInf, gradNorm, gradAbsMax, clipCoefficient and skipped of StepScalars:
/// clipCoefficient = min(1, maxGradNorm / (gradNorm + 1e-6)) as torch.nn.utils.clip_grad_norm_, 1 without clipping.
/// The norm is the 2-norm of per-parameter 2-norms, summed in double in a fixed order.
/// With clipsScaled and a bound: gradients *= the coefficient of their scaled norm, then all of the above on the result; clipCoefficient =
/// 1, gradNorm = the scaled norm * inverseScale.
/// Gradients stored narrower are multiplied in fp32 and rounded; the norm is that of the rounded ones.
struct UnscaleDesc {  // gradients (flat), foundInfPerParameter float[parameters], StepScalars
    Segments segments;
    Dtype dtype = Dtype::F32;
};

/// How an fp32 result of a step is stored as a narrower weight.
/// Stochastic: element i of step t draws number firstElement + i of stream t, t counting the optimizer's steps from 0. Kahan: adds the
/// rounding error of the last write first, and stores that of this write in the weights' format (Kahan 1965; Zamirai et al. 2020, arXiv
/// 2010.06192).
enum class WeightUpdate : std::uint8_t { NearestEven, Stochastic, Kahan };

/// How weights, gradients and moments of one optimizer are stored. Steps are computed in fp32; moments are rounded to nearest even, and
/// the step uses them before that.
struct ParameterStorage {
    Dtype dtype = Dtype::F32;
    WeightUpdate update = WeightUpdate::NearestEven;  // no effect in fp32
    std::uint64_t seed = 0;                           // of stochastic rounding
    std::int64_t firstElement = 0;                    // index of the first weight, if the weights are a part of a flat array
    std::optional<Dtype> moments{};                   // nothing: as the weights
    Dtype ofMoments() const { return moments.value_or(dtype); }
};

/// AdamW with PyTorch's order of operations; with isDecoupled false Adam, whose weight decay is added to the gradient. Does nothing if
/// StepScalars.skipped; gradients are multiplied by clipCoefficient.
struct AdamWDesc {  // weights, gradients, m, v, StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0.01;
    ParameterStorage storage;
    bool isDecoupled = true;
};

/// SGD with PyTorch's rules. The first step with momentum copies the gradient into the buffer, for any dampening (hasMomentum == 0); a step
/// without momentum leaves the buffer unchanged.
struct SgdDesc {  // weights, gradients, momentumBuffer (may be null without momentum), StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double momentum = 0, dampening = 0, weightDecay = 0;
    bool nesterov = false;
    ParameterStorage storage;
};

/// Lion (Chen et al. 2023, arXiv 2302.06675): w -= lr * weightDecay * w, then w -= lr * sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 -
/// beta2) g. The sign of 0 and of NaN is 0, as in PyTorch. Skips and clips as AdamW does.
struct LionDesc {  // weights, gradients, m, StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double beta1 = 0.9, beta2 = 0.99, weightDecay = 0;
    ParameterStorage storage;
};

/// First half of a step of Muon (Jordan et al. 2024; torch.optim.Muon): m += (1 - momentum) (g - m); direction = nesterov ? g + momentum (m
/// - g) : m, in fp32. A skipped step leaves m unchanged. Gradients are multiplied by clipCoefficient.
struct MuonMomentumDesc {  // gradients, m, StepScalars, direction F32
    std::int64_t count = 0;
    double momentum = 0.95;
    bool nesterov = true;
    ParameterStorage storage;
};

/// A matrix divided by its Frobenius norm: dst = round(x / max(round(norm of x), epsilon)) with x = round(src), all rounded to `to`. The
/// norm is summed in double, in a fixed order.
struct NormalizeDesc {  // src F32, dst
    std::int64_t count = 0;
    Dtype to = Dtype::BF16;
    float epsilon = 1e-7f;
};

/// Second half of a step of Muon: w = w (1 - lr weightDecay) - lr * rateFactor * direction. Does nothing if StepScalars.skipped.
struct MuonUpdateDesc {  // weights, direction, StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double rateFactor = 1, weightDecay = 0.1;
    Dtype direction = Dtype::BF16;
    ParameterStorage storage;
};

using OperationDesc =
    std::variant<MatmulDesc, CastDesc, QuantizeDesc, QuantizeBlocksDesc, UpdateScalesDesc, AccumulateDesc, ActivationDesc,
                 ActivationGradDesc, BiasGradDesc, SoftmaxCrossEntropyDesc, SoftmaxCrossEntropyGradDesc, GatherRowsDesc, UnscaleDesc,
                 AdamWDesc, SgdDesc, ClassifyDesc, BatchedMatmulDesc, AddDesc, ScaleDesc, CausalMaskDesc, SoftmaxDesc, SoftmaxGradDesc,
                 EmbeddingDesc, EmbeddingGradDesc, LayerNormDesc, LayerNormGradDesc, DropoutDesc, SwiGluDesc, SwiGluGradDesc, RotaryDesc,
                 SumHeadsDesc, FusedAttentionDesc, FusedAttentionGradDesc, MeanSquaredErrorDesc, MeanSquaredErrorGradDesc, LionDesc,
                 CopyColumnsDesc, Convolution2dDesc, Convolution2dInputGradDesc, Convolution2dWeightGradDesc, BatchNormDesc,
                 BatchNormGradDesc, PoolDesc, PoolGradDesc, StatsDesc, UpdateStatsDesc, KeepSeenDesc, BeginStepsDesc, AdvanceBatchDesc,
                 JudgeStepDesc, AdvanceStepDesc, CopyStateDesc, MuonMomentumDesc, NormalizeDesc, MuonUpdateDesc>;

/// Whether the operands end with a workspace: Backend::workspaceBytes large, null if that is 0.
inline bool namesWorkspace(const OperationDesc& desc) {
    return std::visit(
        [](const auto& d) {
            return requires {
                d.kNamesWorkspace;
            };
        },
        desc);
}

}  // namespace mantissa
