// SPDX-License-Identifier: Apache-2.0
// Messages of the Python probe about a PyTorch training, as plain values; README.md in this folder describes them. Any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/diagnosis/histogram.h"
#include "engine/diagnosis/sketch.h"
#include "engine/diagnosis/tensor_stats.h"
#include "kernels/dtype/element_classes.h"

namespace mantissa {

inline constexpr std::int64_t kProbeProtocol = 1;
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // numbers that a message leaves out

struct ProbeModule {
    std::string path, cls;  // "h.0.mlp", "Linear"
};

struct ProbeHello {
    std::string probe, torch, cuda, python;  // versions; `cuda` is empty without a GPU
    std::string run;                         // 32 hexadecimal digits, unchanged when the probe reconnects
    std::string name, token, host, device, model;
    std::int64_t pid = 0, rank = 0, world = 1, parameters = 0;
    std::vector<ProbeModule> modules;  // in the model's order
    bool hasScaler = false;
    double initScale = 1, growthFactor = 2, backoffFactor = 0.5;
    std::int64_t growthInterval = 2000;
};

struct DescribedTensor {
    std::uint32_t id = 0;
    std::string name, module, cls;  // "h.0.mlp.output", "h.0.mlp", "Linear"
    TensorRole role = TensorRole::Value;
    Dtype dtype = Dtype::F32;  // F32 for float64, which is rounded to fp32 before it is counted
    std::vector<std::int64_t> shape;
    std::int64_t elements = 0;
};
struct TensorsDescribed {
    std::vector<DescribedTensor> tensors;
};

/// The first non-finite tensor of a step, and the state of its inputs. Empty members are unknown, or do not exist.
struct FirstBad {
    std::string name, module;
    TensorRole role = TensorRole::Value;
    bool isNan = false;
    std::optional<std::uint32_t> tensor;
    std::optional<bool> areInputsFinite, areWeightsFinite, areBuffersFinite;
    bool hasChildren = false;
};

struct OptimizerStep {
    std::string name;
    double lr = kUnknown;  // of its first parameter group
    bool isStepped = false, isSkipped = false, hasFoundInf = false;
    std::optional<double> gradNorm, gradNormBeforeClip;  // unscaled; NaN and infinities are known
};

struct ProbeStep {
    std::int64_t step = 0;
    std::optional<double> loss;  // nothing: unknown
    std::int64_t microBatches = 1;
    std::int64_t samples = 0;  // 0: unknown
    std::optional<Dtype> autocast;
    std::optional<double> lossScale, nextLossScale;
    std::int64_t nextGrowthTracker = 0;
    std::vector<OptimizerStep> optimizers;
    double stepSeconds = 0, dataSeconds = 0;
    std::int64_t allocatedBytes = -1, residentBytes = -1;     // -1: unknown
    std::vector<std::pair<std::uint32_t, float>> magnitudes;  // largest |x| of the measured tensors; may be Inf or NaN
    std::optional<FirstBad> firstBad;
    std::vector<std::string> badWeights;
    std::int64_t statisticsPeriod = 0, dropped = 0;
};

struct CountedTensor {
    std::uint32_t tensor = 0;
    std::int64_t elements = 0;
    ElementClasses classes;
    double smallest = 0;  // as in TensorStats
    Histogram magnitudes;
    Sketch sketch;  // empty: none was sent
};
struct ProbeStatistics {
    std::int64_t step = 0;
    double lossScale = 1;
    bool areGradientsScaled = false, areWeightGradientsScaled = false, areBeforeClipping = false;
    std::vector<CountedTensor> tensors;
};

struct CapturedOperation {
    std::string operation, module, phase, dtype;
    std::vector<std::int64_t> shape;
    double absMax = kUnknown;
};
struct OperationsCaptured {
    std::int64_t step = 0;
    std::vector<CapturedOperation> operations;
    std::int64_t firstBad = -1;  // index; -1: all are finite
    std::int64_t leftOut = 0;    // operations that were not captured
    std::string problem;
};

struct ProbeProblem {
    std::vector<std::string> sentences;
};
struct ProbeEnd {
    std::int64_t steps = 0, dropped = 0;
};

using ProbeMessage = std::variant<ProbeHello, TensorsDescribed, ProbeStep, ProbeStatistics, OperationsCaptured, ProbeProblem, ProbeEnd>;

}  // namespace mantissa
