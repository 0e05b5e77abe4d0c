// SPDX-License-Identifier: Apache-2.0
// Keeps experiments that were read, for the fuzzer of lessons: most inputs name one of a few, and reading it again takes half of the time.
// The linker puts this in the place of parseExperiment (CMakeLists.txt), which has a fuzzer of its own.
#include <map>

#include "engine/experiment/experiment.h"

#define MANTISSA_PARSE                                                                                                                    \
    "_ZN8mantissa15parseExperimentESt17basic_string_viewIcSt11char_traitsIcEERKNSt7__cxx1112basic_stringIcS2_SaIcEEERKNSt10filesystem7__" \
    "cxx114pathE"

namespace mantissa {

Experiment parseText(std::string_view text, const std::string& source,
                     const std::filesystem::path& folder) __asm__("__real_" MANTISSA_PARSE);
Experiment parseOnce(std::string_view text, const std::string& source,
                     const std::filesystem::path& folder) __asm__("__wrap_" MANTISSA_PARSE);

Experiment parseOnce(std::string_view text, const std::string& source, const std::filesystem::path& folder) {
    constexpr std::size_t kMost = 100;
    static std::map<std::string, Experiment, std::less<>> known;
    if (const auto it = known.find(text); it != known.end()) return it->second;
    Experiment experiment = parseText(text, source, folder);
    if (known.size() < kMost) known.emplace(text, experiment);
    return experiment;
}

}  // namespace mantissa
