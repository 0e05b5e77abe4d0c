// SPDX-License-Identifier: Apache-2.0
// The reader of lessons against text of any kind: it is read, or refused in one line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/lessons/lesson.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    static const auto held = parseExperiment(R"({"data": {"name": "digits"}, "runs": [{"name": "a"}]})", "held").data;  // read once
    try {
        const Lesson lesson = readLesson(std::string_view(reinterpret_cast<const char*>(data), size), "lesson.md");
        if (lesson.steps.empty()) std::abort();
    } catch (const InputError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}
