// SPDX-License-Identifier: Apache-2.0
// Results of repeating one step: the origin of its first non-finite value (the card), the step at other scales and in other formats (the
// trials), the verdict, and the remedies. Plain values that cross threads and the wire; non-finite doubles are data.
// engine/training/examiner.h fills them in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/diagnosis/gauges.h"
#include "engine/telemetry/text.h"

namespace mantissa {

/// The range of a tensor that an instruction reads.
struct TensorRange {
    std::string name;    // "layers.2.output.grad"
    std::string format;  // "fp16"
    std::vector<std::int64_t> shape;
    std::int64_t nonFinite = 0;  // elements
    double absMin = 0;           // smallest nonzero |x| of finite elements; 0: there is none
    double absMax = 0;           // largest |x| of finite elements
};

/// A tensor before the first non-finite one, in order of execution.
struct ChainLink {
    std::string layer, operation, phase, tensor;
    std::string format;
    double absMax = 0;  // of finite elements; gradients include the loss scale
    std::int64_t nonFinite = 0;
};

/// The origin of a step's first non-finite value.
struct ProvenanceCard {
    std::string layer;      // "layers.7"
    std::string operation;  // "linear_grad_weight"
    std::string phase;      // "forward", "backward", "optimizer"
    std::string tensor;     // "layers.7.weight.grad"
    std::string cls;        // "+Inf", "-Inf", "NaN"
    std::string format;     // that its elements are rounded to
    std::string storage;    // that they are stored in
    std::vector<std::int64_t> shape;
    std::int32_t instruction = 0, instructions = 0;  // "41 of 63", from 1
    std::vector<std::int64_t> element;               // index of the first non-finite element
    std::int64_t nonFinite = 0, elements = 0;
    std::uint32_t bits = 0;  // of that element, in `storage`
    bool isProducer = true;  // it computes the value from finite numbers; else it propagates one, or for a watched run that is not known

    // Values of the trial with the layer in fp32; NaN without such a trial.
    double wide = std::numeric_limits<double>::quiet_NaN();     // that element
    double wideMax = std::numeric_limits<double>::quiet_NaN();  // the largest magnitude of the tensor
    std::vector<std::int64_t> wideMaxAt;
    double formatMax = 0;         // largest finite value of `format`
    std::int64_t productSum = 0;  // number of products summed in one element; 0: not a product

    std::int64_t microBatch = 1, microBatches = 1;  // "2 of 4", from 1; microBatch 0: outside of them, like weight copies and the update
    std::int64_t dataRow = -1;  // the row of the data set that the element comes from, from 0 in file order; -1: no single row
    bool isRowOfText = false;   // `dataRow` is then the index of the first token of the element's text

