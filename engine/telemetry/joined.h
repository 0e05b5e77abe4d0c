// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace mantissa {

/// The texts of `values`, with `between` between them: "fp32, bf16, fp16". `textOf`: a function, or a member.
template <class Values, class TextOf = std::identity>
std::string joined(const Values& values, std::string_view between = ", ", TextOf textOf = {}) {
    std::string text;
    for (const auto& value : values) {
        if (!text.empty()) text += between;
        text += std::invoke(textOf, value);
    }
    return text;
}

}  // namespace mantissa
