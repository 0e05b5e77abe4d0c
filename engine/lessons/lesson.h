// SPDX-License-Identifier: Apache-2.0
// A lesson: steps that set the state of runs, ask for a prediction, reveal and explain. resources/guide/lessons.md describes its format.
// Plain values; any thread. Bad input throws InputError, whose source is "FILE:LINE".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/lessons/claim.h"

namespace mantissa {

// ---- Actions of a `do` block, one a line ----

/// `reset`: restores the experiment as in its file, before its first step, with every run visible.
struct LessonReset {};
/// `set "RUN" /pointer VALUE`: a live change, or a fault injected into the next step (/inject/...).
struct LessonSet {
    std::string run, pointer;
    Json value;
};
/// `show "RUN", "RUN"` and `hide ...`: affect only the view.
struct LessonShow {
    std::vector<std::string> runs;
    bool isShown = true;
};
/// `panels loss, loss scale`: the visible plots, of lessonPanels(). Affects only the view; valid until the next one.
struct LessonPanels {
    std::vector<std::string> panels;
};
/// `number 65519 in fp16`: the number inspector in place of the plots, with a value and a format's number line around it. Affects only the
/// view; valid until the next `panels` or `number`.
struct LessonNumber {
    float value = 0;
    Dtype format = Dtype::F16;
};
/// `train to 400`: trains steps 0 to 399.
struct LessonTrain {
    std::int64_t until = 0;
};
/// `measure "RUN" at 399`: tensor statistics of the whole step.
struct LessonMeasure {
    std::string run;
    std::int64_t step = 0;
};
/// `examine "RUN" at 60`, `examine "RUN" at first bad`: examines a step.
struct LessonExamine {
    std::string run;
    std::optional<std::int64_t> step;  // nothing: the first with non-finite loss or gradients
};
using LessonAction =
    std::variant<LessonReset, LessonSet, LessonShow, LessonPanels, LessonNumber, LessonTrain, LessonMeasure, LessonExamine>;

/// Valid names for `panels`: "loss", "loss scale", ..., "lost updates", "memory".
const std::vector<std::string>& lessonPanels();
/// The key of a panel's series: "loss_scale" (metricName, tensor_share::kAll); empty for "memory", which is not a plot.
std::string_view plottedBy(std::string_view panel);

// ---- The lesson ----

struct LessonChoice {
    std::string text;  // Markdown, one line
    std::string why;   // why it is right or wrong, shown with the reveal; may be empty
    bool isRight = false;
};
struct LessonQuestion {
    std::string text;                   // Markdown
    std::vector<LessonChoice> choices;  // two to six, one of them right
};
/// Content that is shown together: first the actions run, then prose and its claims appear.
struct LessonPart {
    std::string prose;  // Markdown, without the blocks
    std::vector<LessonAction> actions;
    std::vector<Claim> claims;
};
struct LessonStep {
    std::string title;
    int line = 0;  // of the title, from 1
    LessonPart shown;
    std::optional<LessonQuestion> question;  // nothing: no question, and nothing to reveal
    LessonPart reveal;
};
struct Lesson {
    std::string name;     // bundled name, or the file's name without .md
    std::string source;   // for errors: a path, or the bundled name
    std::string title;    // "Lost updates"
    std::string summary;  // text between the title and the header lines: a sentence or two
    int minutes = 5;
    std::vector<std::uint64_t> seeds;  // on which its claims are tested; the window uses the first
    std::string experimentName;        // for LoadExperiment: a bundled name, a path, or the lesson's own name
    std::string experimentText;        // the file's content
    std::vector<LessonStep> steps;
};

/// Parses a lesson. `source` names it in errors; a path after `experiment:` is relative to `folder`.
Lesson readLesson(std::string_view text, const std::string& source, const std::filesystem::path& folder = {});

/// Replaces a lesson's words by a translation: a text of the same form without header lines, `do` and `claim`. Throws InputError if its
/// steps or answers do not match the lesson's; both mark the right answer.
void translateLesson(Lesson& lesson, std::string_view text, const std::string& source);

/// Loads a bundled lesson by name, in a language of resources/lessons if available ("de"), otherwise a file: `./clip-order` is the file of
/// that name.
Lesson loadLesson(const std::string& nameOrPath, const std::string& language = {});

struct BundledLesson {
    std::string name, title, summary;
    int minutes = 0;
    std::size_t steps = 0;
};
/// The bundled lessons in the order of resources/lessons; title and summary in `language` if translated.
const std::vector<BundledLesson>& bundledLessons(const std::string& language = {});

// ---- A step's state ----

/// A place in a lesson. Its state results from all actions since the latest `reset`, or the lesson's beginning, in order. Training is
/// deterministic, so going back and returning gives identical results.
struct LessonPlace {
    std::size_t step = 0;
    bool isRevealed = false;
    bool operator==(const LessonPlace&) const = default;
};

/// The actions that lead to a place, beginning with a LessonReset.
std::vector<LessonAction> actionsTo(const Lesson& lesson, const LessonPlace& place);
/// The actions of the place alone, to reach it from the place before it.
const std::vector<LessonAction>& actionsAt(const Lesson& lesson, const LessonPlace& place);
/// The number of steps that the runs have done at a place.
std::int64_t stepsDoneAt(const Lesson& lesson, const LessonPlace& place);

/// The experiment's file with all data and init seeds replaced.
std::string experimentWithSeed(const Lesson& lesson, std::uint64_t seed);

/// The engine's command for an action; nothing for an action of the view. `facts` has the runs at the time of the action: a reset changes
/// ids. Each command must be answered before the next action's is sent; after a Train the session must be paused or finished. Throws
/// InputError if a run no longer exists, or no step is non-finite.
std::optional<CommandBody> commandFor(const LessonAction& action, const Lesson& lesson, std::uint64_t seed, const LessonFacts& facts);

}  // namespace mantissa
