// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_course.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/experiment/fields.h"

namespace mantissa {
namespace {

/// Returns the changes that are effective in steps `from` to `to`, of settings that affect updates.
std::vector<RunPast::Change> changesOfUpdates(const RunCourse& course, std::int64_t from, std::int64_t to) {
    const RunPoint& begin = course.history.begin();
    std::vector<AppliedChange> all;
    for (const ScheduledChange& scheduled : course.scheduled) {
        for (const auto& [pointer, value] : scheduled.set) all.push_back({scheduled.step, pointer, value});
    }
    all.insert(all.end(), course.history.changes().begin(), course.history.changes().end());
    std::stable_sort(all.begin(), all.end(), [](const AppliedChange& a, const AppliedChange& b) { return a.step < b.step; });
    RunSettings settings = begin.settings;
    std::vector<RunPast::Change> changes;
    for (const AppliedChange& change : all) {
        if (change.step < begin.step || change.step > to) continue;
        const RunSettings before = settings;
        try {
            settings = resolvedOn(*course.backend, withChange(settings, change.pointer, change.value));
        } catch (const std::exception&) {  // the run refused this change, too, or it is not a setting
            continue;
        }
        const Field* const field = fieldAt(change.pointer);
        const bool isOfUpdates = change.pointer.starts_with("/optimizer/") || change.pointer == "/clip_grad_norm" ||
                                 change.pointer == "/accumulate" || change.pointer == "/zero_grad";
        if (change.step < from || field == nullptr || !isOfUpdates || settings == before) continue;
        const std::optional<Json> value = field->write(before);
        changes.push_back({change.step, change.pointer, settingLabel(change.pointer), settingText(before, change.pointer),
                           settingText(settings, change.pointer), value ? value->dump() : "null"});
    }
    return changes;
}

/// Ratio of the largest of fifty consecutive gradient norms to their median: the median over the latest such rows. NaN: too few norms.
double spreadOfGradNorms(const PastSteps& pastSteps, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kRow = 50, kRows = 20, kLeast = 10;
    const auto medianOf = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    std::vector<double> spreads;
    for (std::int64_t end = last; end > first && std::ssize(spreads) < kRows; end -= kRow) {
        std::vector<double> norms;
        for (std::int64_t i = std::max(first, end - kRow); i < end; ++i)
            if (std::isfinite(pastSteps.at(i).gradNorm)) norms.push_back(pastSteps.at(i).gradNorm);
        if (std::ssize(norms) < kLeast) continue;
        const double largest = *std::max_element(norms.begin(), norms.end()), median = medianOf(norms);
        if (median > 0) spreads.push_back(largest / median);
    }
    return spreads.empty() ? std::nan("") : medianOf(spreads);
}

}  // namespace

RunSettings RunCourse::changed(const std::string& pointer, const Json& value) const {
    return resolvedOn(*backend, withChange(settings, pointer, value));
}

void RunCourse::requireData(const std::string& sum) const {
    if (!sum.empty() && sum != dataset->sum)
        throw std::runtime_error("the data in '" + settings.training.data.path + "' have changed since they were recorded");
}

/// Counts from recorded results, so that a run and its recording agree.
std::int64_t RunCourse::nonFiniteStepsInARowBefore(std::int64_t step) const {
    const std::int64_t end = std::min(step, pastSteps.end());
    std::int64_t first = end;
    while (pastSteps.has(first - 1)) {
        const PastStep& past = pastSteps.at(first - 1);
        if (std::isfinite(past.loss) && std::isfinite(past.gradNorm)) break;
        --first;
    }
    return end - first;
}

RunPast RunCourse::pastBefore(std::int64_t step) const {
    constexpr std::int64_t kSteps = 5000, kRow = 10, kHealthy = 50, kLeastHealthy = 10;
    const std::int64_t last = std::min(step, pastSteps.end());
    const std::int64_t first = std::min(last, std::max(pastSteps.keptFrom(), last - kSteps));
    const bool isWhole = first == 0;  // from the run's beginning
    const auto meanUntil = [&](std::int64_t end) {
        const std::int64_t begin = std::max(first, end - kRow);
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += pastSteps.at(i).loss;
        return sum / static_cast<double>(end - begin);
    };
    RunPast past;
    past.steps = last - pastSteps.firstStep();
    for (std::int64_t end = std::min(last, first + kRow); end > first && end <= last; ++end) {
        const double mean = meanUntil(end);
        if (!std::isfinite(mean) || mean >= (std::isnan(past.usualLoss) ? INFINITY : past.usualLoss)) continue;
        past.usualLoss = mean;
        past.usualUntil = end;
    }
    if (isWhole && last > 0 && pastSteps.firstLoss() < past.usualLoss) {  // the run has never learned
        past.usualLoss = pastSteps.firstLoss();
        past.usualUntil = 1;
    }
    const std::int64_t until = past.usualUntil;
    std::vector<double> norms;
    const std::int64_t healthy = std::clamp((until - first) / 2, kLeastHealthy, kHealthy);  // the first losses of a young run are higher
    for (std::int64_t i = std::max(first, until - healthy); i < until; ++i) {
        if (i + 1 - first >= std::min(kRow, until - first)) past.highestLoss = std::fmax(past.highestLoss, meanUntil(i + 1));
        if (std::isfinite(pastSteps.at(i).gradNorm)) norms.push_back(pastSteps.at(i).gradNorm);
    }
    if (!norms.empty()) {
        std::nth_element(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2), norms.end());
        past.usualGradNorm = norms[norms.size() / 2];
    }
    past.gradNormSpread = spreadOfGradNorms(pastSteps, first, last);
    for (std::int64_t end = last; end > std::max(first, until) && past.healthyUntil == 0; --end) {
        if (meanUntil(end) <= 1.1 * past.highestLoss) past.healthyUntil = end;
    }
    past.healthyUntil = std::max(past.healthyUntil, past.usualUntil);
    for (std::int64_t i = last; i-- > first && std::isnan(past.latestLoss);) {
        if (std::isfinite(pastSteps.at(i).loss)) past.latestLoss = pastSteps.at(i).loss;
    }
    if (last > 0 && pastSteps.firstStep() == 0) past.firstLoss = pastSteps.firstLoss();
    if (last - first >= kRow) past.latestMean = meanUntil(last);
    if (isWhole && last >= kRow) past.firstMean = meanUntil(kRow);
    past.changes = changesOfUpdates(*this, first, step);
    return past;
}

}  // namespace mantissa
