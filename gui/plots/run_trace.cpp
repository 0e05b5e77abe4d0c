// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/run_trace.h"

#include "gui/app/measures.h"
#include "gui/plots/ranges.h"

#include <cmath>
#include <limits>

namespace mantissa::gui {
namespace {

constexpr double kNegligible = 1e-12;  // of the sum: older values weigh less

}  // namespace

void RunningMean::add(const Series& series, std::int64_t end) {
    const std::size_t count = series.countBefore(end);
    const auto reach = static_cast<std::size_t>(m_factor > 0 ? std::log(kNegligible) / std::log(m_factor) : 0) + 1;
    for (std::size_t i = count > reach ? count - reach : 0; i < count; ++i)
        if (series.classAt(i) == ValueClass::Finite) add(series.valueAt(i));
}

double RunningMean::value() const {
    return m_weight > 0 ? m_mean : kNaN;
}

void Smoother::follow(const Series& source, const Series* before) {
    if (m_series.isEmpty()) {
        m_series.clear(source.firstStep());
        m_mean = before ? RunningMean(*before, source.firstStep(), m_factor) : RunningMean(m_factor);
    }
    for (std::size_t i = m_series.count(); i < source.count(); ++i) {
        const bool isFinite = source.classAt(i) == ValueClass::Finite;
        if (isFinite) m_mean.add(source.valueAt(i));
        m_series.appendAt(source.stepAt(i), isFinite ? m_mean.value() : kNaN);
    }
}

void Smoother::setFactor(double factor) {
    m_factor = factor;
    m_series.clear();
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

void RunTrace::setSmoothing(double factor) {
    loss.setFactor(factor);
    gradNorm.setFactor(factor);
    samplesPerSecond.setFactor(factor);
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
