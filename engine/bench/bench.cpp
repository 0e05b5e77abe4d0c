// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace mantissa {

namespace {

/// `share`: in 0..1.
double percentile(std::vector<double> values, double share) {
    if (values.empty()) return std::nan("");
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
    return values[rank];
}

}  // namespace

std::vector<double> timeUnits(int count, const std::function<void()>& unit) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> seconds(static_cast<std::size_t>(count));
    for (double& s : seconds) {
        const auto start = Clock::now();
        unit();
        s = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return seconds;
}

double median(std::vector<double> values) {
    return percentile(std::move(values), 0.5);
}

PairedTimes runPaired(const TimedBlock& ours, const TimedBlock& rival, int pairs) {
    ours();
    rival();
    std::vector<double> allOurs, allRival, ratios;
    std::mt19937 coin(7);
    for (int i = 0; i < pairs; ++i) {
        std::vector<double> a, b;
        if (coin() % 2 == 0) {
            a = ours();
            b = rival();
        } else {
            b = rival();
            a = ours();
        }
        ratios.push_back(median(a) / median(b));
        allOurs.insert(allOurs.end(), a.begin(), a.end());
        allRival.insert(allRival.end(), b.begin(), b.end());
    }
    return {median(allOurs), percentile(allOurs, 0.99), median(allRival), percentile(allRival, 0.99), median(ratios)};
}

std::vector<Benchmark> benchmarks(double windowSeconds, const OpenBackend& open) {
    return {
        {"step-small", "one step of a small MLP against bare kernels and PyTorch", benchSmallStep},
        {"step-mixed", "an fp16 and a bf16 step against the fp32 step", benchMixedStep},
        {"attention", "steps with fused attention against steps with its separate operations", benchAttention},
        {"models", "steps of transformers and a residual network against PyTorch", benchModels},
        {"rounding", "rounding an array to fp16, bf16, tf32, fp8 against memcpy and a textbook rounder", benchRounding},
        {"telemetry", "the session's records and events against the bare trainer", benchTelemetry},
        {"switch", "a change of precision against normal steps", [=] { return benchSwitch(open); }},
        {"questions", "training and clicks beside a scaler race against the same without", benchQuestions},
        {"recording", "what recording costs the steps of the smallest bundled experiment", benchRecording},
        {"diagnosis", "what statistics of every tensor cost the steps of the default experiment", [=] { return benchDiagnosis(open); }},
        {"window", "the window drawing live: steps, paint, first paint, memory", [=] { return benchWindow(windowSeconds); }},
        {"plots", "plots of sixteen series of ten million values against QCustomPlot's graphs", benchPlots},
    };
}

}  // namespace mantissa
