// SPDX-License-Identifier: GPL-3.0-or-later
// A short tour of the window for new users: a sequence of small bubbles, each beside the part that it explains. The window works as usual
// meanwhile. Esc or "Skip tour" ends it. GUI thread only.
#pragma once

#include <QFrame>
#include <QList>
#include <QRect>
#include <functional>

class QLabel;
class QMainWindow;
class QPushButton;

namespace mantissa::gui {

struct Actions;
class PlotBoard;

struct TourStop {
    QString title, text;
    std::function<QRect()> place;  // of the part explained, in the window; empty: not visible now
};

/// The position of a bubble of `size` beside `target`, inside `room` and without covering it.
struct BubblePlace {
    QRect bubble;
    Qt::Edge edge = Qt::TopEdge;  // of the bubble, at which its tip is
    int tip = 0;                  // along that edge
};
BubblePlace placeBubble(const QRect& target, QSize size, const QRect& room);

class Tour : public QFrame {
    Q_OBJECT
public:
    /// Shows the first stop; the tour deletes itself at its end. A running tour starts again.
    static Tour* begin(QMainWindow* window, const Actions& actions, const PlotBoard* board);

    void next() { m_stop + 1 < stopCount() ? show(m_stop + 1) : end(); }
    void end();
    int stop() const { return m_stop; }
    int stopCount() const { return static_cast<int>(m_stops.size()); }
    /// Returns the rectangle of the part that the bubble explains, in the window.
    QRect target() const { return m_stops[m_stop].place(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    Tour(QWidget* window, QList<TourStop> stops);
    void show(int stop);
    void follow();

    QList<TourStop> m_stops;
    int m_stop = 0;
    QLabel *m_title, *m_text, *m_count;
    QPushButton *m_next, *m_skip;
    BubblePlace m_place;
};

}  // namespace mantissa::gui
