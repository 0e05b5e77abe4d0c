// SPDX-License-Identifier: Apache-2.0
// Single elements of a step's tensors: the request, and the values found. Plain values; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// Identifies a tensor of a step, by the names in its statistics.
struct TensorName {
    std::string tensor, layer, operation, phase;
    TensorRole role = TensorRole::Value;

    bool operator==(const TensorName&) const = default;
};

inline TensorName nameOf(const TensorStats& stats) {
    return {stats.tensor, stats.layer, stats.operation, stats.phase, stats.role};
}

/// The kind of elements to list. Flushed: elements that are 0 but nonzero if the step is repeated in fp32.
enum class ElementKind : std::uint8_t { Magnitude, Zero, Flushed, NonFinite };

inline constexpr std::int64_t kMostElements = 1000;

struct ElementRequest {
    std::vector<TensorName> tensors;
    ElementKind kind = ElementKind::Magnitude;
    /// For Magnitude: nonzero finite elements with from <= |x| < below.
    double from = 0, below = std::numeric_limits<double>::infinity();
    std::int64_t limit = 200;  // at most kMostElements

    bool operator==(const ElementRequest&) const = default;
};

struct Element {
    std::string tensor;
    std::vector<std::int64_t> index;  // row-major
    Dtype storage = Dtype::F32;       // fp32 for an update, which is not stored
    bool isScaled = false;            // carries the loss scale
    double value = 0;
    std::uint32_t bits = 0;  // in storage
    /// The element if the step is repeated in fp32 with the same loss scale; NaN also if unknown.
    double wide = std::numeric_limits<double>::quiet_NaN();

    bool operator==(const Element&) const = default;
};

struct ElementsFound {
    double lossScale = 1;
    std::int64_t total = 0;  // elements that match the request
    /// The first matches: by descending magnitude (for Flushed, that in fp32), then in the order of tensors and rows.
    std::vector<Element> elements;
};

}  // namespace mantissa
