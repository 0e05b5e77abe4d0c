// SPDX-License-Identifier: GPL-3.0-or-later
// A sample of a run's line with its marker, drawn alike in cards, lists and panels.
#pragma once

#include <QWidget>

#include "gui/app/theme.h"

class QPainter;

namespace mantissa::gui {

/// Draws a marker of `size` px centred at `center`; hollow markers are filled with `ground`.
void drawRunMarker(QPainter& painter, QPointF center, qreal size, const RunIdentity& identity, const QColor& ground);

/// Draws line and marker, centred in `rect`.
void drawRunSample(QPainter& painter, const QRectF& rect, const RunIdentity& identity, const QColor& ground);

class RunSample : public QWidget {
public:
    explicit RunSample(QWidget* parent = nullptr) : QWidget(parent) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }
    /// Sets the run's identity, as in RunState.
    void setIdentity(int identity);
    QSize sizeHint() const override { return {32, 16}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_identity = 0;
};

}  // namespace mantissa::gui
