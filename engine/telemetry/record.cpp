// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/record.h"

#include <limits>
#include <utility>

#include "engine/telemetry/number_format.h"

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

std::string speedText(const ProductRates& rates, double samplesPerSecond) {
    const double tflops = rates.tflops(samplesPerSecond);
    if (!(tflops > 0)) return {};
    constexpr int kDigits = 3;
    const auto share = [&](double of) { return numberText(100 * tflops / of, kDigits) + "\u202f% of the "; };
    std::string text;
    if (rates.tokensPerSample > 0)
        text = groupedText(std::llround(static_cast<double>(rates.tokensPerSample) * samplesPerSecond)) + " tokens/s, ";
    text += numberText(tflops, kDigits) + " TFLOP/s in " + rates.format + " products";
    std::string shares;
    if (rates.peak > 0) shares = share(rates.peak) + "peak of " + numberText(rates.peak, kDigits);
    if (rates.measuredPeak > 0)
        shares += (shares.empty() ? "" : ", ") + share(rates.measuredPeak) + numberText(rates.measuredPeak, kDigits) +
                  " that a large one reaches here";
    return shares.empty() ? text : text + ": " + shares;
}

std::string memoryFiguresText(const MemoryLedger& planned, bool isEmulated, std::int64_t allocated, std::int64_t deviceUsed) {
    const auto text = [](std::int64_t bytes) { return groupedText((bytes + 500) / 1000) + " kB"; };
    const std::string scratch = planned.scratch == 0 ? "" : ", plus " + text(planned.scratch) + " of scratch";
    return text(planned.withoutScratch()) + " planned" + scratch + (isEmulated && planned.scratch > 0 ? ", mostly for emulation" : "") +
           "; " + text(allocated) + " allocated with the data" + (deviceUsed < 0 ? "" : "; " + text(deviceUsed) + " in use on the device");
}

std::string_view metricName(Metric metric) {
    static constexpr std::string_view kNames[] = {"loss",      "val_loss", "val_accuracy", "loss_scale",    "skipped_total",
                                                  "grad_norm", "lr",       "step_ms",      "samples_per_s", "memory_bytes"};
    static_assert(std::size(kNames) == kMetricCount);
    return metric == Metric::Other ? std::string_view() : kNames[static_cast<std::size_t>(metric)];
}

double metricValue(const StepRecord& record, Metric metric) {
    static constexpr double StepRecord::*kValues[] = {&StepRecord::loss,
                                                      &StepRecord::validationLoss,
                                                      &StepRecord::validationAccuracy,
                                                      &StepRecord::lossScale,
                                                      nullptr,
                                                      &StepRecord::gradNorm,
                                                      &StepRecord::lr,
                                                      &StepRecord::stepMs,
                                                      &StepRecord::samplesPerSecond};
    static_assert(std::size(kValues) + 1 == kMetricCount);  // but for the memory
    if (metric == Metric::SkippedTotal) return static_cast<double>(record.skippedTotal);
    if (metric == Metric::MemoryBytes) return static_cast<double>(record.memoryBytes);
    const bool isOfValidation = metric == Metric::ValidationLoss || metric == Metric::ValidationAccuracy;
    if (metric == Metric::Other || (isOfValidation && !record.validated())) return std::numeric_limits<double>::quiet_NaN();
    return record.*kValues[static_cast<std::size_t>(metric)];
}

bool hasMetric(const StepRecord& record, Metric metric) {
    if (metric == Metric::ValidationLoss) return record.validated();
    if (metric == Metric::ValidationAccuracy) return record.hasAccuracy();
    if (record.samples >= 0 || !std::isnan(metricValue(record, metric))) return true;
    if (metric == Metric::Loss) return (record.flags & kFlagLossNonFinite) != 0;
    return metric == Metric::GradNorm && (record.flags & kFlagGradNormNonFinite) != 0;
}

std::string lossName(const std::vector<LayerLine>& layers) {
    const std::string operation = layers.empty() ? "" : layers.back().operation;
    return operation == "mean_squared_error" ? "mean squared error" : operation == "cross_entropy" ? "cross-entropy" : "";
}

}  // namespace mantissa
