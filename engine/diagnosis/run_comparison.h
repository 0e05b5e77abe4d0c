// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs, step by step: the difference of their tensors by layer, and the first divergence. Differences are relative, |a -
// b| / |b| as 2-norms over all elements of a layer's tensors of one role. Pure values and functions; any thread.
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
    double scale = 1;  // divides the values before the comparison: the loss scale of gradients
    std::vector<float> values;
    Dtype storage = Dtype::F32;
};
/// A step's tensors in order of execution: the weights before the step, then the results of its passes.
using StepTensors = std::vector<StepTensor>;

/// The difference between two runs in a layer's tensors of one role.
struct LayerDifference {
    std::string layer;
    TensorRole role = TensorRole::Value;
    std::string tensor;         // the tensor that differs most
    double distance = 0;        // 2-norm of a - b, over elements that are finite in both
    double length = 0;          // 2-norm of b, over these elements
    std::int64_t elements = 0;  // compared
    std::int64_t broken = 0;    // not finite in one run only, or of different classes
    std::int64_t alike = 0;     // not finite and of one class in both runs, such as attention's masked elements

    /// Returns distance / length. 0: equal; infinite: an element is broken, or only b is all 0; NaN: no element is finite in either run.
    double relative() const;
    bool operator==(const LayerDifference&) const = default;
};

/// Returns the role's phase: "forward", "backward", or "weights" for those before the step.
std::string_view phaseName(TensorRole role);

/// Compares two steps by layer and role, in order of execution. Tensors are paired by layer, operation, name and role; tensors without a
/// partner of the same size, such as casts and activations of another batch size, are omitted.
std::vector<LayerDifference> layerDifferences(const StepTensors& a, const StepTensors& b);

/// Compares two steps by the sketches of their tensors (sketch.h), to about 10 %. Tensors are paired by name and role; of several with one
/// name the first is used. For non-finite elements the counts are compared. Updates and statistics are omitted. If only one step's weight
/// gradients were measured before clipping, they are compared as if both steps had one gradient norm.
std::vector<LayerDifference> sketchedDifferences(const StepStats& a, const StepStats& b);
/// Returns a step's tensors with only their sketches and counts of non-finite elements. Weight gradients are unscaled and clipped to
/// `clipNorm`, as the optimizer gets them; not clipped if `isBeforeClipping`. Of a tensor that is written several times the last value is
/// used.
StepStats sketched(std::int64_t step, const StepTensors& tensors, bool isBeforeClipping, std::optional<double> clipNorm);

/// Like `layerDifferences`, but for each tensor, so that larger tensors of its layer do not hide one that is all 0.
std::vector<LayerDifference> tensorDifferences(const StepTensors& a, const StepTensors& b);

/// Two runs at one step.
struct StepComparison {
    std::int64_t step = 0;
    std::vector<LayerDifference> layers;
    Dtype coarsest = Dtype::F32;  // storage format of either run; its unit roundoff is the unit of differences

    /// Converts a relative difference to unit roundoffs of the coarsest format.
    double inRoundoffs(double relative) const { return relative / facts(coarsest).unitRoundoff(); }
    bool operator==(const StepComparison&) const = default;
};

/// Compares two steps by their elements, or by their sketches.
StepComparison compared(std::int64_t step, const StepTensors& a, const StepTensors& b);
StepComparison compared(const StepStats& a, const StepStats& b);

/// The default bound of a divergence. A run in FP16 differs from FP32 by about 0.1 % from the first step; 1 % is more than rounding.
inline constexpr double kComparisonBound = 0.01;

/// The first divergence of two runs: the first step, and its first layer in order of execution, with a difference above `bound`.
struct FirstApart {
    std::size_t comparison = 0, layer = 0;  // indices
};
std::optional<FirstApart> firstApart(std::span<const StepComparison> comparisons, double bound);

/// The largest difference of any layer, or of the layers of one role; NaN differences are ignored.
double largestDifference(std::span<const StepComparison> comparisons, std::optional<TensorRole> role = {});

/// Returns the comparison in sentences: "First apart at step 39: layers.0, 12 % (31 unit roundoffs of BF16, backward, most in
/// layers.0.weight.grad). Until step 38 both agree to 0.05 %." If steps before it were not compared: "First apart between steps 33 and 64:
/// ...".
std::string comparisonSentence(const std::string& a, const std::string& b, std::span<const StepComparison> comparisons, double bound);

}  // namespace mantissa
