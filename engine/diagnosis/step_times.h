// SPDX-License-Identifier: Apache-2.0
// The time of a step by operation, measured on a device or predicted for a GPU. Plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/text.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

/// What most of an operation's time goes to: computing products, reading and writing memory, or the start and end of its kernel. Of a
/// measured step, whose limits are not known: products, other operations, or either of less than kShortSeconds.
enum class TimeLimit : std::uint8_t { Compute, Memory, Launch };
inline constexpr double kShortSeconds = 5e-6;
using SecondsByLimit = std::array<double, 3>;

enum class OperationKind : std::uint8_t {
    Other,
    Product,     // a matrix product, a convolution or attention
    Conversion,  // between formats
};

/// The instructions of a step with one name and, of products, one compute dtype.
struct OperationTime {
    std::string operation;  // "linear", "cast"
    OperationKind kind = OperationKind::Other;
    Dtype compute = Dtype::F32;  // of products
    std::int64_t runs = 0;       // per step, as the others
    double flops = 0, bytes = 0, seconds = 0;
    TimeLimit limit = TimeLimit::Launch;  // of most of the seconds
    double peakTflops = 0;                // of products in this dtype on the device; 0: unknown
    bool operator==(const OperationTime&) const = default;
};

struct StepTimes {
    std::string device;                     // "cpu", "h200"
    std::vector<OperationTime> operations;  // the longest first
    SecondsByLimit byLimit{};
    double stepSeconds = 0;   // of a whole step as it trains, with the work between its operations; 0: predicted
    std::vector<Text> notes;  // what limits the step, and why a narrower format may not help; sentences

    /// The sum of the operations.
    double seconds() const { return byLimit[0] + byLimit[1] + byLimit[2]; }
    double secondsOf(OperationKind kind) const {
        double sum = 0;
        for (const OperationTime& each : operations) sum += each.kind == kind ? each.seconds : 0;
        return sum;
    }
    /// The operation's row; null: the step has none.
    const OperationTime* find(const OperationTime& like) const {
        for (const OperationTime& each : operations)
            if (each.operation == like.operation && each.kind == like.kind && each.compute == like.compute) return &each;
        return nullptr;
    }
    bool operator==(const StepTimes&) const = default;
};

}  // namespace mantissa
