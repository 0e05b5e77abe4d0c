// SPDX-License-Identifier: Apache-2.0
#include "engine/lessons/lesson.h"

#include <algorithm>

namespace mantissa {

std::optional<std::int64_t> firstNonFiniteStep(const LessonFacts& facts, RunId run, std::int64_t end) {
    constexpr std::uint32_t kBad = kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;
    for (std::int64_t step = 0; step < std::min(end, facts.stepsOf(run)); ++step) {
        if ((facts.flags(run, step) & kBad) != 0) return step;
    }
    return std::nullopt;
}

const std::vector<LessonAction>& actionsAt(const Lesson& lesson, const LessonPlace& place) {
    const LessonStep& step = lesson.steps.at(place.step);
    return place.isRevealed ? step.reveal.actions : step.shown.actions;
}

std::vector<LessonAction> actionsTo(const Lesson& lesson, const LessonPlace& place) {
    std::vector<LessonAction> actions{LessonReset{}};
    const auto take = [&](const std::vector<LessonAction>& more) {
        for (const LessonAction& action : more) {
            if (std::holds_alternative<LessonReset>(action)) actions.clear();
            actions.push_back(action);
        }
    };
    for (std::size_t i = 0; i <= place.step; ++i) {
        take(lesson.steps.at(i).shown.actions);
        if (i < place.step || place.isRevealed) take(lesson.steps[i].reveal.actions);
    }
    return actions;
}

std::int64_t stepsDoneAt(const Lesson& lesson, const LessonPlace& place) {
    std::int64_t done = 0;
    for (const LessonAction& action : actionsTo(lesson, place)) {
        if (const auto* train = std::get_if<LessonTrain>(&action)) done = train->until;
    }
    return done;
}

std::string experimentWithSeed(const Lesson& lesson, std::uint64_t seed) {
    const std::filesystem::path folder =
        isBundledExperiment(lesson.experimentName) ? "" : std::filesystem::path(lesson.experimentName).parent_path();
    Experiment experiment = parseExperiment(lesson.experimentText, lesson.experimentName, folder);
    for (RunSettings& run : experiment.runs) {
        run.training.data.seed = seed;
        run.training.init.seed = seed;
    }
    return writeExperiment(experiment);
}

}  // namespace mantissa
