// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of an experiment: the curves of its runs, thinned to a few points, in the theme's colours. GUI thread only.
#pragma once

#include <QWidget>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

struct Curve {
    std::vector<std::int64_t> steps;  // ascending
    std::vector<double> values;       // as many as steps; a glyph at the edge marks non-finite ones
};

struct CurveSet {
    Metric metric = Metric::Loss;
    std::vector<Curve> runs;
    bool isEmpty() const;
};

/// Returns the curves of a bundled experiment from resources/curves; empty if there are none.
CurveSet bundledCurves(const QString& experiment);
/// Returns the loss curves of a recording.
CurveSet curvesOf(const ListedRecording& recording);

class CurvePicture : public QWidget {
    Q_OBJECT
public:
    explicit CurvePicture(CurveSet curves, QWidget* parent);
    QSize sizeHint() const override { return {240, 108}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    CurveSet m_curves;
};

}  // namespace mantissa::gui
