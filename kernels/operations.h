// SPDX-License-Identifier: Apache-2.0
// What a backend can be asked to do: one plain struct an operation, with the operands of `enqueue` listed beside it, in order.
// Products, formats, losses, optimizers here; what architectures are made of beside them in network_operations.h and
// convolution_operations.h, what looks at tensors in stats_operations.h, what ends a step in step_operations.h. Numerics and threads:
// backend.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/convolution_operations.h"
#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"
#include "kernels/network_operations.h"
#include "kernels/stats_operations.h"
#include "kernels/step_operations.h"

namespace mantissa {

/// What counts as an overflow of a step's gradients. Frameworks differ.
enum class OverflowTest : std::int32_t {
    Elements,          // one that is not finite, before unscaling
    UnscaledElements,  // after it: finite gradients that the factor takes beyond fp32 count too
    Sums,              // a parameter's sum of scaled gradients, in fp32, that is not finite: finite gradients can be enough
    Norm,              // the 2-norm of all scaled gradients, in fp32: so is one gradient above 2^64
};

/// Values that change from step to step; one per run, in backend memory.
/// The trainer writes the inputs before a step and reads the outputs after it.
struct StepScalars {
    // inputs
    float lossGrad = 1;      // gradient that seeds the backward pass: loss scale / micro-batches
    float inverseScale = 1;  // float(1 / double(loss scale)); may be Inf for tiny scales, on purpose
    double lr = 0;
    float maxGradNorm = 0;         // <= 0: no clipping
    std::int32_t clipsScaled = 0;  // 1: clip first and unscale then, the wrong order on purpose
    std::int32_t skipOnFoundInf = 0;
    OverflowTest overflowTest = OverflowTest::Elements;
    std::int64_t optimizerStep = 0;  // optimizer steps taken before this one (skipped steps do not count)
    std::int64_t dropoutStep = 0;    // numbers the forward passes: each has random bits of its own, its backward pass the same ones
    std::int64_t step = 0;           // number of this step, skipped ones counted: what partial looks see of it
    std::int32_t hasMomentum = 0;    // 1: SGD's momentum buffer has been filled by an earlier step
    // outputs
    float foundInf = 0;    // 1 when the gradients overflowed, by the test
    float gradNorm = 0;    // global 2-norm of the unscaled gradients, before clipping
    float gradAbsMax = 0;  // largest |unscaled gradient|; not finite when one of them is not
    float clipCoefficient = 1;
    std::int32_t skipped = 0;  // 1 when the optimizer left everything as it was; 2 when the step was halted before that (JudgeStepDesc)
};

enum class Activation : std::uint8_t { Relu, Gelu, Tanh, Sigmoid, Silu };
std::string_view activationName(Activation kind);

/// C[m,n] = op(A) op(B) (+ bias[n] broadcast over rows). Row-major, packed.
/// transposeA: A is stored [k,m]; transposeB: B is stored [n,k]. Operands are rounded to `compute` first when it is narrower than their
/// storage (tf32), in the rounding asked for. Sums as `accumulator` has them; one rounding to `out`, after the bias, which is stored as
/// `out`. isScaled: the operands are quantised and taken as stored; the sums are multiplied by fp32(inverse of a's scale * inverse of b's),
/// then meet the bias, in fp32.
struct MatmulDesc {  // a, b, [bias,] [a's QuantScale, b's QuantScale,] c, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
    bool hasBias = false;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32, compute = Dtype::F32;
    bool isScaled = false;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
    /// Partial sums of that many elements of k are added up in plain fp32, as kernels do to escape a tensor core's short sums. 0: never.
    std::int64_t promoteEvery = 0;
    /// With an fp32 `out`: what results are rounded to all the same. Spares a pass where they are to be widened after it.
    Dtype result = Dtype::F32;
    Dtype resultFormat() const { return out == Dtype::F32 ? result : out; }
};

/// dst = round(src). Any pair of storable dtypes.
struct CastDesc {  // src, dst
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// The scale of a quantised tensor, in backend memory; `historyLength` floats of past magnitudes follow it. All zeros: new, with scale 1.
struct QuantScale {
    float scale = 0, inverse = 0;  // what is stored is x * scale; inverse = fp32(1 / scale)
    float absMax = 0;              // largest magnitude seen since the last update; NaN is passed over
    std::int32_t newest = 0;       // where in the history the last one went
};

/// Where a quantised tensor's scale comes from. Current: its own largest magnitude. Delayed: the scale as it is, for UpdateScalesDesc to
/// renew from the magnitudes that are seen here. Frozen: as it is, and nothing is noted.
enum class ScaleSource : std::uint8_t { Current, Delayed, Frozen };

/// dst = round(src * scale), nearest even, saturating; NaN stays NaN. fp8 formats only.
/// Current: scale = fp32(max * 2^-margin / absMax), max the format's largest number; at most the largest fp32 number; 1 where absMax is 0
/// or not finite.
/// turnedRows > 0: src is a matrix of so many rows, and its transpose is written as well, for products that read along k.
struct QuantizeDesc {  // src, dst, QuantScale; turned [count / turnedRows, turnedRows] in `to`, where it is asked for
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::E4M3;
    ScaleSource source = ScaleSource::Current;
    int margin = 0;
    std::int64_t turnedRows = 0;
};

/// For each scale that has seen a magnitude since the last time: the magnitude enters its history, then scale as in QuantizeDesc from the
/// largest of the history (or from this one alone); where that is 0 or not finite the scale stays as it is.
struct UpdateScalesDesc {  // QuantScale[formats] `quantScaleBytes` apart
    std::vector<Dtype> formats;
    std::int64_t historyLength = 1024;
    bool usesNewestOnly = false;
    int margin = 0;
};
/// Bytes from one scale to the next: whole cache lines.
constexpr std::size_t quantScaleBytes(std::int64_t historyLength) {
    return (sizeof(QuantScale) + static_cast<std::size_t>(historyLength) * sizeof(float) + 63) / 64 * 64;
}

/// accumulator += src
struct AccumulateDesc {  // src, accumulator
    std::int64_t count = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// y = f(x). gelu is the exact one, x * Phi(x), as torch.nn.GELU's default.
struct ActivationDesc {  // x, y
    Activation kind = Activation::Relu;
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// Whether the gradient looks at the stored output y, as PyTorch's of relu, tanh and sigmoid; else at the input x.
constexpr bool gradientSeesOutput(Activation kind) {
    return kind == Activation::Relu || kind == Activation::Tanh || kind == Activation::Sigmoid;
}

/// gradInput = gradOutput * f'(x); relu's derivative at 0 is 0. silu is x / (1 + exp(-x)). seen: y or x, by gradientSeesOutput.
struct ActivationGradDesc {  // gradOutput, seen, gradInput
    Activation kind = Activation::Relu;
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
};

/// gradBias[cols] = sum over rows of gradOutput[rows, cols]
struct BiasGradDesc {  // gradOutput, gradBias
    std::int64_t rows = 0, cols = 0;
    Dtype dtype = Dtype::F32, out = Dtype::F32;
};

/// Mean cross-entropy over rows, in fp32, and how many rows have their largest logit at the label.
/// A row with a NaN logit counts as wrong. labelSmoothing: that share of the target is spread evenly over all classes, as in PyTorch.
/// `compute` F32: fp32 throughout. The logits' own 16-bit format: log-probabilities are rounded to it before the mean is taken, as
/// torch.nn.functional.cross_entropy does under CUDA autocast (kernels/log_probabilities.h).
struct SoftmaxCrossEntropyDesc {  // logits [rows, classes], labels int32 [rows], loss F32 [1], correct int32 [1]
    std::int64_t rows = 0, classes = 0;
    double labelSmoothing = 0;
    Dtype logits = Dtype::F32, compute = Dtype::F32;
};

/// `compute` F32: gradLogits = (softmax(logits) - target) * lossGrad / rows; the target is onehot(label), smoothed.
/// Narrower: gradLogits = g - exp(l) * sum of g, with l the rounded log-probabilities and g their rounded gradient.
struct SoftmaxCrossEntropyGradDesc {  // logits, labels, StepScalars, gradLogits in `compute`
    std::int64_t rows = 0, classes = 0;
    double labelSmoothing = 0;
    Dtype logits = Dtype::F32, compute = Dtype::F32;
};

/// The magnitude of the gradient at a label's log-probability, where the loss scale is 1.
inline double lossGradientPerScale(const SoftmaxCrossEntropyGradDesc& d) {
    return (1 - d.labelSmoothing + d.labelSmoothing / static_cast<double>(d.classes)) / static_cast<double>(d.rows);
}

/// Mean of (prediction - target)^2.
struct MeanSquaredErrorDesc {  // prediction F32, target F32, loss F32 [1]
    std::int64_t count = 0;
};

/// gradPrediction = 2 (prediction - target) * lossGrad / count
struct MeanSquaredErrorGradDesc {  // prediction, target, StepScalars, gradPrediction F32
    std::int64_t count = 0;
};

/// dst row i = the `cols` elements of the table from indices[i] * stride on, bit for bit, so int32 labels and tokens travel as well.
/// A stride of 1 takes windows of a stream, which may overlap.
struct GatherRowsDesc {  // table, indices int32 [rows], dst [rows, cols]; elements of 32 bits
    std::int64_t rows = 0, cols = 0;
    std::int64_t stride = 0;  // 0: cols
};

/// Where each parameter begins in a flat buffer; one more entry than parameters, the last one the total.
using Segments = std::vector<std::int64_t>;

/// For each parameter: foundInf[i] = 1 when it overflowed by StepScalars.overflowTest; gradients *= inverseScale (skipped when it is
/// exactly 1). Then foundInf, gradNorm, gradAbsMax, clipCoefficient and skipped of StepScalars:
/// clipCoefficient = min(1, maxGradNorm / (gradNorm + 1e-6)) as torch.nn.utils.clip_grad_norm_, 1 without clipping.
/// The norm is the 2-norm of per-parameter 2-norms, summed in double in a fixed order.
/// With clipsScaled and a bound: gradients *= the coefficient of their scaled norm, then all of the above on what that leaves;
/// clipCoefficient = 1, gradNorm = the scaled norm * inverseScale.
/// Gradients stored narrower are multiplied in fp32 and rounded; the norm is theirs as they are stored then.
struct UnscaleDesc {  // gradients (flat), foundInfPerParameter float[parameters], StepScalars
    Segments segments;
    Dtype dtype = Dtype::F32;
};

/// How a step's result, in fp32, becomes a weight that is stored narrower.
/// Stochastic: element i of step t draws number firstElement + i of stream t, t counting the optimizer's steps from 0. Kahan: what the
/// write before lost is added first, and what this one loses is kept, in the weights' format (Kahan 1965; Zamirai et al. 2020, arXiv
/// 2010.06192).
enum class WeightUpdate : std::uint8_t { NearestEven, Stochastic, Kahan };

/// How weights, gradients and moments of one optimizer are stored. Steps are fp32 arithmetic; moments are rounded to nearest even.
struct ParameterStorage {
    Dtype dtype = Dtype::F32;
    WeightUpdate update = WeightUpdate::NearestEven;  // of no matter in fp32
    std::uint64_t seed = 0;                           // of stochastic rounding
    std::int64_t firstElement = 0;                    // where the weights begin, when they are a part of a flat array
};

/// AdamW, PyTorch's order of operations; with isDecoupled false Adam, whose weight decay joins the gradient. Does nothing when
/// StepScalars.skipped; gradients are multiplied by clipCoefficient.
struct AdamWDesc {  // weights, gradients, m, v, StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0.01;
    ParameterStorage storage;
    bool isDecoupled = true;
};

/// SGD, PyTorch's rules. The first step with momentum copies the gradient into the buffer, whatever the dampening (hasMomentum == 0);
/// a step without momentum leaves the buffer as it is.
struct SgdDesc {  // weights, gradients, momentumBuffer (may be null without momentum), StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double momentum = 0, dampening = 0, weightDecay = 0;
    bool nesterov = false;
    ParameterStorage storage;
};

/// Lion (Chen et al. 2023, arXiv 2302.06675): weights shrink by lr * weightDecay of themselves, then lose lr * sign(beta1 m + (1 - beta1)
/// g); m = beta2 m + (1 - beta2) g. The sign of 0 and of NaN is 0, as in PyTorch. Skips and clips as AdamW.
struct LionDesc {  // weights, gradients, m, StepScalars, compensation (Kahan's, else null)
    std::int64_t count = 0;
    double beta1 = 0.9, beta2 = 0.99, weightDecay = 0;
    ParameterStorage storage;
};

using OperationDesc =
    std::variant<MatmulDesc, CastDesc, QuantizeDesc, UpdateScalesDesc, AccumulateDesc, ActivationDesc, ActivationGradDesc, BiasGradDesc,
                 SoftmaxCrossEntropyDesc, SoftmaxCrossEntropyGradDesc, GatherRowsDesc, UnscaleDesc, AdamWDesc, SgdDesc, ClassifyDesc,
                 BatchedMatmulDesc, AddDesc, ScaleDesc, CausalMaskDesc, SoftmaxDesc, SoftmaxGradDesc, EmbeddingDesc, EmbeddingGradDesc,
                 LayerNormDesc, LayerNormGradDesc, DropoutDesc, SwiGluDesc, SwiGluGradDesc, RotaryDesc, SumHeadsDesc, FusedAttentionDesc,
                 FusedAttentionGradDesc, MeanSquaredErrorDesc, MeanSquaredErrorGradDesc, LionDesc, CopyColumnsDesc, Convolution2dDesc,
                 Convolution2dInputGradDesc, Convolution2dWeightGradDesc, BatchNormDesc, BatchNormGradDesc, PoolDesc, PoolGradDesc,
                 StatsDesc, UpdateStatsDesc, KeepSeenDesc, BeginStepsDesc, AdvanceBatchDesc, JudgeStepDesc, AdvanceStepDesc, CopyStateDesc>;

/// Whether the operands end with a workspace: Backend::workspaceBytes large, null where that is 0.
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
