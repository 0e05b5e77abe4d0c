// SPDX-License-Identifier: Apache-2.0
// A board on a screen, with two runs to fill by hand.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QWheelEvent>

#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"
#include "tests/gui/plots/session_fixture.h"

namespace mantissa::gui {

enum PanelIndex { kLoss, kScale, kSkipped, kNorm, kThroughput };

class PlotBoardTest : public testing::Test {
protected:
    PlotBoardTest() : m_board(&m_session) {
        m_board.resize(1200, 900);
        m_board.show();
        loadRuns(m_session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    }

    const Panel& panel(PanelIndex index) const { return m_board.panels().at(index); }
    QCPRange y(PanelIndex index) const { return panel(index).yAxis()->range(); }
    QCPRange x() const { return panel(kLoss).xAxis()->range(); }
    QPoint middleOf(PanelIndex index) const { return panel(index).rect()->rect().center(); }

    void turnWheel(PanelIndex index, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        const QPointF at = middleOf(index);
        QWheelEvent event(at, m_board.canvas()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_board.canvas(), &event);
        m_board.refreshNow();
    }

    QImage picture() {
        QImage image(m_board.canvas()->size(), QImage::Format_RGB32);
        QCPPainter painter(&image);
        m_board.paint(&painter);
        painter.end();
        return image;
    }

    std::int64_t glyphCount(PanelIndex index, Glyph glyph) const {
        std::int64_t count = 0;
        for (const GlyphMark& mark : panel(index).glyphs().marks())
            if (mark.glyph == glyph) count += mark.count;
        return count;
    }

    SessionModel m_session;
    PlotBoard m_board;
};

}  // namespace mantissa::gui
