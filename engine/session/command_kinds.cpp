// SPDX-License-Identifier: Apache-2.0
#include "engine/session/command_kinds.h"

namespace mantissa {
namespace {

template <class... Types>
bool isOneOf(const CommandBody& body) {
    return (std::holds_alternative<Types>(body) || ...);
}

bool isPreview(const CommandBody& body) {
    const auto* const exported = std::get_if<ExportRuns>(&body);
    return exported && exported->isPreview;
}

}  // namespace

bool changesExperiment(const CommandBody& body) {
    return isOneOf<LoadExperiment, ChangeSetting, AddRun, DuplicateRun, RemoveRun, RenameRun, ForkRun, KeepRun, RewindRuns, RestoreRun,
                   ArrangeRuns>(body);
}

bool needsPresent(const CommandBody& body) {
    return isOneOf<Train, SingleStep, ResetExperiment, WriteSnippet, KeepCheckpoint>(body) ||
           (std::holds_alternative<ExportRuns>(body) && !isPreview(body)) ||
           (changesExperiment(body) && !isOneOf<LoadExperiment, RewindRuns, ArrangeRuns>(body));
}

bool isQuestion(const CommandBody& body) {
    return isOneOf<ExamineStep, MeasureThresholds, MeasureStep, ReadElements, MeasureTimes, CompareRuns>(body);
}

bool isKept(const CommandBody& body) {
    return !isOneOf<SetInstrumentation, PreviewExperiment, ListRecordings, WriteSnippet, StopQuestion>(body) && !isQuestion(body) &&
           !isPreview(body);
}

}  // namespace mantissa
