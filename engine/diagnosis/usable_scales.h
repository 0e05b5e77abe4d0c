// SPDX-License-Identifier: Apache-2.0
// The loss scales that a layer can live with: large enough that few gradients are flushed to 0, small enough that none overflows. From
// looks at scaled gradients over some steps. Pure values and functions; any thread.
//
// Exact for gradients as they are seen; of those that were seen in part it says so. What a narrow format has flushed before it was seen
// is 0 there, like a gradient that is 0, so a range of usable scales from an fp16 run's own gradients may begin too low; one from an fp32
// run's does not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

struct UsableScalesSettings {
    double mostFlushed = 0.02;  // a larger share of a layer's gradients other than 0 flushed to 0 is too much
    /// What gradients are to be stored in. Nothing: what they were seen in.
    std::optional<Dtype> format;
};

/// Loss scales from `lowest` to `highest`, both powers of two times that of the last look.
struct UsableScales {
    std::string layer;          // empty: of several
    Dtype format = Dtype::F16;  // the narrowest that its gradients are stored in
    double lowest = 0;          // 0: no scale is too low
    double highest = 0x1p127;   // which no scale exceeds
    std::string lowestBy;       // the layer that sets the lower bound; empty: there is none
    std::string highestBy;      // the tensor that overflows above the upper one; empty: none does
    double headroom =
        0;  // at the last look's scale: log2 of a format's largest number over the tensor's largest element in all looks; the least
    double flushed = 0;    // at the last look's scale: mean share over the looks; the largest
    std::string sentence;  // "any loss scale from 2^7 to 2^15 is safe", "fp16 cannot work here: override this layer (...)"

    bool isPartial = false;  // gradients were seen in part: what overflows may be elsewhere
    /// A layer whose gradients are all 0, in a format of a small range: flushed, perhaps, so nothing is known of its scales. Empty: none.
    std::string unknownBy = {};

    bool isKnown() const { return unknownBy.empty(); }
    bool isEmpty() const { return lowest > highest; }
    bool holds(double scale) const { return isKnown() && scale >= lowest && scale <= highest; }
};

/// One for each layer that has scaled gradients, in the order in which the backward pass comes to them. Shares of flushed gradients are
/// means over the looks, overflow is that of the worst one. Empty without looks.
std::vector<UsableScales> usableScalesOf(std::span<const StepStats> looks, const UsableScalesSettings& settings = {});

/// Where all ranges of usable scales overlap.
UsableScales intersectionOf(std::span<const UsableScales> usableScales);

/// The loss scale to go with: `used` where the range of usable scales holds it, else a few doublings inside the bound that is nearest to
/// it; of an empty one the highest, as an overflow loses a whole step and not a few gradients.
double scaleFrom(const UsableScales& usable, double used);

}  // namespace mantissa
