// SPDX-License-Identifier: Apache-2.0
// This processor's name and the best instruction set of Mantissa's kernels on it, for display. Any thread.
#pragma once

#include <string>

namespace mantissa::cpu {

std::string cpuName();             // "AMD EPYC 9654 96-Core Processor", or "CPU" if unknown
std::string instructionSetName();  // "AVX-512", "AVX2" or "baseline"

}  // namespace mantissa::cpu
