// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/error_text.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace mantissa {

std::string errorText(const std::exception& error) {
    std::string text = error.what();
    if (dynamic_cast<const nlohmann::json::exception*>(&error) != nullptr) {
        if (const std::size_t end = text.find("] "); text.starts_with('[') && end != std::string::npos) text.erase(0, end + 2);
    } else if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        constexpr std::string_view kBefore = "filesystem error: ";
        if (text.starts_with(kBefore)) text.erase(0, kBefore.size());
        if (const std::size_t paths = text.find(" ["); paths != std::string::npos) text.erase(paths);
        if (!file->path1().empty()) text = file->path1().string() + ": " + text;
    }
    return text;
}

}  // namespace mantissa
