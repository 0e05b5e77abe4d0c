// SPDX-License-Identifier: Apache-2.0
// A lesson: steps that bring runs into a state, ask for a prediction, reveal and explain. resources/guide/lessons.md is its format.
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

// ---- What a `do` block asks for, a line each ----

/// `reset`: the experiment as its file has it, before its first step; every run is shown.
struct LessonReset {};
/// `set "RUN" /pointer VALUE`: a live change, or a fault put into the next step (/inject/...).
struct LessonSet {
    std::string run, pointer;
    Json value;
};
/// `show "RUN", "RUN"` and `hide ...`: of the view alone.
struct LessonShow {
    std::vector<std::string> runs;
    bool isShown = true;
};
/// `panels loss, loss scale`: the plots to look at, of lessonPanels(). Of the view alone; holds until the next one.
struct LessonPanels {
    std::vector<std::string> panels;
};
/// `train to 400`: steps 0 to 399 are done then.
struct LessonTrain {
    std::int64_t until = 0;
};
/// `measure "RUN" at 399`: the step's tensors in full.
struct LessonMeasure {
    std::string run;
    std::int64_t step = 0;
};
/// `examine "RUN" at 60`, `examine "RUN" at first bad`: a closer look at a step.
struct LessonExamine {
    std::string run;
    std::optional<std::int64_t> step;  // nothing: the first whose loss or gradients are not finite
};
using LessonAction = std::variant<LessonReset, LessonSet, LessonShow, LessonPanels, LessonTrain, LessonMeasure, LessonExamine>;

/// The names that `panels` knows: "loss", "loss scale", ..., "lost updates", "memory".
const std::vector<std::string>& lessonPanels();
/// The key of the series that a panel of that name plots: "loss_scale" (metricName, tensor_share::kAll); empty for "memory", which is no
/// plot.
std::string_view plottedBy(std::string_view panel);

// ---- The lesson ----

struct LessonChoice {
    std::string text;  // Markdown, one line
    std::string why;   // what is right or wrong about it, shown with the reveal; may be empty
    bool isRight = false;
};
struct LessonQuestion {
    std::string text;                   // Markdown
    std::vector<LessonChoice> choices;  // two to six, one of them right
};
/// What is shown at one time: first the actions, then the prose, and the claims that it makes.
struct LessonPart {
    std::string prose;  // Markdown, without the blocks
    std::vector<LessonAction> actions;
    std::vector<Claim> claims;
};
struct LessonStep {
    std::string title;
    int line = 0;  // of the title, from 1
    LessonPart shown;
    std::optional<LessonQuestion> question;  // nothing: there is nothing to reveal
    LessonPart reveal;
};
struct Lesson {
    std::string name;     // bundled name, or the file's without .md
    std::string source;   // for errors: a path, or the bundled name
    std::string title;    // "LostUpdates updates"
    std::string summary;  // what stands between the title and the header lines: a sentence or two
    int minutes = 5;
    std::vector<std::uint64_t> seeds;  // that its claims are tested on; the window plays the first
    std::string experimentName;        // for LoadExperiment: a bundled name, a path, or the lesson's own name
    std::string experimentText;        // the file's content
    std::vector<LessonStep> steps;
};

/// Reads a lesson's text. `source` names it in errors; a path after `experiment:` begins at `folder`.
Lesson readLesson(std::string_view text, const std::string& source, const std::filesystem::path& folder = {});

/// Gives a lesson the words of a translation: a text of the same form without header lines, `do` and `claim`. Throws InputError where its
/// steps or answers are not those of the lesson; which answer is right is marked in both.
void translateLesson(Lesson& lesson, std::string_view text, const std::string& source);

/// A bundled lesson by name, in a language of resources/lessons where there is one ("de"), or else a file: `./clip-order` is the file of
/// that name.
Lesson loadLesson(const std::string& nameOrPath, const std::string& language = {});

struct BundledLesson {
    std::string name, title, summary;
    int minutes = 0;
    std::size_t steps = 0;
};
/// In the order of resources/lessons, with title and summary in `language` where it has a translation.
const std::vector<BundledLesson>& bundledLessons(const std::string& language = {});

// ---- A step's state ----

/// A lesson can be entered at any place: the state there is made by what stands between the latest `reset` and it (the lesson's beginning
/// is one), in order. Training is deterministic, so going back and coming again gives the same numbers to the last bit.
struct LessonPlace {
    std::size_t step = 0;
    bool isRevealed = false;
    bool operator==(const LessonPlace&) const = default;
};

/// The actions that lead to a place, beginning with a LessonReset.
std::vector<LessonAction> actionsTo(const Lesson& lesson, const LessonPlace& place);
/// Those of the place alone: what has to be done when one comes from the place before it.
const std::vector<LessonAction>& actionsAt(const Lesson& lesson, const LessonPlace& place);
/// How many steps the runs have done at a place.
std::int64_t stepsDoneAt(const Lesson& lesson, const LessonPlace& place);

/// The experiment's file with every data and init seed replaced.
std::string experimentWithSeed(const Lesson& lesson, std::uint64_t seed);

/// The engine's part of an action; nothing where it is one of the view. `facts` knows the runs as they are when the action's turn has come:
/// ids change with a reset. Each command is to be answered before the next action's are sent, and after a Train the session has to be
/// paused or finished. Throws InputError where a run is not there any more, or no step is bad.
std::optional<CommandBody> commandFor(const LessonAction& action, const Lesson& lesson, std::uint64_t seed, const LessonFacts& facts);

}  // namespace mantissa
