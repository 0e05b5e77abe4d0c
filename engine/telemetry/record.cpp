// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/record.h"

#include <limits>
#include <utility>

namespace mantissa {

std::string flagsText(std::uint32_t flags) {
    static constexpr std::pair<StepFlag, const char*> kNames[] = {
        {kFlagSkipped, "skipped"},
        {kFlagFoundInf, "found_inf"},
        {kFlagLossNonFinite, "loss_nonfinite"},
        {kFlagGradNormNonFinite, "grad_norm_nonfinite"},
        {kFlagScaleGrew, "scale_grew"},
        {kFlagScaleBackedOff, "scale_backed_off"},
        {kFlagSettingChanged, "setting_changed"},
        {kFlagValidated, "validated"},
        {kFlagSwitchedPlan, "switched_plan"},
    };
    std::string text;
    for (const auto& [flag, name] : kNames) {
        if ((flags & flag) == 0) continue;
        if (!text.empty()) text += '|';
        text += name;
    }
    return text;
}

double metricValue(const StepRecord& record, Metric metric) {
    constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
    switch (metric) {
        case Metric::Loss:
            return record.loss;
        case Metric::ValidationLoss:
            return record.validated() ? record.validationLoss : kAbsent;
        case Metric::ValidationAccuracy:
            return record.validated() ? record.validationAccuracy : kAbsent;
        case Metric::LossScale:
            return record.lossScale;
        case Metric::SkippedTotal:
            return static_cast<double>(record.skippedTotal);
        case Metric::GradNorm:
            return record.gradNorm;
        case Metric::LearningRate:
            return record.lr;
        case Metric::StepMs:
            return record.stepMs;
        case Metric::SamplesPerSecond:
            return record.samplesPerSecond;
        case Metric::MemoryBytes:
            return static_cast<double>(record.memoryBytes);
    }
    return kAbsent;
}

std::string lossName(const std::vector<LayerLine>& layers) {
    return !layers.empty() && layers.back().operation == "mean_squared_error" ? "mean squared error" : "cross-entropy";
}

}  // namespace mantissa
