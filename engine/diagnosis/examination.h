// SPDX-License-Identifier: Apache-2.0
// What repeating one step has shown: where its first non-finite value was made (the card), what the same step does at other scales and in
// other formats (the trials), what to call that (the verdict), and what would help (the remedies). Plain values that cross threads and the
// wire; non-finite doubles are data. engine/training/examiner.h fills them in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/diagnosis/gauges.h"
#include "engine/telemetry/text.h"

namespace mantissa {

/// One tensor that an instruction reads, or one that was written before.
struct TensorRange {
    std::string name;    // "layers.2.output.grad"
    std::string format;  // "fp16"
    std::vector<std::int64_t> shape;
    std::int64_t nonFinite = 0;  // elements
    double absMin = 0;           // smallest |x| that is not 0, of finite elements; 0: there is none
    double absMax = 0;           // largest, of finite elements
};

/// A stage on the way to the first non-finite tensor, in order of execution.
struct ChainLink {
    std::string layer, operation, phase, tensor;
    std::string format;
    double absMax = 0;  // of finite elements; gradients as they are stored, so times the loss scale
    std::int64_t nonFinite = 0;
};

/// Where a step's first non-finite value was made.
struct ProvenanceCard {
    std::string layer;      // "layers.7"
    std::string operation;  // "linear_grad_weight"
    std::string phase;      // "forward", "backward", "optimizer"
    std::string tensor;     // "layers.7.weight.grad"
    std::string cls;        // "+Inf", "-Inf", "NaN"
    std::string format;     // that its elements are rounded to
    std::string storage;    // and what they are stored in
    std::vector<std::int64_t> shape;
    std::int32_t instruction = 0, instructions = 0;  // "41 of 63", from 1
    std::vector<std::int64_t> element;               // the first one that is not finite
    std::int64_t nonFinite = 0, elements = 0;
    std::uint32_t bits = 0;  // of that element, as `storage` has it
    bool isProducer = true;  // it computes this from finite numbers; else it only passes on

    // What the layer would have given in fp32, from the trial with an override; NaN where there is none.
    double wide = std::numeric_limits<double>::quiet_NaN();     // that element
    double wideMax = std::numeric_limits<double>::quiet_NaN();  // the largest magnitude of the tensor
    std::vector<std::int64_t> wideMaxAt;
    double formatMax = 0;         // largest finite value of `format`
    std::int64_t productSum = 0;  // length of the sum that one element is; 0: it is no product

    std::int64_t microBatch = 1, microBatches = 1;  // "2 of 4", from 1; microBatch 0: outside of them, as weight copies and the update are
    std::int64_t dataRow = -1;  // the row of the data set that the element comes from, from 0 in the files' order; -1: no single one
    bool isRowOfText = false;   // then it is the token at which the element's text begins, counted from the beginning of the data

