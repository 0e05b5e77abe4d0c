// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plots_meter.h"

#include <qcustomplot.h>

#include <QElapsedTimer>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "gui/app/measures.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr int kRuns = 8;
constexpr QSize kSize(1920, 1080);
constexpr int kFrames = 24;      // of one scroll
constexpr int kRivalFrames = 3;  // fewer for plain QCustomPlot, which is slow
constexpr std::int64_t kChunk = 1 << 16;

/// A noisy curve: falls for a loss, wanders for a norm; sometimes NaN or an infinity.
class Noise {
public:
    explicit Noise(unsigned seed) : m_random(seed) {}
    double value(Metric metric, std::int64_t step) {
        if (const auto odd = m_random() % 100'000; odd < 3)
            return odd == 0 ? std::numeric_limits<double>::quiet_NaN() : (odd == 1 ? 1 : -1) * std::numeric_limits<double>::infinity();
        const double noise = std::exp(0.4 * m_normal(m_random));
        if (metric == Metric::Loss) return noise * (0.05 + 2 / (1 + static_cast<double>(step) / 20'000));
        return noise * (1 + 0.5 * std::sin(static_cast<double>(step) / 100'000));
    }

private:
    std::minstd_rand m_random;
    std::normal_distribution<double> m_normal;
};

constexpr Metric kMetrics[] = {Metric::Loss, Metric::GradNorm};

void fill(SessionModel& session, std::int64_t points) {
    ExperimentLoaded loaded;
    loaded.name = loaded.title = "plots";
    for (int id = 0; id < kRuns; ++id) {
        RunInfo info;
        info.id = id;
        info.kind = RunKind::Recorded;
        info.settings.name = "run " + std::to_string(id);
        info.policy = "fp32";
        info.scalerPreset = "none";
        loaded.runs.push_back(std::move(info));
    }
    session.handle(Event(std::move(loaded)));
    for (int id = 0; id < kRuns; ++id)
        for (const Metric metric : kMetrics) {
            Noise noise(static_cast<unsigned>(1 + id * 2 + static_cast<int>(metric == Metric::GradNorm)));
            for (std::int64_t first = 0; first < points; first += kChunk) {
                SeriesImported part{id, metric, {}, {}};
                for (std::int64_t step = first; step < std::min(points, first + kChunk); ++step) {
                    part.steps.push_back(step);
                    part.values.push_back(noise.value(metric, step));
                }
                session.handle(Event(std::move(part)));
            }
        }
}

/// Plain QCustomPlot: the values as graphs, eight above eight, with its adaptive sampling. Graphs of one rect share their values, which
/// saves memory; logarithms are computed beforehand, which saves time.
class Rival {
public:
    explicit Rival(const SessionModel& session) {
        m_plot.resize(kSize);
        m_plot.plotLayout()->clear();
        m_plot.setNoAntialiasingOnDrag(false);
        m_plot.setPlottingHints(QCP::phCacheLabels | QCP::phImmediateRefresh | QCP::phFastPolylines);
        for (const Metric metric : kMetrics) {
            auto* rect = new QCPAxisRect(&m_plot);
            m_plot.plotLayout()->addElement(m_plot.plotLayout()->rowCount(), 0, rect);
            const Series& series = *session.runs().front()->series(metric);
            QVector<QCPGraphData> data;
            data.reserve(static_cast<qsizetype>(series.count()));
            for (std::size_t i = 0; i < series.count(); ++i)
                data.append({static_cast<double>(series.stepAt(i)), std::log10(series.valueAt(i))});
            const auto shared = QSharedPointer<QCPGraphDataContainer>::create();
            shared->set(data, true);
            for (const auto& run : session.runs()) {
                QCPGraph* graph = m_plot.addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
                graph->setPen(QPen(Theme::current().run(run->identity).color, 1));
                graph->setData(shared);
            }
            rect->axis(QCPAxis::atLeft)->setRange(-2.5, 1.5);
        }
        m_plot.show();
    }
    void setAntialiased(bool on) {
        for (int i = 0; i < m_plot.graphCount(); ++i) m_plot.graph(i)->setAntialiased(on);
    }
    void frame(const Span& x) {
        for (QCPAxisRect* rect : m_plot.axisRects()) rect->axis(QCPAxis::atBottom)->setRange(x.first, x.last);
        m_plot.replot(QCustomPlot::rpImmediateRefresh);
    }

private:
    QCustomPlot m_plot;
};

/// Measures the milliseconds per frame of a scroll of `frames` frames over `share` of all steps; continues after the previous scroll.
class Scroll {
public:
    Scroll(std::int64_t points, double share) : m_points(static_cast<double>(points)), m_length(share * m_points) {}
    std::vector<double> run(int frames, const std::function<void(const Span&)>& draw) {
        std::vector<double> milliseconds;
        for (int i = 0; i < frames; ++i) {
            const double room = 1.05 * m_points - m_length;  // beyond the end, so that the widest view moves too
            m_first = std::fmod(m_first + m_length / 64, room);
            QElapsedTimer clock;
            clock.start();
            draw({m_first, m_first + m_length});
            milliseconds.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        }
        return milliseconds;
    }

private:
    double m_points, m_length;
    double m_first = 0;
};

}  // namespace

QString measurePlots(std::int64_t points, int pairs) {
    const double scalars = static_cast<double>(points) * kRuns * std::size(kMetrics);
    const std::int64_t before = residentBytes();
    SessionModel session;
    fill(session, points);
    PlotBoard board(&session);
    board.resize(kSize);
    board.show();
    board.refreshNow();
    const double resident = static_cast<double>(residentBytes() - before);
    Rival rival(session);
    QCoreApplication::processEvents();  // an unexposed window is not painted

    std::vector<double> all, ratios;
    nlohmann::ordered_json views = nlohmann::ordered_json::array();
    for (const double share : {1.0, 0.1, 0.01, 0.001}) {
        Scroll ours(points, share), theirs(points, share), plain(points, share);
        const auto draw = [&](const Span& x) {
            board.axes().showX(x);
            board.refreshNow();
            board.repaint();
        };
        const auto drawRival = [&](const Span& x) { rival.frame(x); };
        std::vector<double> frames, rivals, plains, viewRatios;
        for (int pair = 0; pair < pairs; ++pair) {
            const std::vector<double> block = ours.run(kFrames, draw);
            rival.setAntialiased(true);
            const std::vector<double> other = theirs.run(kRivalFrames, drawRival);
            rival.setAntialiased(false);
            const std::vector<double> third = plain.run(kRivalFrames, drawRival);
            viewRatios.push_back(percentile(other, 0.5) / percentile(block, 0.5));
            frames.insert(frames.end(), block.begin(), block.end());
            rivals.insert(rivals.end(), other.begin(), other.end());
            plains.insert(plains.end(), third.begin(), third.end());
        }
        views.push_back({{"steps", std::llround(share * static_cast<double>(points))},
                         {"frame_ms", distribution(frames)},
                         {"rival_ms", distribution(rivals)},
                         {"rival_plain_ms", distribution(plains)},
                         {"ratio", percentile(viewRatios, 0.5)}});
        all.insert(all.end(), frames.begin(), frames.end());
        ratios.insert(ratios.end(), viewRatios.begin(), viewRatios.end());
    }
    auto counted = static_cast<double>(board.traces().memoryBytes());
    for (const auto& run : session.runs()) counted += static_cast<double>(memoryOf(*run));
    const nlohmann::ordered_json result{{"series", kRuns * std::size(kMetrics)},
                                        {"points", points},
                                        {"width", kSize.width()},
                                        {"height", kSize.height()},
                                        {"frame_ms", distribution(all)},
                                        {"ratio", percentile(ratios, 0.5)},
                                        {"views", views},
                                        {"bytes_per_scalar", counted / scalars},
                                        {"rss_bytes_per_scalar", resident / scalars}};
    return QString::fromStdString(result.dump());
}

}  // namespace mantissa::gui
