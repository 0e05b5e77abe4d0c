// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of an experiment: the curves of its runs in a few points, in the theme's colours. GUI thread only.
#pragma once

#include <QWidget>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

struct Curve {
    std::vector<std::int64_t> steps;  // ascending
    std::vector<double> values;       // as many; of what is not finite a sign stands at the edge
};

struct CurveSet {
    Metric metric = Metric::Loss;
    std::vector<Curve> runs;
    bool isEmpty() const;
};

/// Of a bundled experiment, as resources/curves has them; empty where there are none.
CurveSet bundledCurves(const QString& experiment);
/// Of a recording, its loss.
CurveSet curvesOf(const ListedRecording& recording);

class CurvePicture : public QWidget {
    Q_OBJECT
public:
    explicit CurvePicture(CurveSet curves, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    CurveSet m_curves;
};

}  // namespace mantissa::gui
