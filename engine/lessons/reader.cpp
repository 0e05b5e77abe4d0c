// SPDX-License-Identifier: Apache-2.0
// Parses a lesson's Markdown, line by line.
#include <algorithm>
#include <charconv>

#include "engine/experiment/fields.h"
#include "engine/lessons/actions.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostChoices = 6;
constexpr std::string_view kFence = "```";

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return "";
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// Joins lines to one Markdown text, without leading and trailing empty lines.
std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

/// "seeds" of "seeds: 1 2 3"; empty if the line does not start with a lower-case word and a colon.
std::string headerKey(std::string_view line) {
    const auto end = std::find_if(line.begin(), line.end(), [](char c) { return c < 'a' || c > 'z'; });
    return end == line.begin() || end == line.end() || *end != ':' ? "" : std::string(line.begin(), end);
}

struct Line {
    std::string text;
    int number = 0;  // from 1
};

class Reader {
public:
    Reader(std::string_view text, const std::string& source, std::filesystem::path folder) : m_folder(std::move(folder)) {
        m_lesson.source = source;
        m_lesson.name = std::filesystem::path(source).stem().string();
        int number = 0;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            std::string_view line = text.substr(begin, end - begin);
            if (line.ends_with('\r')) line.remove_suffix(1);
            m_lines.push_back({std::string(line), ++number});
            begin = end + 1;
        }
    }

    /// Reads only the texts of a translation.
    Lesson readWords() {
        m_isTranslation = true;
        readHead();
        while (m_at < m_lines.size()) readStep();
        return std::move(m_lesson);
    }

    Lesson read() {
        readHead();
        loadExperiment();
        while (m_at < m_lines.size()) readStep();
        if (m_lesson.steps.empty()) refuse(lastLine(), "a lesson has at least one step, which begins with '## ' and its title");
        return std::move(m_lesson);
    }

