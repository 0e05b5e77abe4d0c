// SPDX-License-Identifier: GPL-3.0-or-later
// Lists failures without a NaN, a line each, and how often tensor statistics are computed, with their cost. GUI thread only.
#pragma once

#include <QWidget>

#include "engine/diagnosis/gauges.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/measurements.h"

namespace mantissa::gui {

class GaugeList : public QWidget {
    Q_OBJECT
public:
    GaugeList(const SessionModel* session, const Measurements* measurements, QWidget* parent);
    void show(RunId run);
    const std::vector<Gauge>& gauges() const { return m_gauges; }

signals:
    void levelRequested(mantissa::Instrumentation level);

private:
    /// The widgets of one silent failure. They are reused when texts change, so that nothing below them moves.
    struct Line {
        QWidget* widget;
        IconLabel* icon;
        QLabel *words, *value;
    };
    void refresh();
    Line addLine();
    void fill(const Line& line, const Gauge& gauge);
    const SessionModel* m_session;
    const Measurements* m_measurements;
    RunId m_run = -1;
    std::vector<Gauge> m_gauges;
    QWidget* m_part;
    QVBoxLayout* m_column;
    std::vector<Line> m_lines;  // one per gauge
    QWidget* m_measure;         // how often the engine measures; a watched run's probe has its own settings
    ComboBox* m_level;
    QLabel* m_cost;
};

}  // namespace mantissa::gui
