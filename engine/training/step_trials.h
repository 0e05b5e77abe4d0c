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

/// The changes of a trial from the step as used.
struct TrialSetup {
    std::string policy;                   // empty: as used, with its overrides
    std::vector<std::string> fp32Places;  // layers, or kinds of operations, computed in FP32
    double scale = 1;
};

/// Returns "layers.2, layers.3 and 2 more".
std::string placesText(const std::vector<std::string>& places);

class StepTrials {
public:
    /// Both arguments must outlive the object. The trainer is left in an arbitrary state.
    StepTrials(Trainer& trainer, const StepStart& before) : m_trainer(trainer), m_before(before) {}

    Trainer& trainer() { return m_trainer; }
    /// The settings of the step as used.
    const TrainingSettings& settings() const { return m_before.state.settings; }
    double usedScale() const { return static_cast<double>(m_before.state.scaler.ofLoss()); }
    TrainingSettings settingsOf(const TrialSetup& setup) const;
    Text labelOf(const TrialSetup& setup) const;

    /// Restores the trainer to before the step, with other settings. Without a scale it results from the settings. Throws if the settings
    /// are refused.
    void setUp(const TrainingSettings& settings, std::optional<double> scale);

    /// Repeats the step. `wanted`: a tensor whose values are stored in `values`. If the settings are refused, the trial has the reason.
    Trial repeat(const TrialSetup& setup, const std::optional<TensorKey>& wanted = {});
    /// Repeats the step in FP32, with which later trials are compared.
    Trial repeatAsReference();
    const std::optional<std::vector<float>>& values() const { return m_values; }
    /// FP32's gradients of all parameters in order.
    const std::vector<float>& referenceGradients() const { return m_referenceGradients; }

    static void count(Trial& trial, const std::vector<float>& gradients);
    /// Compares the gradients with FP32's, if all are finite.
    void compare(Trial& trial, const std::vector<float>& gradients) const;

private:
    Trainer& m_trainer;
    const StepStart& m_before;
    std::vector<float> m_referenceGradients;
    std::optional<std::vector<float>> m_values;

    Trainer::Tried readWhileTrying(const TensorKey& wanted);
};

}  // namespace mantissa