private:
    std::filesystem::path m_folder;
    Lesson m_lesson;
    std::vector<Line> m_lines;
    std::size_t m_at = 0;
    bool m_isTranslation = false;
    std::vector<RunSettings> m_begin, m_now;  // settings after a reset, and at this point of the lesson
    std::vector<std::string> m_runs;          // their names
    std::int64_t m_steps = 0, m_done = 0;     // of the experiment; trained at this point of the lesson
    int m_experimentLine = 0;

    std::string place(int line) const { return m_lesson.source + ":" + std::to_string(line); }
    [[noreturn]] void refuse(int line, const std::string& sentence) const { throw InputError(place(line), "", sentence); }
    int lastLine() const { return m_lines.empty() ? 1 : m_lines.back().number; }
    const Line& here() const { return m_lines[m_at]; }

    /// Returns a block's lines without fences, and moves past it.
    std::vector<Line> takeBlock() {
        const int fence = here().number;
        std::vector<Line> block;
        for (++m_at; m_at < m_lines.size(); ++m_at) {
            if (trimmed(here().text) == kFence) {
                ++m_at;
                return block;
            }
            block.push_back(here());
        }
        refuse(fence, "this block has no end: a line of ``` closes it");
    }

    // ---- Head ----

    void readHead() {
        while (m_at < m_lines.size() && trimmed(here().text).empty()) ++m_at;
        if (m_at == m_lines.size() || !here().text.starts_with("# ") || trimmed(here().text.substr(2)).empty())
            refuse(m_at == m_lines.size() ? 1 : here().number, "a lesson begins with '# ' and its title");
        m_lesson.title = trimmed(here().text.substr(2));
        std::vector<std::string> prose;
        for (++m_at; m_at < m_lines.size() && !here().text.starts_with("## ");) {
            if (here().text.starts_with(kFence)) {
                readHeadBlock();
            } else if (const std::string key = headerKey(here().text); !key.empty()) {
                if (m_isTranslation) refuse(here().number, "a translation has no line '" + key + ":', the lesson has it");
                readHeader(key, trimmed(here().text.substr(key.size() + 1)));
                ++m_at;
            } else {
                prose.push_back(here().text);
                ++m_at;
            }
        }
        m_lesson.summary = joined(prose);
        if (m_isTranslation) return;
        if (m_lesson.experimentName.empty())
            refuse(1, "no experiment: a line 'experiment: NAME' or a block ```experiment says what the lesson trains");
        if (m_lesson.seeds.empty()) m_lesson.seeds = {1};
    }

    void readHeadBlock() {
        const int fence = here().number;
        if (trimmed(here().text) != "```experiment") refuse(fence, "before the first step only a block ```experiment can stand");
        takeExperiment(fence, (m_folder / m_lesson.name).string());
        std::string text;
        for (const Line& line : takeBlock()) text += line.text + '\n';
        m_lesson.experimentText = std::move(text);
    }

    void takeExperiment(int line, std::string name) {
        if (!m_lesson.experimentName.empty()) refuse(line, "a lesson has one experiment");
        m_lesson.experimentName = std::move(name);
        m_experimentLine = line;
    }

    void readHeader(const std::string& key, const std::string& value) {
        const int line = here().number;
        if (value.empty()) refuse(line, key + ": has no value");
        if (key == "experiment") {
            takeExperiment(line, isBundledExperiment(value) ? value : (m_folder / value).string());
        } else if (key == "seeds") {
            for (const std::uint64_t seed : numbers(key, value)) m_lesson.seeds.push_back(seed);
        } else if (key == "minutes") {
            const auto minutes = numbers(key, value);
            if (minutes.size() != 1 || minutes[0] < 1 || minutes[0] > 600) refuse(line, "minutes: is one number, 1 to 600");
            m_lesson.minutes = static_cast<int>(minutes[0]);
        } else {
            refuse(line, "unknown header '" + key + "'" + didYouMean(key, {"experiment", "seeds", "minutes"}) +
                             ", only experiment, seeds and minutes");
        }
    }

    std::vector<std::uint64_t> numbers(const std::string& key, const std::string& text) const {
        std::vector<std::uint64_t> all;
        for (const char *at = text.data(), *end = at + text.size(); at != end;) {
            if (*at == ' ') {
                ++at;
                continue;
            }
            std::uint64_t number = 0;
            const auto [next, error] = std::from_chars(at, end, number);
            if (error != std::errc{} || (next != end && *next != ' ')) refuse(here().number, key + ": takes whole numbers: " + text);
            all.push_back(number);
            at = next;
        }
        return all;
    }

    void loadExperiment() {
        std::filesystem::path folder = m_folder;
        std::string source = place(m_experimentLine);
        try {
            if (m_lesson.experimentText.empty()) m_lesson.experimentText = loadExperimentText(m_lesson.experimentName, source, folder);
            const Experiment experiment = parseExperiment(m_lesson.experimentText, source, folder);
            m_begin = m_now = experiment.runs;
            for (const RunSettings& run : experiment.runs) m_runs.push_back(run.name);
            m_steps = experiment.steps();
        } catch (const InputError& error) {
            if (error.source() == place(m_experimentLine)) throw;
            refuse(m_experimentLine, error.what());
        }
    }

    // ---- Steps ----

    void readStep() {
        LessonStep step{.title = trimmed(here().text.substr(3)), .line = here().number};
        if (step.title.empty()) refuse(step.line, "a step has a title");
        std::vector<std::string> prose;
        LessonPart* part = &step.shown;
        for (++m_at; m_at < m_lines.size() && !here().text.starts_with("## ");) {
            const std::string fence = here().text.starts_with(kFence) ? trimmed(here().text.substr(kFence.size())) : "";
            const int line = here().number;
            if (m_isTranslation && (fence == "do" || fence == "claim" || fence == "experiment"))
                refuse(line, "a translation has no ```" + fence + ": what the runs do stands in the lesson itself");
            if (fence == "do") {
                for (const Line& each : takeBlock()) takeAction(*part, each);
            } else if (fence == "claim") {
                for (const Line& each : takeBlock()) takeClaim(*part, each);
            } else if (fence == "ask") {
                if (step.question) refuse(line, "a step asks one question");
                step.question = readQuestion(takeBlock(), line);
                step.shown.prose = joined(prose);
                prose.clear();
                part = &step.reveal;
            } else if (fence == "experiment") {
                refuse(line, "the experiment stands before the first step");
            } else if (here().text.starts_with(kFence)) {  // a code example
                const std::size_t first = m_at;
                (void)takeBlock();
                for (std::size_t i = first; i < m_at; ++i) prose.push_back(m_lines[i].text);
            } else {
                prose.push_back(here().text);
                ++m_at;
            }
        }
        part->prose = joined(prose);
        if (step.shown.prose.empty() && !step.question) refuse(step.line, "step '" + step.title + "' says nothing");
        if (step.question && step.reveal.prose.empty()) refuse(step.line, "nothing is said after the question of '" + step.title + "'");
        m_lesson.steps.push_back(std::move(step));
    }

    void takeClaim(LessonPart& part, const Line& line) {
        const std::string text = trimmed(line.text);
        if (!text.empty()) part.claims.emplace_back(text, place(line.number), m_runs);
    }

    void takeAction(LessonPart& part, const Line& line) {
        const std::string text = trimmed(line.text);
        if (text.empty()) return;
        part.actions.push_back(readAction(text, place(line.number), m_runs));
        rehearse(part.actions.back(), line.number);
    }

    /// Refuses actions that fail without training.
    void rehearse(const LessonAction& action, int line) {
        if (std::holds_alternative<LessonReset>(action)) {
            m_now = m_begin;
            m_done = 0;
        } else if (const auto* set = std::get_if<LessonSet>(&action)) {
            RunSettings& run = *std::find_if(m_now.begin(), m_now.end(), [&](const RunSettings& each) { return each.name == set->run; });
            try {
                run = withChange(run, set->pointer, set->value);
            } catch (const InputError& error) {
                refuse(line, error.what());
            }
        } else if (const auto* train = std::get_if<LessonTrain>(&action)) {
            if (train->until <= m_done)
                refuse(line, std::to_string(m_done) + " steps are done already: 'reset' goes back to the beginning");
            if (train->until > m_steps) refuse(line, "the experiment has " + std::to_string(m_steps) + " steps");
            m_done = train->until;
        } else if (const auto* measure = std::get_if<LessonMeasure>(&action)) {
            checkDone(measure->step, line);
        } else if (const auto* examine = std::get_if<LessonExamine>(&action)) {
            if (examine->step) checkDone(*examine->step, line);
        }
    }
    void checkDone(std::int64_t step, int line) const {
        if (step >= m_done) refuse(line, "step " + std::to_string(step) + " is not done here: " + std::to_string(m_done) + " steps are");
    }

    LessonQuestion readQuestion(const std::vector<Line>& block, int fence) const {
        LessonQuestion question;
        for (const Line& line : block) {
            const std::string text = trimmed(line.text);
            const bool isIndented = line.text.starts_with(' ') || line.text.starts_with('\t');
            if (line.text.starts_with("- ")) {
                LessonChoice& choice = question.choices.emplace_back();
                choice.text = trimmed(line.text.substr(2));
                choice.isRight = choice.text.ends_with(" *");
                if (choice.isRight) choice.text = trimmed(choice.text.substr(0, choice.text.size() - 1));
                if (choice.text.empty()) refuse(line.number, "an answer has a text");
            } else if (!question.choices.empty() && !text.empty()) {
                if (!isIndented) refuse(line.number, "after the answers, which begin with '- ', only what is indented can stand");
                std::string& why = question.choices.back().why;
                why += (why.empty() ? "" : " ") + text;
            } else if (question.choices.empty()) {
                question.text += text + '\n';
            }
        }
        question.text = trimmed(question.text);
        while (question.text.ends_with('\n')) question.text.pop_back();
        const auto right = std::count_if(question.choices.begin(), question.choices.end(), [](const auto& each) { return each.isRight; });
        if (question.text.empty()) refuse(fence, "the question is missing");
        if (question.choices.size() < 2 || question.choices.size() > kMostChoices)
            refuse(fence, "a question has 2 to " + std::to_string(kMostChoices) + " answers, a line each that begins with '- '");
        if (right != 1) refuse(fence, "one answer is right, and ends with ' *'; here it is " + std::to_string(right));
        return question;
    }
};

}  // namespace

