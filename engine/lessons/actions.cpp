// SPDX-License-Identifier: Apache-2.0
// Actions: parsing from a line of text, and conversion to the engine's commands.
#include "engine/lessons/actions.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/diagnosis/given_number.h"
#include "engine/diagnosis/tensor_shares.h"
#include "engine/experiment/fields.h"

namespace mantissa {
namespace {

bool isSpace(char c) {
    return c == ' ' || c == '\t';
}

/// A line of a `do` block, read from left to right.
class ActionLine {
public:
    ActionLine(std::string_view line, const std::string& place, const std::vector<std::string>& runs)
        : m_rest(line), m_place(place), m_runs(runs) {}

    [[noreturn]] void refuse(const std::string& sentence) const { throw InputError(m_place, "", sentence); }

    /// The text up to the next space; empty at the end.
    std::string word() {
        skipSpaces();
        const auto end = std::find_if(m_rest.begin(), m_rest.end(), isSpace);
        const std::string taken(m_rest.begin(), end);
        m_rest.remove_prefix(taken.size());
        return taken;
    }
    std::string rest() {
        skipSpaces();
        while (!m_rest.empty() && isSpace(m_rest.back())) m_rest.remove_suffix(1);
        return std::string(std::exchange(m_rest, {}));
    }
    void expectWord(const std::string& expected, const std::string& usage) {
        if (word() != expected) refuse(usage);
    }
    void expectEnd(const std::string& usage) {
        if (!rest().empty()) refuse(usage);
    }
    /// The name of a run of the experiment, in quotes, such as "fp16 at 2^16".
    std::string run(const std::string& usage) {
        skipSpaces();
        const std::size_t end = m_rest.empty() || m_rest.front() != '"' ? std::string_view::npos : m_rest.find('"', 1);
        if (end == std::string_view::npos) refuse(usage);
        const std::string name(m_rest.substr(1, end - 1));
        m_rest.remove_prefix(end + 1);
        if (std::find(m_runs.begin(), m_runs.end(), name) == m_runs.end())
            refuse("the experiment has no run \"" + name + "\"" + didYouMean(name, m_runs));
        return name;
    }
    bool takeComma() {
        skipSpaces();
        if (m_rest.empty() || m_rest.front() != ',') return false;
        m_rest.remove_prefix(1);
        return true;
    }
    std::int64_t step(const std::string& usage) {
        const std::string text = word();
        std::int64_t value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value < 0) refuse(usage);
        return value;
    }

private:
    std::string_view m_rest;
    const std::string& m_place;
    const std::vector<std::string>& m_runs;

    void skipSpaces() {
        while (!m_rest.empty() && isSpace(m_rest.front())) m_rest.remove_prefix(1);
    }
};

LessonAction readReset(ActionLine& line) {
    line.expectEnd("'reset' stands alone");
    return LessonReset{};
}

LessonAction readSet(ActionLine& line) {
    const std::string usage = "it goes: set \"RUN\" /optimizer/lr 0.003";
    LessonSet action{.run = line.run(usage), .pointer = line.word(), .value = {}};
    const std::string text = line.rest();
    if (!action.pointer.starts_with('/') || text.empty()) line.refuse(usage);
    Json value = Json::parse(text, nullptr, false);
    action.value = value.is_discarded() ? Json(text) : std::move(value);  // words need no quotes
    return action;
}

LessonAction readShow(ActionLine& line, bool isShown) {
    const std::string usage = std::string("it goes: ") + (isShown ? "show" : "hide") + " \"RUN\", \"RUN\"";
    LessonShow action{.runs = {}, .isShown = isShown};
    do action.runs.push_back(line.run(usage));
    while (line.takeComma());
    line.expectEnd(usage);
    return action;
}

/// Each panel's name and its series.
constexpr std::pair<std::string_view, std::string_view> kPanels[] = {
    {"loss", "loss"},
    {"loss scale", "loss_scale"},
    {"skipped steps", "skipped_total"},
    {"gradient norm", "grad_norm"},
    {"throughput", "samples_per_s"},
    {"validation accuracy", "val_accuracy"},
    {"learning rate", "lr"},
    {"zero gradients", tensor_share::kZeroGradients},
    {"subnormal gradients", tensor_share::kSubnormalGradients},
    {"non-finite values", tensor_share::kNonFiniteValues},
    {"lost updates", tensor_share::kLostUpdates},
    {"unchanged weights", tensor_share::kUnchangedWeights},
    {"memory", ""},
};

LessonAction readPanels(ActionLine& line) {
    const std::vector<std::string>& known = lessonPanels();
    LessonPanels action;
    const std::string text = line.rest();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        std::string name = text.substr(begin, comma - begin);
        name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
        name.erase(name.find_last_not_of(" \t") + 1);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::string all;
            for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
            line.refuse("there is no panel '" + name + "'" + didYouMean(name, known) + ", only " + all);
        }
        action.panels.push_back(std::move(name));
        begin = comma + 1;
    }
    return action;
}

