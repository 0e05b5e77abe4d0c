// SPDX-License-Identifier: Apache-2.0
// Repeats one step at other loss scales and in other formats, and compares its gradients with FP32's. Nothing is committed. One thread at a
// time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/training/provenance.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// What a trial changes of the step as it was used.
struct TrialSetup {
    std::string policy;                   // empty: as used, with its overrides
    std::vector<std::string> fp32Places;  // layers, or kinds of operations, that are computed in FP32
    double scale = 1;
};

/// "layers.2, layers.3 and 2 more"
std::string placesText(const std::vector<std::string>& places);

class StepTrials {
public:
    /// Both must outlive it. The trainer is left in any state.
    StepTrials(Trainer& trainer, const StepStart& before) : m_trainer(trainer), m_before(before) {}

    Trainer& trainer() { return m_trainer; }
    /// Of the step as it was used.
    const TrainingSettings& settings() const { return m_before.state.settings; }
    double usedScale() const { return static_cast<double>(m_before.state.scaler.ofLoss()); }
    TrainingSettings settingsOf(const TrialSetup& setup) const;
    Text labelOf(const TrialSetup& setup) const;

    /// Puts the trainer before the step, with other settings. Without a scale: the one that these settings result in. Throws what refuses
    /// the settings.
    void setUp(const TrainingSettings& settings, std::optional<double> scale);

    /// `wanted`: a tensor whose values are kept in `values`. What refuses the settings stands in the trial.
    Trial repeat(const TrialSetup& setup, const std::optional<TensorKey>& wanted = {});
    /// FP32 is what later trials are compared with.
    Trial repeatAsReference();
    const std::optional<std::vector<float>>& values() const { return m_values; }
    /// Of all parameters, one after another.
    const std::vector<float>& referenceGradients() const { return m_referenceGradients; }

    static void count(Trial& trial, const std::vector<float>& gradients);
    /// How the gradients compare with FP32's; only where all are finite.
    void compare(Trial& trial, const std::vector<float>& gradients) const;

private:
    Trainer& m_trainer;
    const StepStart& m_before;
    std::vector<float> m_referenceGradients;
    std::optional<std::vector<float>> m_values;

    Trainer::Tried readWhileTrying(const TensorKey& wanted);
};

}  // namespace mantissa
