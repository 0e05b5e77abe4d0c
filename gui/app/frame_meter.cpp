// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/frame_meter.h"

#include <QCoreApplication>
#include <QEvent>
#include <chrono>
#include <nlohmann/json.hpp>

#include "gui/app/measures.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kWarmUpSteps = 100;

std::int64_t monotonicNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

FrameMeter::FrameMeter(SessionModel* session, const QElapsedTimer& started) : m_session(session), m_started(started) {
    QCoreApplication::instance()->installEventFilter(this);
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (m_waitingSinceNs == 0) m_waitingSinceNs = m_session->lastSentNs();
    });
}

bool FrameMeter::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Paint) return false;
    if (m_firstPaintMs < 0) m_firstPaintMs = m_started.elapsed();
    if (!watched->inherits("QCustomPlot")) return false;
    // The plot's buffers are complete here; the paint event only copies them.
    if (m_waitingSinceNs != 0) {
        m_latencyMs.push_back(static_cast<double>(monotonicNs() - m_waitingSinceNs) * 1e-6);
        m_waitingSinceNs = 0;
        if (m_firstFrameMs < 0) m_firstFrameMs = m_started.elapsed();
        m_lastFrameMs = m_started.elapsed();
    }
    return false;
}

FrameMeter::Amount FrameMeter::amount(const PlotBoard& board) const {
    Amount amount{0, static_cast<std::int64_t>(board.traces().memoryBytes()), residentBytes()};
    for (const auto& run : m_session->runs()) {
        amount.steps += run->stepCount() - run->info.firstStep;
        amount.dataBytes += static_cast<std::int64_t>(memoryOf(*run));
    }
    return amount;
}

QString FrameMeter::report(const PlotBoard& board) {
    const Amount now = amount(board);  // before the report itself allocates memory
    std::vector<double> stepMs;
    for (const auto& run : m_session->runs()) {
        const TrainingSettings& training = run->info.settings.training;
        const double samples = static_cast<double>(training.data.batchSize * training.accumulate);
        for (std::int64_t step = kWarmUpSteps; step < run->stepCount(); ++step)
            stepMs.push_back(1000 * samples / run->samplesPerSecond.value(step));
    }
    const double seconds = static_cast<double>(m_lastFrameMs - m_firstFrameMs) / 1000;
    const nlohmann::ordered_json growth{{"steps", now.steps - m_halfway.steps},
                                        {"data_bytes", now.dataBytes - m_halfway.dataBytes},
                                        {"resident_bytes", now.residentBytes - m_halfway.residentBytes}};
    const nlohmann::ordered_json result{{"first_paint_ms", m_firstPaintMs},
                                        {"first_curve_ms", m_firstFrameMs},
                                        {"frames_per_second", seconds > 0 ? static_cast<double>(m_latencyMs.size()) / seconds : 0},
                                        {"paint_after_step_ms", distribution(m_latencyMs)},
                                        {"step_ms", distribution(stepMs)},
                                        {"steps", now.steps},
                                        {"growth", growth}};
    return QString::fromStdString(result.dump());
}

}  // namespace mantissa::gui
