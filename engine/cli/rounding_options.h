// SPDX-License-Identifier: Apache-2.0
// The options --rounding, --seed and --saturate of commands that round, and a list of the formats' names.
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
    /// The rounding mode of the options. Throws UsageError; the message begins with `command`.
    RoundingMode mode(const std::string& command) const;
};

/// The names of all formats: "fp32, tf32, ...".
std::string knownFormats();

}  // namespace mantissa
