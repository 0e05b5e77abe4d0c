// SPDX-License-Identifier: Apache-2.0
// `mantissa bench`: each result is a ratio against a named rival, measured in one run.
//
// Paired timing: two contenders alternate in short blocks, in random order; the result is the median of the ratios of the pairs. Numbers of
// two different runs are never divided. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/training/trainer.h"

namespace mantissa {

/// Runs a block of work and returns the seconds of each unit (a step, an array pass).
using TimedBlock = std::function<std::vector<double>()>;

/// Times each of `count` calls of `unit`.
std::vector<double> timeUnits(int count, const std::function<void()>& unit);

double median(std::vector<double> values);

struct PairedTimes {
    double oursMedian = 0, oursP99 = 0;  // seconds per unit, over all blocks
    double rivalMedian = 0, rivalP99 = 0;
    double ratio = 0;  // median over pairs of (median of ours / median of the rival's)
};
/// Runs one warm-up block each, then `pairs` pairs.
PairedTimes runPaired(const TimedBlock& ours, const TimedBlock& rival, int pairs = 15);

/// One row of the benchmark's table.
struct BenchResult {
    std::string name{};                                       // "step-small"
    std::string what{};                                       // "2-64-64-2, batch 64, AdamW, fp32, one thread"
    std::string rival{};                                      // "bare oneDNN products and plain loops"
    std::string unit{};                                       // "us a step"
    double ours = 0, oursP99 = 0, theirs = 0, theirsP99 = 0;  // in that unit
    double ratio = 0;                                         // ours / rival's unless `ratioName` says otherwise
    std::string ratioName = "ours / rival";
    double limit = 0;
    bool isAtLeast = false;  // false: the ratio must not exceed the limit; true: must reach it
    double tflops = 0;       // of the products in our steps; 0: does not apply
    double products = 0;     // time of the products alone in our steps, in `unit`; 0: does not apply
    std::string skipped{};   // why there is no result; empty otherwise
    bool passes() const { return isAtLeast ? ratio >= limit : ratio <= limit; }
};

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

// ---- The benchmarks ----
std::vector<BenchResult> benchSmallStep();  // one step against bare kernels, and against PyTorch where it is installed
std::vector<BenchResult> benchMixedStep();  // fp16 and bf16 steps against the fp32 step
std::vector<BenchResult> benchAttention();  // steps with fused attention against steps with its operations
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

/// Compares our blocks of `steps` with PyTorch's of `model`, which must take `limit` times as long; skipped without PyTorch. `model`:
/// Python code that defines `parameters`, `batch_of(number)`, which returns inputs and labels, and `loss_of(inputs, labels)`.
BenchResult againstTorch(const std::string& name, const std::string& what, const std::string& model, int steps, const TimedBlock& ours,
                         double limit, int pairs = 15);

}  // namespace mantissa
