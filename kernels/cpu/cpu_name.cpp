// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_name.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mantissa::cpu {

std::string cpuName() {
    std::string name;
#if defined(__x86_64__)
    // Leaves 0x80000002 to 0x80000004 hold the brand string, 16 characters each (AMD64 manual volume 3, appendix E).
    for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
        unsigned words[4] = {};
        if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0) break;
        name.append(reinterpret_cast<const char*>(words), sizeof words);
    }
    name.erase(std::min(name.find('\0'), name.size()));
    const auto first = name.find_first_not_of(' ');
    name = first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1);
#endif
    return name.empty() ? "CPU" : name;
}

std::string instructionSetName() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
#endif
    return "baseline";
}

}  // namespace mantissa::cpu
