// SPDX-License-Identifier: Apache-2.0
// `mantissa bench`: each figure is a ratio against a named rival, taken in one run. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/paired.h"

namespace mantissa {

struct Benchmark {
    std::string name;
    std::string summary;
    std::function<std::vector<BenchResult>()> run;
};
const std::vector<Benchmark>& benchmarks();

// ---- The rooms of the bench; each in its own file ----
std::vector<BenchResult> benchSmallStep();  // one step against bare kernels, and against PyTorch where it is installed
std::vector<BenchResult> benchMixedStep();  // fp16 and bf16 steps against the fp32 step
std::vector<BenchResult> benchRounding();   // rounding against memcpy, and against a textbook rounder
std::vector<BenchResult> benchTelemetry();  // what a step's record costs the training thread
std::vector<BenchResult> benchWindow();     // the window drawing while its engine trains
std::vector<BenchResult> benchSwitch();     // the first step on a new precision against a normal step

}  // namespace mantissa
