// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks of the plots: few, round, and in the window's number format. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include "gui/plots/ranges.h"
#include "gui/plots/x_axis.h"

namespace mantissa::gui {

/// Ticks of the x axis: whole steps and samples, decimals of epochs, times in parts of minutes, hours and days.
class XTicker : public QCPAxisTicker {
public:
    void setAxis(const XAxis& axis) { m_axis = axis; }
    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override;

private:
    XAxis m_axis;
};

/// Ticks of a value axis in the coordinates of `AxisScale`: 1-3-10 on decades, powers of two, round numbers on a linear axis.
class ValueTicker : public QCPAxisTicker {
public:
    void setScale(AxisScale scale, double threshold = 1) { m_scale = scale, m_threshold = threshold; }
    /// Omits ticks above this coordinate, where the axis is used for something else.
    void setHighest(double highest) { m_highest = highest; }
    void setWholeNumbers(bool on) { m_isWhole = on; }
    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override;

private:
    AxisScale m_scale = AxisScale::Linear;
    double m_threshold = 1;  // of symlog
    double m_highest = std::numeric_limits<double>::infinity();
    bool m_isWhole = false;
};

}  // namespace mantissa::gui
