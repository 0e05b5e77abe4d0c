// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/csv.h"

#include <ostream>
#include <string>

#include "engine/telemetry/number_format.h"

namespace mantissa {

// Numbers are written as doubles even where they came from fp32: the text then reads back to the same value in either width, and equals
// what the JSON output says. Built as a string, because a stream would follow its locale.
void writeCsvRow(std::ostream& out, const StepRecord& r) {
    const bool isValidated = r.validated();
    const std::string cells[] = {std::to_string(r.step),
                                 std::to_string(r.samples),
                                 shortest(r.epoch),
                                 shortest(r.wallSeconds),
                                 shortest(r.loss),
                                 isValidated ? shortest(r.validationLoss) : "",
                                 r.hasAccuracy() ? shortest(r.validationAccuracy) : "",
                                 shortest(r.lossScale),
                                 r.skipped() ? "1" : "0",
                                 std::to_string(r.skippedTotal),
                                 shortest(r.gradNorm),
                                 shortest(r.lr),
                                 shortest(r.stepMs),
                                 shortest(r.samplesPerSecond),
                                 std::to_string(r.memoryBytes),
                                 flagsText(r.flags)};
    std::string row;
    for (const std::string& cell : cells) {
        if (!row.empty()) row += ',';
        row += cell;
    }
    out << row << '\n';
}

}  // namespace mantissa