void translateLesson(Lesson& lesson, std::string_view text, const std::string& source) {
    Lesson words = Reader(text, source, {}).readWords();
    const auto refuse = [&](int line, const std::string& sentence) { throw InputError(source + ":" + std::to_string(line), "", sentence); };
    if (words.steps.size() != lesson.steps.size())
        refuse(1, "has " + std::to_string(words.steps.size()) + " steps, the lesson has " + std::to_string(lesson.steps.size()));
    lesson.title = std::move(words.title);
    lesson.summary = std::move(words.summary);
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
        LessonStep &step = lesson.steps[i], &translated = words.steps[i];
        step.title = std::move(translated.title);
        step.shown.prose = std::move(translated.shown.prose);
        step.reveal.prose = std::move(translated.reveal.prose);
        const auto isSameQuestion = [](const LessonQuestion& a, const LessonQuestion& b) {
            return std::equal(a.choices.begin(), a.choices.end(), b.choices.begin(), b.choices.end(),
                              [](const LessonChoice& one, const LessonChoice& other) { return one.isRight == other.isRight; });
        };
        if (step.question.has_value() != translated.question.has_value() ||
            (step.question && !isSameQuestion(*step.question, *translated.question)))
            refuse(translated.line, "the answers of this step are not those of the lesson");
        step.question = std::move(translated.question);
    }
}

Lesson readLesson(std::string_view text, const std::string& source, const std::filesystem::path& folder) {
    return Reader(text, source, folder).read();
}

}  // namespace mantissa
