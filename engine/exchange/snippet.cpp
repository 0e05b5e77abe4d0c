// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/snippet.h"

#include "engine/exchange/snippet_parts.h"

namespace mantissa {

std::optional<Framework> frameworkFromName(std::string_view name) {
    if (name == "pytorch") return Framework::PyTorch;
    if (name == "keras") return Framework::Keras;
    return std::nullopt;
}

std::string frameworkSnippet(const RunSettings& run, const DataShape& data, Framework framework) {
    return framework == Framework::PyTorch ? pytorchProgram(run, data) : kerasProgram(run, data);
}

}  // namespace mantissa
