// SPDX-License-Identifier: Apache-2.0
// A run's settings as a short program for another framework, complete from data to validation. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

enum class Framework : std::uint8_t { PyTorch, Keras };
/// "pytorch", "keras"; nothing for other names.
std::optional<Framework> frameworkFromName(std::string_view name);

/// A Python program: model, data, optimizer, schedule, formats, loss scaler, clipping and accumulation as the run has them. What the
/// framework has no short equivalent for is named in the comment at its top. Weights and batches are drawn by the framework, so losses are
/// of the same size and not the same numbers. `data`: what the run's data set brings (shapeOf).
std::string frameworkSnippet(const RunSettings& run, const DataShape& data, Framework framework);

}  // namespace mantissa
