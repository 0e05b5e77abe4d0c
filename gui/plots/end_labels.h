// SPDX-License-Identifier: GPL-3.0-or-later
// Labels at the right end of each run's line, for presentations: the run's marker, in the first panel its name, and the value. Labels that
// would overlap are moved apart, with a line to the run's line. GUI thread only.
#pragma once

#include <functional>

#include "gui/plots/panel.h"

namespace mantissa::gui {

class EndLabels : public PlotItem {
public:
    struct Label {
        int identity = 0;
        QString name, value;  // no name below the first panel
        double end = 0;       // pixels: where the line ends
        QRectF box;           // of the text
    };

    explicit EndLabels(QCustomPlot* plot) : PlotItem(plot, QStringLiteral("glyphs")) {}
    /// Updates the labels from the panels, top to bottom. Returns whether they need another `width` now.
    bool take(const std::vector<Panel*>& panels, const std::function<PlotFrame(const Panel*)>& frameOf);
    void clear();
    /// Returns the pixels to keep free at the right of the axes.
    int width() const { return m_width; }
    /// Returns the labels of all panels as last drawn.
    const std::vector<Label>& labels() const { return m_labels; }

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Column {
        const QCPAxisRect* rect;
        std::vector<Label> labels;  // `end` as axis coordinate
    };
    bool standsInTwoRows(const Column& column) const;
    std::vector<Label> place(const Column& column) const;

    std::vector<Column> m_columns;
    std::vector<Label> m_labels;
    int m_width = 0;
};

}  // namespace mantissa::gui
