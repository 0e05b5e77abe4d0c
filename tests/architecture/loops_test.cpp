// SPDX-License-Identifier: Apache-2.0
// The machine code of the CPU's loops. gcc leaves a loop scalar without a warning, for instance where a square root may set errno.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>

namespace {

/// For each function of the library's AVX-512 versions, whether it has 512-bit vectors. Empty without objdump or without such versions.
std::map<std::string, bool> wideFunctions() {
    std::map<std::string, bool> functions;
    FILE* const output = popen("objdump --disassemble --demangle --no-show-raw-insn '" MANTISSA_CPU_LIBRARY "' 2>/dev/null", "r");
    if (output == nullptr) return functions;
    std::array<char, 8192> line;
    std::string name;  // empty outside of these functions
    while (std::fgets(line.data(), line.size(), output) != nullptr) {
        const std::string text = line.data();
        if (text.find(">:\n") != std::string::npos) {
            name = text.find("[clone .arch_x86_64_v4]>") != std::string::npos ? text.substr(text.find('<')) : "";
            if (!name.empty()) functions.emplace(name, false);
        } else if (!name.empty() && text.find("%zmm") != std::string::npos) {
            functions[name] = true;
        }
    }
    pclose(output);
    return functions;
}

}  // namespace

TEST(Loops, HaveVectorsInEachFunction) {
    const std::map<std::string, bool> functions = wideFunctions();
    if (functions.empty()) GTEST_SKIP() << "no objdump, or a compiler or processor without versions of functions";
    for (const auto& [name, isWide] : functions) EXPECT_TRUE(isWide) << name << " has no 512-bit vectors";
}
