// SPDX-License-Identifier: GPL-3.0-or-later
// "What is wrong with my training?": the symptoms of the guide's page, and which of the present runs show them. Pure functions of what the
// lab knows; GUI thread only.
#pragma once

#include <QString>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// In the order of the guide's page.
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

/// What a symptom is called, the guide's section about it ("troubleshooting.md#loss-is-nan"), and the bundled experiment that shows it.
struct SymptomEntry {
    QString title, section, experiment;
};
SymptomEntry symptomEntry(Symptom symptom);

/// A run that shows a symptom.
struct SymptomSign {
    RunId run = -1;
    std::int64_t step = -1;  // to look at; -1: none in particular
    QString words;           // "the loss is not finite since step 12"
    bool operator==(const SymptomSign&) const = default;
};
/// In the order of the runs. What a lesson hides is left out.
std::vector<SymptomSign> signsOf(Symptom symptom, const Lab& lab);

}  // namespace mantissa::gui
