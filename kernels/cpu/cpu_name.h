// SPDX-License-Identifier: Apache-2.0
// What this processor is called and the best instruction set of the own kernels on it, for the screen. Any thread.
#pragma once

#include <string>

namespace mantissa::cpu {

std::string cpuName();             // "AMD EPYC 9654 96-Core Processor", or "CPU" where it does not say
std::string instructionSetName();  // "AVX-512", "AVX2" or "baseline"

}  // namespace mantissa::cpu
