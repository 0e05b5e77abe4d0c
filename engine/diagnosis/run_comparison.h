// SPDX-License-Identifier: Apache-2.0
// Two runs held against each other, step by step: how far apart their tensors are, layer by layer, and where they part first.
// Differences are relative, |a - b| / |b| as 2-norms over all elements of a layer's tensors of one role. Pure values and functions; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// A tensor of a step with its values.
struct StepTensor {
    std::string layer, operation, tensor;  // as TensorStats has them
    TensorRole role = TensorRole::Value;
    double scale = 1;  // that the values carry and are divided by: the loss scale of gradients
    std::vector<float> values;
    Dtype storage = Dtype::F32;
};
/// In order of execution: the weights that the step begins with, then what its passes make.
using StepTensors = std::vector<StepTensor>;

/// What differs between two runs in a layer's tensors of one role.
struct LayerDifference {
    std::string layer;
    TensorRole role = TensorRole::Value;
    std::string tensor;         // the one of them that differs most
    double distance = 0;        // 2-norm of a - b, over elements that are finite in both
    double length = 0;          // 2-norm of b, over the same
    std::int64_t elements = 0;  // that were held against each other
    std::int64_t broken = 0;    // not finite in one of the runs, or in another way than in the other one
    std::int64_t alike = 0;     // not finite in both in the same way, as what a mask hides from attention

    /// distance / length. 0: they are equal; infinite: an element is broken, or all of b is 0; NaN: nothing can be compared, as no
    /// element is finite in either.
    double relative() const;
    bool operator==(const LayerDifference&) const = default;
};

/// "forward", "backward", and "weights" before the step.
std::string_view phaseName(TensorRole role);

/// In order of execution. Tensors that are found in one of the steps only, by layer, operation, name and role, and those of another size,
/// are left out: a cast belongs to its format, and an activation to its batch.
std::vector<LayerDifference> layerDifferences(const StepTensors& a, const StepTensors& b);

/// The same of two steps whose tensors are known by their sketches alone (sketch.h), to about 10 %. Tensors are paired by name and role,
/// and of several of one name the first counts; of elements that are not finite the numbers are compared. Updates are left out. Where the
/// weight gradients of one step were counted before clipping and those of the other after it, they are compared as if both steps had one
/// gradient norm.
std::vector<LayerDifference> sketchedDifferences(const StepStats& a, const StepStats& b);
/// The tensors of a step with their sketches and their elements that are not finite; nothing else of them is counted. Weight gradients are
/// those that the optimizer gets, clipped to `clipNorm`, or where `isBeforeClipping` those before. Of a tensor that is made several times
/// the last counts.
StepStats sketched(std::int64_t step, const StepTensors& tensors, bool isBeforeClipping, std::optional<double> clipNorm);

/// As layerDifferences, for each tensor by itself: a tensor that is all 0 is not hidden by larger ones of its layer.
std::vector<LayerDifference> tensorDifferences(const StepTensors& a, const StepTensors& b);

/// Two runs at one step.
struct StepComparison {
    std::int64_t step = 0;
    std::vector<LayerDifference> layers;
    Dtype coarsest = Dtype::F32;  // of the formats that either run stores tensors in: its rounding is the unit of differences

    /// So many times the coarsest format's unit roundoff.
    double inRoundoffs(double relative) const { return relative / facts(coarsest).unitRoundoff(); }
    bool operator==(const StepComparison&) const = default;
};

/// Both steps' tensors are compared, by elements or by sketches.
StepComparison compared(std::int64_t step, const StepTensors& a, const StepTensors& b);
StepComparison compared(const StepStats& a, const StepStats& b);

/// A run in FP16 is about 0.1 % from FP32 at once. From 1 % on, more than rounding is at work.
inline constexpr double kComparisonBound = 0.01;

/// Where two runs part: the first step, and in it the first layer in order of execution, whose difference is above `bound`.
struct FirstApart {
    std::size_t comparison = 0, layer = 0;  // indices
};
std::optional<FirstApart> firstApart(std::span<const StepComparison> comparisons, double bound);

/// The largest difference of any layer, or of those of one role; what cannot be compared counts for nothing.
double largestDifference(std::span<const StepComparison> comparisons, std::optional<TensorRole> role = {});

/// What was found, for people: "a and b agree to 0.05 % until step 38; at step 39 layers.0 differs by 12 %, 31 unit roundoffs of BF16
/// (backward, most in layers.0.weight.grad)."
std::string comparisonSentence(const std::string& a, const std::string& b, std::span<const StepComparison> comparisons, double bound);

}  // namespace mantissa
