// SPDX-License-Identifier: Apache-2.0
// `mantissa bench`: each figure is a ratio against a named rival, taken in one run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/paired.h"
#include "engine/training/trainer.h"

namespace mantissa {

struct Benchmark {
    std::string name;
    std::string summary;
    std::function<std::vector<BenchResult>()> run;
};
/// Opens a device anew: libraries' handles belong to one thread.
using OpenBackend = std::function<std::shared_ptr<Backend>()>;
/// `windowSeconds`: how long the window is measured while it trains. `open`: what looks and changes are timed on; the others are of the
/// CPU.
std::vector<Benchmark> benchmarks(double windowSeconds = 8, const OpenBackend& open = createCpuBackend);

// ---- The rooms of the bench; each in its own file ----
std::vector<BenchResult> benchSmallStep();  // one step against bare kernels, and against PyTorch where it is installed
std::vector<BenchResult> benchMixedStep();  // fp16 and bf16 steps against the fp32 step
std::vector<BenchResult> benchRounding();   // rounding against memcpy, and against a textbook rounder
std::vector<BenchResult> benchTelemetry();  // what a step's record costs the training thread
std::vector<BenchResult> benchQuestions();  // training and clicks beside a question about past steps
std::vector<BenchResult> benchRecording();  // a recorded session against one that is not
std::vector<BenchResult> benchDiagnosis(const OpenBackend& open);  // steps with looks at every tensor against steps without
std::vector<BenchResult> benchPlots();                             // the plots of ten million steps beside QCustomPlot's graphs
std::vector<BenchResult> benchModels();                            // transformers, a residual network against PyTorch
std::vector<BenchResult> benchSwitch(const OpenBackend& open);     // a change of precision until the steps have their pace again
/// The window drawing for so many seconds while its engine trains.
std::vector<BenchResult> benchWindow(double seconds);

BenchResult resultOf(const PairedTimes& times, std::string name, std::string what, std::string rival, double limit);

/// BenchResult::tflops of one in microseconds a step of this trainer.
double tflopsOf(const BenchResult& result, const Trainer& trainer);

/// Our blocks of `steps` against PyTorch's of `model` (torch_models.h), which must take `limit` times as long; skipped where there is none.
BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs = 15);

}  // namespace mantissa
