// SPDX-License-Identifier: GPL-3.0-or-later
// How a run is recognised: a short piece of its line with its marker, drawn alike in cards, lists and panels.
#pragma once

#include <QWidget>

#include "gui/app/theme.h"

class QPainter;

namespace mantissa::gui {

/// A marker of `size` px centred at `center`; hollow markers are filled with `ground`.
void drawRunMarker(QPainter& painter, QPointF center, qreal size, const RunIdentity& identity, const QColor& ground);

/// Line and marker, centred in `rect`.
void drawRunSample(QPainter& painter, const QRectF& rect, const RunIdentity& identity, const QColor& ground);

class RunSample : public QWidget {
public:
    explicit RunSample(QWidget* parent = nullptr);
    /// `identity` as in RunState.
    void setIdentity(int identity);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_identity = 0;
};

}  // namespace mantissa::gui
