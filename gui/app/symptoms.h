// SPDX-License-Identifier: GPL-3.0-or-later
// The symptoms of the guide's page "What is wrong with my training?", and the runs that show them. Pure functions of the session model; GUI
// thread only.
#pragma once

#include <QString>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// The symptoms, in the order of the guide's page.
enum class Symptom {
    LossIsNaN,
    LossDoesNotFall,
    StepsAreSkipped,
    ScaleIsStuck,
    NotFaster,
    MemoryIsLarge,
    ValidationDiffers,
    ResultsChange,
    CheckpointFails,
    GradientsAreClipped,
};
inline constexpr int kSymptoms = 10;

/// A symptom's title, the guide's section about it ("troubleshooting.md#loss-is-nan"), and the bundled experiment that shows it.
struct SymptomEntry {
    QString title, section, experiment;
};
SymptomEntry symptomEntry(Symptom symptom);

/// A run that shows a symptom.
struct SymptomSign {
    RunId run = -1;
    std::int64_t step = -1;  // to inspect; -1: no particular one
    QString words;           // "the loss is not finite since step 12"
    bool operator==(const SymptomSign&) const = default;
};
/// Returns the runs that show a symptom, in the order of the runs; what a lesson hides is left out.
std::vector<SymptomSign> signsOf(Symptom symptom, const SessionModel& session);

}  // namespace mantissa::gui
