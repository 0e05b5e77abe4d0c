// SPDX-License-Identifier: Apache-2.0
// Single elements of a step's tensors: which are asked for, and what is known of each. Plain values; any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// A tensor of a step, by the names that its statistics has.
struct TensorName {
    std::string tensor, layer, operation, phase;
    TensorRole role = TensorRole::Value;

    bool operator==(const TensorName&) const = default;
};

inline TensorName nameOf(const TensorStats& stats) {
    return {stats.tensor, stats.layer, stats.operation, stats.phase, stats.role};
}

/// Flushed: those that are 0, and are another number when the step is repeated in fp32.
enum class ElementKind : std::uint8_t { Magnitude, Zero, Flushed, NonFinite };

inline constexpr std::int64_t kMostElements = 1000;

struct ElementRequest {
    std::vector<TensorName> tensors;
    ElementKind kind = ElementKind::Magnitude;
    /// Of Magnitude: finite elements other than 0 whose magnitude is at least `from`, and below `below`.
    double from = 0, below = std::numeric_limits<double>::infinity();
    std::int64_t limit = 200;  // at most kMostElements

    bool operator==(const ElementRequest&) const = default;
};

struct Element {
    std::string tensor;
    std::vector<std::int64_t> index;  // row-major
    Dtype storage = Dtype::F32;       // of an update, which is stored nowhere, fp32
    bool isScaled = false;            // carries the loss scale
    double value = 0;
    std::uint32_t bits = 0;  // in storage
    /// The same element when the step is repeated in fp32 with the same loss scale; NaN: that is what it is, or it is not known.
    double wide = std::numeric_limits<double>::quiet_NaN();

    bool operator==(const Element&) const = default;
};

struct ElementsFound {
    double lossScale = 1;
    std::int64_t total = 0;  // that fit the request
    /// The first of them: by magnitude, the largest first (of Flushed, by that in fp32), then as tensors and rows have them.
    std::vector<Element> elements;
};

}  // namespace mantissa
