// SPDX-License-Identifier: Apache-2.0
#include "engine/training/step_trials.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

namespace mantissa {

std::string placesText(const std::vector<std::string>& places) {
    constexpr std::size_t kNamed = 3;
    std::string text;
    const std::size_t named = places.size() <= kNamed ? places.size() : kNamed - 1;
    for (std::size_t i = 0; i < named; ++i) {
        const bool isLast = i > 0 && i + 1 == places.size();
        text += (i == 0 ? "" : isLast ? " and " : ", ") + places[i];
    }
    return named < places.size() ? text + " and " + std::to_string(places.size() - named) + " more" : text;
}

TrainingSettings StepTrials::settingsOf(const TrialSetup& setup) const {
    TrainingSettings changed = settings();
    if (!setup.policy.empty()) {
        changed.precision.policy = setup.policy;
        changed.precision.overrides.clear();
    }
    for (const std::string& place : setup.fp32Places) {
        std::erase_if(changed.precision.overrides, [&](const PrecisionOverride& each) { return each.place == place; });
        changed.precision.overrides.emplace_back(place, Dtype::F32);
    }
    return changed;
}

Text StepTrials::labelOf(const TrialSetup& setup) const {
    const std::string name = policyScreenName(setup.policy.empty() ? settings().precision.policy : setup.policy);
    const Text policy = setup.fp32Places.empty() ? Text::verbatim(name) : Text("%1, %2 in FP32"_text, name, placesText(setup.fp32Places));
    return setup.scale == 1 ? Text("%1, not scaled"_text, policy) : Text("%1 × %2"_text, policy, PowerOfTwo{setup.scale});
}

void StepTrials::setUp(const TrainingSettings& changed, std::optional<double> scale) {
    m_trainer.restore(m_before.state);
    if (changed != settings()) m_trainer.change(changed);
    if (scale) m_trainer.setLossScale(*scale);
    m_trainer.putFaults(m_before.faults);
}

Trial StepTrials::repeat(const TrialSetup& setup, const std::optional<TensorKey>& wanted) {
    Trial trial{.label = labelOf(setup), .policy = setup.policy.empty() ? settings().precision.policy : setup.policy, .scale = setup.scale};
    if (!setup.fp32Places.empty()) trial.overriddenLayer = placesText(setup.fp32Places);
    try {
        setUp(settingsOf(setup), setup.scale);
        const Trainer::Tried tried = wanted ? readWhileTrying(*wanted) : m_trainer.tryStep();
        trial.isForwardFinite = std::isfinite(tried.loss);
        trial.loss = tried.loss;
        count(trial, tried.gradients);
        if (m_referenceGradients.empty() && setup.policy == "fp32") m_referenceGradients = tried.gradients;
        compare(trial, tried.gradients);
    } catch (const std::bad_alloc&) {
        trial.failure = "there is not enough memory";
    } catch (const std::invalid_argument& error) {
        trial.failure = error.what();
    }
    return trial;
}

Trial StepTrials::repeatAsReference() {
    m_referenceGradients.clear();
    Trial trial = repeat({.policy = "fp32"});
    trial.isReference = true;
    return trial;
}

Trainer::Tried StepTrials::readWhileTrying(const TensorKey& wanted) {
    const Plan& plan = m_trainer.plan();
    MicroBatchCount microBatches;
    m_values.reset();
    const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t at, int buffer, const ElementClasses&) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(at)];
        microBatches.take(at);
        if (m_values || instruction.layer != wanted.layer || instruction.name != wanted.operation) return;
        if (microBatches.current(plan) > 0 && microBatches.current(plan) < wanted.microBatch) return;
        if (plan.buffers[static_cast<std::size_t>(buffer)].name == wanted.tensor) m_values = executor.values(queue, buffer);
    }};
    return m_trainer.tryStep(&observer);
}

void StepTrials::count(Trial& trial, const std::vector<float>& gradients) {
    trial.nonFinite = std::count_if(gradients.begin(), gradients.end(), [](float g) { return !std::isfinite(g); });
}

void StepTrials::compare(Trial& trial, const std::vector<float>& gradients) const {
    if (!trial.isFinite() || gradients.size() != m_referenceGradients.size()) return;
    double distance = 0, length = 0;
    std::int64_t flushed = 0, nonZero = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        const auto g = static_cast<double>(gradients[i]), wide = static_cast<double>(m_referenceGradients[i]);
        distance += (g - wide) * (g - wide);
        length += wide * wide;
        nonZero += wide != 0 ? 1 : 0;
        flushed += wide != 0 && g == 0 ? 1 : 0;
    }
    trial.difference = length > 0 ? std::sqrt(distance / length) : NAN;
    trial.flushedShare = nonZero > 0 ? static_cast<double>(flushed) / static_cast<double>(nonZero) : NAN;
}

}  // namespace mantissa
