// SPDX-License-Identifier: Apache-2.0
// The window at both usual sizes with the verdicts on planted faults: every text has its room. MANTISSA_FAULTS chooses the faults, as for
// the library's own tests; MANTISSA_PICTURES names a folder for a picture of each.
#include <gtest/gtest.h>

#include <QTest>
#include <cstdlib>
#include <fstream>

#include "gui/app/actions.h"
#include "gui/diagnosis/diagnose_page.h"
#include "tests/engine/session/faults/fault_library.h"
#include "tests/gui/support/window_walk.h"

namespace mantissa::gui {
namespace {

class VerdictsInTheWindow : public testing::Test {
protected:
    FaultLibrary library;
    const char* const pictures = std::getenv("MANTISSA_PICTURES");

    /// Trains to the end, and examines the step that the library names, else the first bad one, else the last.
    static void examine(LiveWindow& live, const Library& fault) {
        live.engine.send(Train{});
        const auto hasEnded = [&] { return live.session.state().state == LabState::Finished; };
        ASSERT_TRUE(QTest::qWaitFor(hasEnded, kPatienceMs));
        live.window->actionList().layoutDiagnose->trigger();
        auto* const page = live.window->findChild<DiagnosePage*>();
        ASSERT_NE(page, nullptr);
        const RunState& state = **live.session.runs().begin();
        const bool isGiven = fault.contains("step") && fault["step"].is_number();
        const std::int64_t step = isGiven                       ? fault["step"].get<std::int64_t>()
                                  : !state.examinations.empty() ? state.examinations.front().step
                                                                : state.stepCount() - 1;
        quint64 question = 0;
        bool isAnswered = false;
        QObject here;
        QObject::connect(&live.engine, &EngineClient::answered, &here, [&](quint64 id) { isAnswered = isAnswered || id == question; });
        question = live.engine.send(ExamineStep{state.id, step});
        page->choose(state.id, step);
        ASSERT_TRUE(QTest::qWaitFor([&] { return isAnswered; }, kPatienceMs));
        ASSERT_NE(page->examination(), nullptr);
    }

    void show(const Library& fault) {
        const std::string name = fault["name"];
        const std::string file = (library.folder / (name + ".json")).string();
        std::ofstream(file) << library.textOf(library.faultyOf(fault));
        LiveWindow live;
        live.make(QString::fromStdString(file));
        live.window->show();
        live.window->begin();
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused && live.session.runs().size() == 1; },
                                    kPatienceMs));
        examine(live, fault);
        for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
            live.window->resize(size);
            QTest::qWait(100);
            EXPECT_EQ(live.window->size(), size);
            (void)QTest::qWaitFor([&] { return cutTexts(live.window.get()).empty(); }, 10'000);  // a loaded machine lays out later
            for (const std::string& cut : cutTexts(live.window.get())) ADD_FAILURE() << size.width() << ": " << cut;
            if (pictures != nullptr)
                live.window->grab().save(
                    QStringLiteral("%1/%2-%3.png").arg(QLatin1String(pictures), QString::fromStdString(name)).arg(size.width()));
        }
    }
};

TEST_F(VerdictsInTheWindow, HaveRoomForTheirTexts) {
    std::size_t index = 0;
    for (const Library& fault : library.faults()) {
        if (!FaultLibrary::isWanted(fault["name"], index++, 30)) continue;
        SCOPED_TRACE(fault["name"].get<std::string>());
        show(fault);
    }
}

}  // namespace
}  // namespace mantissa::gui
