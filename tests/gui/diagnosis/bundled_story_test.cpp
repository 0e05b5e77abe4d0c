// SPDX-License-Identifier: Apache-2.0
// Of each planted fault the command line, a recording, the report and the window tell the same: of the run how it stands, and of the step
// its verdict, where it began and what would help. MANTISSA_FAULTS chooses the faults, as for the library's own tests.
#include <QLabel>
#include <QPushButton>
#include <set>

#include "engine/diagnosis/verdict.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/diagnosis/examination_text.h"
#include "tests/engine/cli/program.h"
#include "tests/engine/session/faults/fault_library.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

struct WindowsStory {
    Examination examination;
    Health health;
    std::optional<SilentMatter> found;  // by itself, while it trained
    std::string shown;                  // of the Diagnose page, a line a label or button
};

class SameStory : public ProgramTest {
protected:
    FaultLibrary library;

    Library jsonOf(const std::string& arguments, std::initializer_list<int> expected) {
        const mantissa::Outcome outcome = run(arguments);
        const bool isExpected = std::find(expected.begin(), expected.end(), outcome.exitCode) != expected.end();
        EXPECT_TRUE(isExpected) << arguments << ": " << outcome.exitCode << " " << outcome.err;
        return isExpected ? Library::parse(outcome.out) : Library();
    }

    static std::string shownBy(const QWidget& page) {
        QStringList texts;
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (label->isVisibleTo(&page)) texts << label->text();
        for (const QPushButton* button : page.findChildren<QPushButton*>())
            if (button->isVisibleTo(&page)) texts << button->accessibleName() << button->text();
        return texts.join(u'\n').toStdString();
    }

    /// Trains as far as the program did, and examines the step on demand.
    static void tellByWindow(const std::string& text, std::int64_t steps, std::int64_t step, WindowsStory& story) {
        LiveSession live;
        CapturedModel captured(&live.session, nullptr);
        Measurements measurements(&live.session, nullptr);
        DiagnosePage page(&live.session, &live.engine, &captured, &measurements, nullptr);
        page.resize(1200, 1600);
        live.engine.start(QStringLiteral("fault"), QString::fromStdString(text));
        const auto isPaused = [&] { return live.session.state().state == LabState::Paused && live.session.runs().size() == 1; };
        ASSERT_TRUE(QTest::qWaitFor(isPaused, kPatienceMs));
        live.engine.send(Train{});
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs));
        const RunState& state = **live.session.runs().begin();
        ASSERT_EQ(state.stepCount(), steps);
        story.health = healthOf(state);
        if (const Examination* found = state.silentFinding()) story.found = silentMatter(*found);
        std::set<quint64> answered;
        QObject::connect(&live.engine, &EngineClient::answered, &page, [&](quint64 id) { answered.insert(id); });
        const quint64 question = live.engine.send(ExamineStep{state.id, step});
        page.choose(state.id, step);
        ASSERT_TRUE(QTest::qWaitFor([&] { return answered.contains(question); }, kPatienceMs));
        ASSERT_NE(page.examination(), nullptr);
        story.examination = *page.examination();
        story.shown = shownBy(page);
    }

    static void expectToTell(const std::string& stateObserver, const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << stateObserver << " does not say: " << part << "\nbut:\n" << text;
    }

    void compare(const Library& fault) {
        const std::string text = library.textOf(library.faultyOf(fault));
        write("fault.json", text);
        const Library trained = jsonOf("train fault.json --record fault.mantissa --report report --json", {0, 4})["runs"][0];
        const bool isGiven = fault.contains("step") && fault["step"].is_number();
        const std::string at = isGiven ? " --run run --step " + fault["step"].dump() : "";
        const Library told = jsonOf("diagnose fault.json --json" + at, {0});
        const Library recorded = jsonOf("diagnose fault.mantissa --json" + at, {0});
        const std::string inText = run("diagnose fault.json" + at).out;
        if (told["run"].is_null()) return;

        for (const char* key : {"run", "step", "precision", "loss_scale", "skipped", "card", "verdict", "silent", "gauges"})
            EXPECT_EQ(told[key], recorded[key]) << key << " of the recording";
        ASSERT_EQ(told["remedies"].size(), recorded["remedies"].size());
        for (std::size_t i = 0; i < told["remedies"].size(); ++i) EXPECT_EQ(told["remedies"][i], recorded["remedies"][i]);

        const Library& verdict = told["verdict"];
        for (const char* part : {"kind", "headline", "explanation"}) expectToTell("the text", inText, verdict[part]);
        for (const Library& remedy : told["remedies"]) expectToTell("the text", inText, remedy["label"].get<std::string>() + ": ");

        WindowsStory window;
        tellByWindow(text, trained["steps"].get<std::int64_t>(), told["step"].get<std::int64_t>(), window);
        const Examination& e = window.examination;
        EXPECT_EQ(std::string(verdictName(e.verdict.kind)), verdict["kind"].get<std::string>());
        EXPECT_EQ(e.verdict.headline.english(), verdict["headline"].get<std::string>());
        EXPECT_EQ(e.verdict.explanation.english(), verdict["explanation"].get<std::string>());
        EXPECT_EQ(e.card.tensor, told["card"].is_null() ? "" : told["card"]["tensor"].get<std::string>());
        ASSERT_EQ(e.remedies.size(), told["remedies"].size());
        for (std::size_t i = 0; i < e.remedies.size(); ++i) {
            EXPECT_EQ(e.remedies[i].label.english(), told["remedies"][i]["label"].get<std::string>());
            EXPECT_EQ(e.remedies[i].helps, told["remedies"][i]["helps"]) << e.remedies[i].label.english();
        }
        expectToTell("the page", window.shown, verdict["headline"]);
        expectToTell("the page", window.shown, verdict["explanation"]);
        if (!e.card.tensor.empty()) expectToTell("the page", window.shown, tensorTitle(e.card.tensor).toStdString());

        const Library& health = trained["verdicts"]["health"];
        const std::string title = health["title"];
        // The window examines a run that makes no progress by itself, and is then headed by what it found.
        const bool isFound = window.found && window.health.verdict == Verdict::SilentFailure && !title.starts_with("Finite, but");
        EXPECT_EQ(window.health.title.english(), isFound ? window.found->title.english() : title);
        if (isFound) {
            const Library there = jsonOf("diagnose fault.json --json --run run --step " + std::to_string(window.found->step), {0});
            EXPECT_EQ(there["verdict"]["headline"], window.found->title.english() + ".") << "at step " << window.found->step;
        }
        // The shares of lost updates are of the latest look at tensors, which each front end takes when it likes.
        if (window.health.verdict != Verdict::SilentFailure) {
            EXPECT_EQ(window.health.sentence.english(), health["sentence"].get<std::string>());
        }
        expectToTell("the report", QString::fromStdString(read(folder / "report/index.html")).replace("&#39;", "'").toStdString(),
                     health["sentence"]);
    }
};

TEST_F(SameStory, IsToldOfEveryPlantedFault) {
    std::size_t index = 0;
    for (const Library& fault : library.faults()) {
        if (!FaultLibrary::isWanted(fault["name"], index++, 20)) continue;
        SCOPED_TRACE(fault["name"].get<std::string>());
        compare(fault);
        std::filesystem::remove_all(folder / "report");
        std::filesystem::remove(folder / "fault.mantissa");
    }
}

}  // namespace
}  // namespace mantissa::gui
