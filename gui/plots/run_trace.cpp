// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/run_trace.h"

#include <cmath>

#include "gui/app/measures.h"

namespace mantissa::gui {
namespace {

/// Adds the values of `series` before `end`, as far back as they count.
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

void RunTrace::follow() {
    const RunState* before = parent ? parent->run : nullptr;
    loss.follow(run->loss, before ? &before->loss : nullptr);
    gradNorm.follow(run->gradNorm, before ? &before->gradNorm : nullptr);
    samplesPerSecond.follow(run->samplesPerSecond, before ? &before->samplesPerSecond : nullptr);
    lossNonFinite.follow(run->loss);
    gradNormNonFinite.follow(run->gradNorm);
    validationNonFinite.follow(run->validationLoss);
}

void RunTrace::restart() {
    for (Smoother* smoother : {&loss, &gradNorm, &samplesPerSecond}) smoother->restart();
    lossNonFinite = gradNormNonFinite = validationNonFinite = {};
    m_columns.clear();
    follow();
}

std::size_t RunTrace::memoryBytes() const {
    std::size_t bytes = 0;
    for (const Smoother* smoother : {&loss, &gradNorm, &samplesPerSecond}) bytes += memoryOf(smoother->series());
    for (const NonFiniteSteps* steps : {&lossNonFinite, &gradNormNonFinite, &validationNonFinite})
        bytes += steps->count() * sizeof(std::int64_t);
    return bytes;
}

}  // namespace mantissa::gui
