// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks of the plots: few, round, and written as the rest of the window writes numbers. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include "gui/plots/ranges.h"

namespace mantissa::gui {

/// Whole steps: 200, 400, ... never a fraction.
class StepTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;
};

/// Values of an axis in the coordinates of `AxisScale`: 1-3-10 on decades, powers of two, round numbers on a linear axis.
class ValueTicker : public QCPAxisTicker {
public:
    void setScale(AxisScale scale) { m_scale = scale; }
    /// Ticks above this coordinate are left out: that part of the axis belongs to something else.
    void setCeiling(double ceiling) { m_ceiling = ceiling; }
    void setWholeNumbers(bool on) { m_isWhole = on; }
    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override;

private:
    AxisScale m_scale = AxisScale::Linear;
    double m_ceiling = std::numeric_limits<double>::infinity();
    bool m_isWhole = false;
};

}  // namespace mantissa::gui
