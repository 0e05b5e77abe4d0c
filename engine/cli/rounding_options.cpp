// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/rounding_options.h"

#include "engine/telemetry/joined.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {
namespace {

std::string knownRoundings() {
    return joined(kAllRoundings, ", ", roundingName);
}

}  // namespace

void RoundingOptions::addTo(CLI::App& command) {
    command.add_option("--rounding", rounding, knownRoundings())->capture_default_str();
    command.add_option("--seed", seed, "of stochastic rounding: number i gets the same random bits each time; 0 by default")
        ->check([](const std::string& text) { return text.starts_with('-') ? std::string("must not be negative") : std::string(); });
    command.add_flag("--saturate", saturate, "what lies beyond the largest number becomes that number, Inf too");
}

RoundingMode RoundingOptions::mode(const std::string& command) const {
    const auto known = roundingFromName(rounding);
    if (!known) throw UsageError(command + ": --rounding: '" + rounding + "' is not known (" + knownRoundings() + ")");
    if (seed && *known != Rounding::Stochastic) throw UsageError(command + ": --seed: only stochastic rounding has one");
    return {.rounding = *known, .saturate = saturate, .seed = seed.value_or(0)};
}

std::string knownFormats() {
    return joined(kAllDtypes, ", ", [](Dtype dtype) { return facts(dtype).name; });
}

}  // namespace mantissa
