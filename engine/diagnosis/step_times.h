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

/// What most of a predicted operation's time goes to: computing products, reading and writing memory, or the start and end of its kernel.
enum class TimeLimit : std::uint8_t { Compute, Memory, Launch };
using SecondsByLimit = std::array<double, 3>;
/// A measured operation of less than this is mostly its start: a kernel of a GPU starts and ends in 2.5 us (engine/plan/roofline.h).
inline constexpr double kShortSeconds = 5e-6;

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
    TimeLimit limit = TimeLimit::Launch;  // of most of the predicted seconds
    double peakTflops = 0;                // of one large product in this dtype on the device; 0: unknown
    bool operator==(const OperationTime&) const = default;
};

struct StepTimes {
    std::string device;                     // "cpu", "h200"
    std::vector<OperationTime> operations;  // the longest first
    double seconds = 0;                     // the sum of the operations
    double shortSeconds = 0;                // of those that are mostly their start: measured below kShortSeconds, or limited by the launch
    SecondsByLimit byLimit{};               // of a predicted step
    double stepSeconds = 0;                 // measured, of one step at a time, with the work between its operations; 0: predicted
    std::vector<Text> notes;                // what limits the step, and why a narrower format may not help; sentences

    bool isMeasured() const { return stepSeconds > 0; }
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
