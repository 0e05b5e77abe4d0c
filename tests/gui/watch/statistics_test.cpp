// SPDX-License-Identifier: Apache-2.0
// Statistics of a large watched model, from the event to the pixels.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <algorithm>
#include <iostream>
#include <optional>

#include "engine/attach/watched_tensors.h"
#include "engine/wire/wire.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/diagnosis/instruments.h"
#include "gui/diagnosis/layer_plots.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

constexpr int kLayers = 200, kCells = 64;

TensorStats tensor(const std::string& layer, const std::string& name, TensorRole role, std::int64_t step) {
    TensorStats counted;
    counted.tensor = name;
    counted.layer = layer;
    counted.role = role;
    for (int i = 0; i < kCells; ++i)
        counted.magnitudes.cells.push_back(
            {static_cast<std::int32_t>(600 + 2 * i), static_cast<std::uint32_t>(1 + (i * 7919 + step) % 30000)});
    counted.classes.positive = counted.elements = counted.magnitudes.total();
    counted.classes.absMax = 100;
    counted.phase = phaseOf(role);
    return counted;
}

/// 1,000 tensors: of each layer its output, its gradient, its weight, the weight's gradient and update.
StepStats largeStep(std::int64_t step) {
    StepStats stats{.step = step};
    for (int i = 0; i < kLayers; ++i) {
        const std::string layer = "transformer.h." + std::to_string(i) + ".mlp.c_fc";
        stats.tensors.push_back(tensor(layer, layer + ".output", TensorRole::Value, step));
        stats.tensors.push_back(tensor(layer, layer + ".output.grad", TensorRole::Gradient, step));
        stats.tensors.push_back(tensor(layer, layer + ".weight", TensorRole::Weight, step));
        stats.tensors.push_back(tensor(layer, layer + ".weight.grad", TensorRole::WeightGradient, step));
        stats.tensors.push_back(tensor(layer, layer + ".weight.update", TensorRole::Update, step));
    }
    return stats;
}

/// Takes the time until the end of the window's first frame in which a part of it is drawn. (QTest::qWaitFor looks every 10 ms.)
class Painted : public QObject {
public:
    Painted(QWidget* window, QWidget* part) : m_window(window) {
        window->installEventFilter(this);
        part->installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        m_isPartDrawn |= event->type() == QEvent::Paint && watched != m_window;
        if (watched != m_window || event->type() != QEvent::UpdateRequest) return false;
        m_isPartDrawn = false;
        m_window->removeEventFilter(this);
        QCoreApplication::sendEvent(watched, event);  // all of the frame
        m_window->installEventFilter(this);
        if (m_isPartDrawn && !ms) ms = static_cast<double>(m_since.nsecsElapsed()) / 1e6;
        return true;
    }
    void start() {
        ms = {};
        m_since.start();
    }
    std::optional<double> ms;

private:
    QWidget* m_window;
    QElapsedTimer m_since;
    bool m_isPartDrawn = false;
};

TEST(WatchStatistics, AThousandTensorsAreUnderAMegabyteAndShown) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->actionList().layoutDiagnose->trigger();
    const RunId run = live.session.runs()[0]->id;
    live.session.select(run);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.window->findChild<DiagnosePage*>()->isVisible(); }, kPatienceMs));
    EXPECT_LT(encode(Event{TensorsMeasured{run, largeStep(0), 0, false}}).size(), 1u << 20);
    auto* strip = live.window->findChild<Instruments*>()->findChild<PrecisionStrip*>();
    ASSERT_NE(strip, nullptr);
    live.session.handle(TensorsMeasured{run, largeStep(0), 0, false});
    ASSERT_TRUE(QTest::qWaitFor([&] { return strip->isVisible(); }, kPatienceMs));
    Painted painted(live.window.get(), strip);
    std::vector<double> times;
    for (std::int64_t step = 1; step < 12; ++step) {
        const TensorsMeasured event{run, largeStep(step), 0, false};
        QTest::qWait(250);  // statistics that come faster are drawn together
        painted.start();
        live.session.handle(event);
        ASSERT_TRUE(QTest::qWaitFor([&] { return painted.ms.has_value(); }, kPatienceMs)) << step;
        times.push_back(*painted.ms);
    }
    std::sort(times.begin(), times.end());
    std::cout << "from the event to the strip of layers on screen: median " << times[times.size() / 2] << " ms, largest " << times.back()
              << " ms\n";
}

}  // namespace
}  // namespace mantissa::gui
