// SPDX-License-Identifier: Apache-2.0
#include "engine/session/command_kinds.h"

namespace mantissa {
namespace {

bool isPreview(const CommandBody& body) {
    const auto* const exported = std::get_if<ExportRuns>(&body);
    return exported && exported->isPreview;
}

}  // namespace

bool changesExperiment(const CommandBody& body) {
    return std::holds_alternative<LoadExperiment>(body) || std::holds_alternative<ChangeSetting>(body) ||
           std::holds_alternative<AddRun>(body) || std::holds_alternative<DuplicateRun>(body) || std::holds_alternative<RemoveRun>(body) ||
           std::holds_alternative<RenameRun>(body) || std::holds_alternative<ForkRun>(body) || std::holds_alternative<KeepRun>(body) ||
           std::holds_alternative<RewindRuns>(body) || std::holds_alternative<RestoreRun>(body) ||
           std::holds_alternative<ArrangeRuns>(body);
}

bool needsPresent(const CommandBody& body) {
    return std::holds_alternative<Train>(body) || std::holds_alternative<SingleStep>(body) ||
           std::holds_alternative<ResetExperiment>(body) || std::holds_alternative<WriteSnippet>(body) ||
           (std::holds_alternative<ExportRuns>(body) && !isPreview(body)) || std::holds_alternative<KeepCheckpoint>(body) ||
           (changesExperiment(body) && !std::holds_alternative<LoadExperiment>(body) && !std::holds_alternative<RewindRuns>(body) &&
            !std::holds_alternative<ArrangeRuns>(body));
}

bool isQuestion(const CommandBody& body) {
    return std::holds_alternative<ExamineStep>(body) || std::holds_alternative<MeasureThresholds>(body) ||
           std::holds_alternative<MeasureStep>(body) || std::holds_alternative<ReadElements>(body) ||
           std::holds_alternative<MeasureTimes>(body) || std::holds_alternative<CompareRuns>(body);
}

bool isKept(const CommandBody& body) {
    return !std::holds_alternative<SetInstrumentation>(body) && !std::holds_alternative<PreviewExperiment>(body) &&
           !std::holds_alternative<ListRecordings>(body) && !std::holds_alternative<WriteSnippet>(body) &&
           !std::holds_alternative<StopQuestion>(body) && !isQuestion(body) && !isPreview(body);
}

}  // namespace mantissa
