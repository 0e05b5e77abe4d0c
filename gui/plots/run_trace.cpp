// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/run_trace.h"

#include <cmath>

#include "gui/app/measures.h"

namespace mantissa::gui {
namespace {

/// Adds the values of `series` before `end`, as far back as they have weight.
void add(RunningMean& mean, const Smoothing& how, const Series& series, std::int64_t end) {
    const std::size_t count = series.countBefore(end), reach = mean.reach();
    for (std::size_t i = count > reach ? count - reach : 0; i < count; ++i) mean.add(toAxis(how.scale, series.exactAt(i), how.threshold));
}

RunningMean meanBefore(const Smoothing& how, const Series& series, const Series* before) {
    RunningMean mean(how.factor);
    if (before != nullptr) add(mean, how, *before, series.firstStep());
    return mean;
}

}  // namespace

double smoothedAt(const Smoothing& how, const Series& series, std::int64_t step, const Series* before) {
    RunningMean mean = meanBefore(how, series, before);
    add(mean, how, series, step + 1);
    return fromAxis(how.scale, mean.value(), how.threshold);
}

void Smoother::follow(const Series& source, const Series* before) {
    if (m_series.isEmpty()) {
        m_series.clear(source.firstStep());
        m_mean = meanBefore(m_how, source, before);
    }
    for (std::size_t i = m_series.count(); i < source.count(); ++i) {
        const double coordinate = toAxis(m_how.scale, source.exactAt(i), m_how.threshold);
        m_mean.add(coordinate);
        m_series.appendAt(source.stepAt(i), std::isfinite(coordinate) ? fromAxis(m_how.scale, m_mean.value(), m_how.threshold) : kNaN);
    }
}

void Smoother::setSmoothing(const Smoothing& how) {
    if (how == m_how) return;
    m_how = how;
    restart();
}

void NonFiniteSteps::follow(const Series& source) {
    for (; scanned < source.count(); ++scanned) {
        const ValueClass cls = source.classAt(scanned);
        if (cls == ValueClass::PositiveInf) positiveInf.push_back(source.stepAt(scanned));
        if (cls == ValueClass::NegativeInf) negativeInf.push_back(source.stepAt(scanned));
        if (cls == ValueClass::NaN) nan.push_back(source.stepAt(scanned));
    }
}

const Series& RunTrace::smoothed(std::string_view key) const {
    static const Series kNone;
    const auto it = m_smoothers.find(key);
    return it == m_smoothers.end() ? kNone : it->second.series();
}

const NonFiniteSteps& RunTrace::nonFinite(std::string_view key) const {
    static const NonFiniteSteps kNone;
    const auto it = m_nonFinite.find(key);
    return it == m_nonFinite.end() ? kNone : it->second;
}

const Series& RunTrace::raw(std::string_view key) const {
    static const Series kNone;
    const Series* series = run->series(key);
    return series ? *series : kNone;
}

void RunTrace::follow() {
    for (auto& [key, smoother] : m_smoothers)
        if (const Series* series = run->series(key)) smoother.follow(*series, parent ? parent->run->series(key) : nullptr);
    for (auto& [key, steps] : m_nonFinite)
        if (const Series* series = run->series(key)) steps.follow(*series);
}

void RunTrace::restart() {
    for (auto& [key, smoother] : m_smoothers) smoother.restart();
    for (auto& [key, steps] : m_nonFinite) steps = {};
    m_columns.clear();
    follow();
}

std::size_t RunTrace::memoryBytes() const {
    std::size_t bytes = 0;
    for (const auto& [key, smoother] : m_smoothers) bytes += memoryOf(smoother.series());
    for (const auto& [key, steps] : m_nonFinite) bytes += steps.count() * sizeof(std::int64_t);
    return bytes;
}

}  // namespace mantissa::gui