    std::vector<TensorRange> operands;
    std::vector<ChainLink> chain;       // tensors in order, up to this one and a few beyond; for a finite step all of its last micro-batch
    std::vector<std::string> foundInf;  // parameters with a non-finite gradient, in the model's order
    std::int64_t parameters = 0;        // number of all parameters
    double wideRatio() const { return wideMax / formatMax; }
    /// Whether the value comes from the data set and not from an operation.
    bool isFromData() const {
        if (instructions == 0) return layer.empty() && tensor.starts_with("input.");  // a watched run's
        return !isProducer && std::all_of(operands.begin(), operands.end(), [](const TensorRange& each) { return each.nonFinite == 0; });
    }
};

/// The step repeated with other settings, without committing it.
struct Trial {
    Text label;          // "FP16 × 2^22, as used"
    std::string policy;  // "fp16"
    double scale = 1;
    std::string overriddenLayer;  // in fp32; empty: none
    bool isAsUsed = false;
    bool isReference = false;     // fp32, with which the others are compared
    bool isForwardFinite = true;  // every measured tensor up to the loss is finite; if none was measured, the loss
    std::int64_t nonFinite = 0;   // gradient elements
    double flushedShare = std::numeric_limits<double>::quiet_NaN();  // of gradients that are not 0 in fp32; NaN: unknown
    double difference = std::numeric_limits<double>::quiet_NaN();    // from fp32's gradients, |g - g32| / |g32| as 2-norms; NaN: unknown
    double loss = std::numeric_limits<double>::quiet_NaN();
    std::string failure;  // why it could not run; empty: it did
    bool isFinite() const { return failure.empty() && isForwardFinite && nonFinite == 0; }
};

enum class StepVerdict : std::uint8_t {
    ScaleTooHigh,     // the same step is finite at a lower loss scale
    ForwardOverflow,  // a layer's output exceeds the format's range; no loss scale helps
    BadData,          // the batch is not finite
    BadWeights,       // the weights were not finite before the step
    ArithmeticNaN,    // not finite in fp32 either, from finite operands: 0/0, inf - inf, the log of a negative number
    Unexplained,      // the step overflowed but is finite when repeated, or the search was stopped early
    Sound,            // no fault found
    Divergence,       // the loss has grown, and neither unchanged settings, a loss scale nor fp32 lowers it again
    KeptGradients,    // gradients are not reset to zero, so non-finite elements stay in them
    SilentFailure,    // a finite step with a failure: see SilentFinding
    BadStatistics,    // running statistics were unusable before the step; only validation reads them
    ScaleTooLow,      // the loss scale is 0 or its reciprocal is infinite, so unscaling breaks finite gradients
    NormOverflow,     // every gradient is finite, but their norm exceeds FP32
};
const char* verdictName(StepVerdict verdict);  // "scale too high"; also used in JSON

/// A proposed change, and its result when the next batches are trained with it from the captured step on, without committing them.
struct Remedy {
    Text label;              // "Set scale 2^19"
    std::string pointer;     // "/scaler/scale"; empty: no change
    std::string value;       // JSON
    std::int64_t steps = 0;  // tried; 0: not tried
    std::int64_t skips = 0;
    std::int64_t nonFinite = 0;                              // steps whose loss or gradients are not finite
    bool helps = false;                                      // training is healthy: see `isHealthy`
    Text sentence;                                           // "0 skips in the next 20 steps."
    double loss = std::numeric_limits<double>::quiet_NaN();  // mean of the last of the tried steps
    double validationLoss = std::numeric_limits<double>::quiet_NaN(), validationAccuracy = std::numeric_limits<double>::quiet_NaN();
    std::int64_t rewindTo = -1;  // the run is rewound to before this step first; -1: it is not
    /// Shares of the step's floating-point operations, and of the bytes read and written, that an override moves to FP32; NaN for other
    /// remedies.
    double fp32Flops = std::numeric_limits<double>::quiet_NaN(), fp32Bytes = std::numeric_limits<double>::quiet_NaN();
};

/// Summary of the losses of the run's last 5 000 steps before the examined one.
struct RunPast {
    struct Change {
        std::int64_t step = 0;       // the first step with the change
        std::string pointer, label;  // "/optimizer/lr", "lr"
        std::string from, to;        // display texts
        std::string before;          // JSON
        bool operator==(const Change&) const = default;
    };
    double usualLoss = std::numeric_limits<double>::quiet_NaN();    // lowest mean of ten consecutive steps, or the first loss; NaN: unknown
    double highestLoss = std::numeric_limits<double>::quiet_NaN();  // highest such mean of the 50 steps up to `usualUntil`
    double usualGradNorm = std::numeric_limits<double>::quiet_NaN();   // median of the finite norms of these steps; NaN: unknown
    double gradNormSpread = std::numeric_limits<double>::quiet_NaN();  // largest over median of 50 norms in a row; NaN: unknown
    std::int64_t usualUntil = 0;                                       // the step after the ten of `usualLoss`
    std::int64_t healthyUntil = 0;                                 // the step after the last ten with a mean of at most 1.1 * highestLoss
    double latestLoss = std::numeric_limits<double>::quiet_NaN();  // the last finite one
    double latestMean = std::numeric_limits<double>::quiet_NaN();  // of the last ten steps, if all are finite
    double firstLoss = std::numeric_limits<double>::quiet_NaN();   // of the run
    double firstMean = std::numeric_limits<double>::quiet_NaN();   // of the run's first ten steps, if all are finite
    std::int64_t steps = 0;                                        // known steps of the run so far
    std::vector<Change> changes;                                   // of settings that affect updates, by step
    bool operator==(const RunPast&) const = default;
};

/// Silent failures of a finite step, found by comparison with FP32 on its batch and weights, in its settings, and in the run's losses.
enum class SilentKind : std::uint8_t {
    AllZero,           // a tensor of the forward pass; value: 0 if it is all 0 in FP32 too, else 1
    TensorDiffers,     // a tensor of the forward pass; value: |a - b| / |b|
    GradientsAllZero,  // of all parameters
    GradientsFlushed,  // value: share flushed to 0 of the gradients that are nonzero in FP32
    GradientsDiffer,   // value: |g - g32| / |g32|
    UpdatesLost,       // value: share of the weights changed in FP32 that this step leaves unchanged
    Clipped,           // value: the factor that clipping multiplies gradients by
    ClippedScaled,     // gradients are clipped before unscaling; value: the effective bound of unscaled gradients
    LossHasGrown,      // value: mean of the last ten losses over RunPast::highestLoss
    SettingDefeats,    // a setting prevents learning; tensor: its JSON pointer; value: the setting's value
    NoGradient,        // all 0 in FP32 although the loss is not; value: number of such parameters, `tensor`: the first
    Saturated,         // value: share of an activation's outputs at its limits, where its derivative is 0
    WeightOutlier,     // value: the largest weight of a tensor over the root mean square of its others
    WeightsFlushed,    // value: share of a matrix's weights that are 0 or subnormal in the format of its products
    ValidationFails,   // the validation loss is not finite although the weights are
    NothingMoves,      // value: share of the weights with a nonzero gradient that do not change in FP32 either
    NoProgress,        // value: the mean loss of the last ten steps over the first ten's
};
struct SilentFinding {
    SilentKind kind = SilentKind::AllZero;
    std::string layer, tensor;  // empty if the finding concerns no single one
    double value = 0;
    bool operator==(const SilentFinding&) const = default;
};

struct SkipVerdict {
    StepVerdict kind = StepVerdict::Unexplained;
    Text headline;     // "The loss scale was too high."
    Text explanation;  // two or three sentences; each figure is in the trials or on the card
    bool isNormalProbing = false;
    double safeScale = 0;            // the largest tried power of two at which the step is finite; 0: none
    std::string suspectLayer;        // to override; empty: no override would help
    double factor = 0;               // by which the largest value exceeds the format's range; 0: unknown
    std::vector<Text> wouldNotHelp;  // "Clipping or a lower learning rate would not help: the overflow comes before both."
};

/// Stages of answering a question.
enum class QuestionWork : std::uint8_t {
    Waiting,            // for an earlier question to finish
    Rerunning,          // a copy of the run trains up to the step
    RepeatingStep,      // as used, at other loss scales and in other formats
    SearchingLosses,    // of a finite step, compared with FP32
    SearchingOverride,  // for layers that must compute in FP32
    TryingRemedy,       // on the next batches
    Measuring,          // consecutive steps
};
struct WorkProgress {
    QuestionWork work = QuestionWork::Waiting;
    Text remedy;                    // label of the remedy being tried
    std::int64_t done = 0, of = 0;  // steps of this stage; `of` 0: unknown
    /// The completed share, 0 to 1; -1: unknown.
    double share() const { return of > 0 ? static_cast<double>(done) / static_cast<double>(of) : -1; }
    bool operator==(const WorkProgress&) const = default;
};

struct Examination {
    std::int64_t step = 0;
    std::string policy;  // resolved
    double lossScale = 1;
    bool wasSkipped = false;
    ProvenanceCard card;
    std::vector<Trial> trials;
    SkipVerdict verdict;
    std::vector<Remedy> remedies;
    RunPast past;
    std::vector<SilentFinding> silent;  // the gravest first
    std::vector<Gauge> gauges;          // of this step; empty: not measured
    bool wasStopped = false;            // before it was complete
    double cardMs = 0, allMs = 0;       // wall-clock time for the card and in total, without pauses
};

}  // namespace mantissa
