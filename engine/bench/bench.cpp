// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/bench.h"

namespace mantissa {

std::vector<Benchmark> benchmarks(double windowSeconds, const OpenBackend& open) {
    return {
        {"step-small", "one step of a small MLP against bare kernels and PyTorch", benchSmallStep},
        {"step-mixed", "an fp16 and a bf16 step against the fp32 step", benchMixedStep},
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
