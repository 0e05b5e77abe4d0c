// SPDX-License-Identifier: Apache-2.0
// `mantissa bench`: each result is a ratio against a named rival, measured in one run.
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
/// Opens a new backend of the device: library handles belong to one thread.
using OpenBackend = std::function<std::shared_ptr<Backend>()>;
/// All benchmarks. `windowSeconds`: duration of the window's measurement during training. `open`: the device for tensor statistics and
/// changes of precision; the others run on the CPU.
std::vector<Benchmark> benchmarks(double windowSeconds = 8, const OpenBackend& open = createCpuBackend);

// ---- The benchmarks, each in its own file ----
std::vector<BenchResult> benchSmallStep();  // one step against bare kernels, and against PyTorch where it is installed
std::vector<BenchResult> benchMixedStep();  // fp16 and bf16 steps against the fp32 step
std::vector<BenchResult> benchRounding();   // rounding against memcpy, and against a textbook rounder
std::vector<BenchResult> benchTelemetry();  // cost of a step's record on the training thread
std::vector<BenchResult> benchQuestions();  // training and clicks while a question about past steps runs
std::vector<BenchResult> benchRecording();  // a recorded session against an unrecorded one
std::vector<BenchResult> benchDiagnosis(const OpenBackend& open);  // steps with statistics of every tensor against steps without
std::vector<BenchResult> benchPlots();                             // plots of ten million steps against QCustomPlot's graphs
std::vector<BenchResult> benchModels();                            // transformers, a residual network against PyTorch
std::vector<BenchResult> benchSwitch(const OpenBackend& open);     // time from a change of precision until steps reach their normal speed
/// Measures the window's drawing for this many seconds while its engine trains.
std::vector<BenchResult> benchWindow(double seconds);

BenchResult resultOf(const PairedTimes& times, std::string name, std::string what, std::string rival, double limit);

/// BenchResult::tflops of a result in microseconds per step of this trainer.
double tflopsOf(const BenchResult& result, const Trainer& trainer);

/// Compares our blocks of `steps` with PyTorch's of `model` (torch_models.h), which must take `limit` times as long; skipped without
/// PyTorch.
BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs = 15);

}  // namespace mantissa