    std::vector<TensorRange> operands;
    std::vector<ChainLink> chain;       // tensors in order, up to this one and a few beyond; of a sound step all of its last micro-batch
    std::vector<std::string> foundInf;  // parameters whose gradient is not finite, in the model's order
    std::int64_t parameters = 0;        // of all
    double wideRatio() const { return wideMax / formatMax; }
    /// It was copied out of the data set, which held it: no operation made it.
    bool isFromData() const {
        return !isProducer && std::all_of(operands.begin(), operands.end(), [](const TensorRange& each) { return each.nonFinite == 0; });
    }
};

/// The step repeated in another way; nothing of it was committed.
struct Trial {
    Text label;          // "FP16 × 2^22, as used"
    std::string policy;  // "fp16"
    double scale = 1;
    std::string overriddenLayer;  // in fp32; empty: none
    bool isAsUsed = false;
    bool isReference = false;     // fp32: what the others are compared with
    bool isForwardFinite = true;  // every tensor up to the loss, as far as it was looked at; else the loss
    std::int64_t nonFinite = 0;   // gradient elements
    double flushedShare = std::numeric_limits<double>::quiet_NaN();  // of gradients that are not 0 in fp32; NaN: cannot be said
    double difference =
        std::numeric_limits<double>::quiet_NaN();  // from fp32's gradients, |g - g32| / |g32| as 2-norms; NaN: cannot be said
    double loss = std::numeric_limits<double>::quiet_NaN();
    std::string failure;  // why it could not be run; empty: it was
    bool isFinite() const { return failure.empty() && isForwardFinite && nonFinite == 0; }
};

enum class StepVerdict : std::uint8_t {
    ScaleTooHigh,     // the same step is finite at a lower loss scale
    ForwardOverflow,  // the format cannot hold what a layer makes: no loss scale can help
    BadData,          // the batch is not finite
    BadWeights,       // the weights were not finite before the step
    ArithmeticNaN,    // not finite in fp32 either, from finite operands: 0/0, inf - inf, the log of a negative number
    Unexplained,      // found to overflow though all is finite when it is repeated, or not searched to the end
    Sound,            // nothing is wrong with the step
    Divergence,       // the loss has grown, and neither leaving it nor a loss scale nor fp32 brings it back
    KeptGradients,    // gradients are not set to zero, so what is not finite stays in them
    SilentFailure,    // all is finite, and something is lost: see SilentFinding
    BadStatistics,    // running statistics were not finite before the step, which training does not read and validation does
    ScaleTooLow,      // the loss scale is so small that its reciprocal is infinite, or it is 0: unscaling breaks finite gradients
    NormOverflow,     // every gradient is finite, and their norm is beyond FP32
};
const char* verdictName(StepVerdict verdict);  // "scale too high": also in JSON

/// One thing to do, and what it did when the next batches were trained with it from the captured step on. Nothing of that was committed.
struct Remedy {
    Text label;              // "Set scale 2^19"
    std::string pointer;     // "/scaler/scale"; empty: leave everything as it is
    std::string value;       // JSON
    std::int64_t steps = 0;  // that were tried; 0: not tried
    std::int64_t skips = 0;
    std::int64_t nonFinite = 0;                              // steps whose loss or gradients are not finite
    bool helps = false;                                      // training is healthy again: see `isHealthy`
    Text sentence;                                           // "0 skips in the next 20 steps."
    double loss = std::numeric_limits<double>::quiet_NaN();  // mean of the last tenth of the tried steps
    double validationLoss = std::numeric_limits<double>::quiet_NaN(), validationAccuracy = std::numeric_limits<double>::quiet_NaN();
    std::int64_t rewindTo = -1;  // the run goes back to before that step first; -1: it is changed where it is
    /// Shares of the step's floating point operations, and of the bytes it reads and writes, that an override puts into FP32; NaN for other
    /// remedies.
    double fp32Flops = std::numeric_limits<double>::quiet_NaN(), fp32Bytes = std::numeric_limits<double>::quiet_NaN();
};

/// Summary of the losses of the run's last 5 000 steps before the examined one.
struct RunPast {
    struct Change {
        std::int64_t step = 0;       // the first one that it holds for
        std::string pointer, label;  // "/optimizer/lr", "lr"
        std::string from, to;        // as people read them
        std::string before;          // JSON
        bool operator==(const Change&) const = default;
    };
    double usualLoss = std::numeric_limits<double>::quiet_NaN();       // lowest mean of ten steps in a row; NaN: none is known
    double highestLoss = std::numeric_limits<double>::quiet_NaN();     // highest such mean of the 50 steps up to there
    double usualGradNorm = std::numeric_limits<double>::quiet_NaN();   // median of the finite ones up to there; NaN: not known
    double gradNormSpread = std::numeric_limits<double>::quiet_NaN();  // of fifty in a row, the largest over the median; NaN: not known
    std::int64_t usualUntil = 0;                                       // the step after those ten
    std::int64_t healthyUntil = 0;  // the step after the last ten whose mean does not exceed the highest by more than a tenth
    double latestLoss = std::numeric_limits<double>::quiet_NaN();  // the last that is finite
    double latestMean = std::numeric_limits<double>::quiet_NaN();  // of the last ten, where all are finite
    double firstLoss = std::numeric_limits<double>::quiet_NaN();   // of the run
    double firstMean = std::numeric_limits<double>::quiet_NaN();   // of its first ten, where all are finite
    std::int64_t steps = 0;                                        // of the run so far, as far as they are known
    std::vector<Change> changes;                                   // of settings that act on the updates, by step
    bool operator==(const RunPast&) const = default;
};

/// What a finite step has lost beside FP32 on the same batch and weights.
enum class SilentKind : std::uint8_t {
    AllZero,           // a tensor of the forward pass; value: 1 where FP32's is not, 0 where it is 0 too
    TensorDiffers,     // one of the forward pass; value: |a - b| / |b|
    GradientsAllZero,  // of all parameters
    GradientsFlushed,  // value: share of those not 0 in FP32
    GradientsDiffer,   // value: |g - g32| / |g32|
    UpdatesLost,       // value: share of the weights that FP32 would move and that stand still
    Clipped,           // value: what clipping leaves of the gradients
    ClippedScaled,     // before they are unscaled; value: the bound that unscaled gradients meet
    LossHasGrown,      // value: over the highest loss that was usual
    SettingDefeats,    // a setting with which nothing can be learned; tensor: its pointer; value: the setting's
    NoGradient,        // of a tensor of parameters, in FP32 too, though the loss is not 0; value: of so many tensors, this the first
    Saturated,         // value: share of an activation's outputs at its limits, where its derivative is 0
    WeightOutlier,     // value: the largest weight of a tensor over the root mean square of its others
    WeightsFlushed,    // value: share of a matrix's weights that are 0 or subnormal in the format of its products
    ValidationFails,   // the validation's loss is not finite though the weights are
    NothingMoves,      // value: share of the weights with a gradient that FP32 would leave as they are too
    NoProgress,        // value: the mean loss of the last ten steps over the first ten's
};
struct SilentFinding {
    SilentKind kind = SilentKind::AllZero;
    std::string layer, tensor;  // where it concerns one
    double value = 0;
    bool operator==(const SilentFinding&) const = default;
};

struct SkipVerdict {
    StepVerdict kind = StepVerdict::Unexplained;
    Text headline;     // "The loss scale was too high."
    Text explanation;  // two or three sentences, with the evidence; each figure stands in the trials or on the card
    bool isNormalProbing = false;
    double safeScale = 0;            // the largest power of two tried that is finite; 0: none is
    std::string suspectLayer;        // for an override; empty: none would help
    double factor = 0;               // by which the largest value exceeds the format; 0: not known
    std::vector<Text> wouldNotHelp;  // "Clipping or a lower learning rate would not help: the overflow comes before both."
};

/// Stages of answering a question.
enum class QuestionWork : std::uint8_t {
    Waiting,            // for the answer to an earlier question
    CatchingUp,         // a copy trains its way to the step
    RepeatingStep,      // as it was, at other loss scales and in other formats
    LookingForLosses,   // what a finite step loses beside FP32
    SearchingOverride,  // which layers have to compute in FP32
    TryingRemedy,       // one remedy, on the next batches
    Measuring,          // steps, one after another
};
struct WorkProgress {
    QuestionWork work = QuestionWork::Waiting;
    Text remedy;                    // the label of the one that is being tried
    std::int64_t done = 0, of = 0;  // steps of this work; `of` 0: how many there are is not known
    /// From 0 to 1; -1: not known.
    double share() const { return of > 0 ? static_cast<double>(done) / static_cast<double>(of) : -1; }
    bool operator==(const WorkProgress&) const = default;
};

struct Examination {
    std::int64_t step = 0;
    std::string policy;  // in force
    double lossScale = 1;
    bool wasSkipped = false;
    ProvenanceCard card;
    std::vector<Trial> trials;
    SkipVerdict verdict;
    std::vector<Remedy> remedies;
    RunPast past;
    std::vector<SilentFinding> silent;  // the gravest first
    std::vector<Gauge> gauges;          // of this step; empty: not read
    bool wasStopped = false;            // before it was at its end
    double cardMs = 0, allMs = 0;       // wall clock that it took, without the time it rested
};

}  // namespace mantissa
