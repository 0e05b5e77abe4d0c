// SPDX-License-Identifier: Apache-2.0
// The reader of lessons against text of any kind.
#include <cstdint>
#include <string_view>

#include "engine/lessons/lesson.h"
#include "tests/fuzz/refusal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    expectReadOrRefused<InputError>([&] { require(!readLesson(text, "lesson.md").steps.empty()); });
    return 0;
}
