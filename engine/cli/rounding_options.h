// SPDX-License-Identifier: Apache-2.0
// --rounding, --seed and --saturate, for the commands that round; and the formats' names in a sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/cli/commands.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

struct RoundingOptions {
    std::string rounding = "nearest-even";
    std::optional<std::uint64_t> seed;
    bool saturate = false;

    void addTo(CLI::App& command);
    /// Throws UsageError; `command` begins the sentence.
    RoundingMode mode(const std::string& command) const;
};

/// "fp32, tf32, ...".
std::string knownFormats();

}  // namespace mantissa
