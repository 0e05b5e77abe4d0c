// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/csv.h"

#include <ostream>

#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// Losses and norms are computed in fp32; as a double they would show digits that were never there.
std::string shortestFp32(double value) {
    const auto narrow = static_cast<float>(value);
    return static_cast<double>(narrow) == value ? shortest(narrow) : shortest(value);
}

}  // namespace

void writeCsvRow(std::ostream& out, const StepRecord& r) {
    out << r.step << ',' << r.samples << ',' << shortest(r.epoch) << ',' << shortest(r.wallSeconds) << ',' << shortestFp32(r.loss) << ',';
    if (r.validated()) out << shortest(r.validationLoss);
    out << ',';
    if (r.validated()) out << shortest(r.validationAccuracy);
    out << ',' << shortestFp32(r.lossScale) << ',' << (r.skipped() ? 1 : 0) << ',' << r.skippedTotal << ',' << shortestFp32(r.gradNorm)
        << ',' << shortest(r.lr) << ',' << shortest(r.stepMs) << ',' << shortest(r.samplesPerSecond) << ',' << r.memoryBytes << ','
        << flagsText(r.flags) << '\n';
}

}  // namespace mantissa