LessonAction readShownNumber(ActionLine& line) {
    const std::string usage = "it goes: number 65519 in fp16";
    const std::string value = line.word();
    line.expectWord("in", usage);
    const auto format = dtypeFromName(line.word());
    if (!format) line.refuse(usage);
    line.expectEnd(usage);
    const auto typed = readNumber(value, *format);
    if (!typed) line.refuse("'" + value + "' is no number");
    return LessonNumber{typed->number.value, *format};
}

LessonAction readTrain(ActionLine& line) {
    const std::string usage = "it goes: train to 400";
    line.expectWord("to", usage);
    const LessonTrain action{line.step(usage)};
    if (action.until == 0) line.refuse("before step 0 nothing is trained: 'reset' goes there");
    line.expectEnd(usage);
    return action;
}

LessonAction readMeasure(ActionLine& line) {
    const std::string usage = "it goes: measure \"RUN\" at 399";
    LessonMeasure action{.run = line.run(usage)};
    line.expectWord("at", usage);
    action.step = line.step(usage);
    line.expectEnd(usage);
    return action;
}

LessonAction readExamine(ActionLine& line) {
    const std::string usage = "it goes: examine \"RUN\" at 60, or examine \"RUN\" at first bad";
    LessonExamine action{.run = line.run(usage), .step = {}};
    line.expectWord("at", usage);
    ActionLine ahead = line;
    if (ahead.word() == "first") {
        line.word();
        line.expectWord("bad", usage);
    } else {
        action.step = line.step(usage);
    }
    line.expectEnd(usage);
    return action;
}

RunId idOf(const std::string& run, const LessonFacts& facts) {
    const auto id = facts.idOf(run);
    if (!id) throw InputError("", "", "there is no run \"" + run + "\" now");
    return *id;
}

std::int64_t examinedStep(const LessonExamine& action, RunId run, const LessonFacts& facts) {
    if (action.step) return *action.step;
    const auto bad = firstNonFiniteStep(facts, run, facts.stepsOf(run));
    if (!bad) throw InputError("", "", "no step of \"" + action.run + "\" is bad: its losses and gradients are all finite");
    return *bad;
}

}  // namespace

const std::vector<std::string>& lessonPanels() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const auto& [name, key] : kPanels) names.emplace_back(name);
        return names;
    }();
    return kNames;
}

std::string_view plottedBy(std::string_view panel) {
    for (const auto& [name, key] : kPanels) {
        if (name == panel) return key;
    }
    return {};
}

LessonAction readAction(std::string_view text, const std::string& place, const std::vector<std::string>& runs) {
    ActionLine line(text, place, runs);
    const std::string verb = line.word();
    if (verb == "reset") return readReset(line);
    if (verb == "set") return readSet(line);
    if (verb == "show" || verb == "hide") return readShow(line, verb == "show");
    if (verb == "panels") return readPanels(line);
    if (verb == "number") return readShownNumber(line);
    if (verb == "train") return readTrain(line);
    if (verb == "measure") return readMeasure(line);
    if (verb == "examine") return readExamine(line);
    line.refuse("'" + verb + "' is no action" +
                didYouMean(verb, {"reset", "set", "show", "hide", "panels", "number", "train", "measure", "examine"}) +
                ", only reset, set, show, hide, panels, number, train, measure and examine");
}

std::optional<CommandBody> commandFor(const LessonAction& action, const Lesson& lesson, std::uint64_t seed, const LessonFacts& facts) {
    if (std::holds_alternative<LessonReset>(action)) return LoadExperiment{lesson.experimentName, experimentWithSeed(lesson, seed)};
    if (const auto* set = std::get_if<LessonSet>(&action)) return ChangeSetting{idOf(set->run, facts), set->pointer, set->value};
    if (const auto* train = std::get_if<LessonTrain>(&action)) return Train{train->until};
    if (const auto* measure = std::get_if<LessonMeasure>(&action)) return MeasureStep{idOf(measure->run, facts), measure->step};
    if (const auto* examine = std::get_if<LessonExamine>(&action)) {
        const RunId run = idOf(examine->run, facts);
        return ExamineStep{run, examinedStep(*examine, run, facts)};
    }
    return std::nullopt;
}

}  // namespace mantissa
