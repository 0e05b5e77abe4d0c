// SPDX-License-Identifier: GPL-3.0-or-later
// Five words on what stands where, for who opens the window for the first time: one small bubble after another, each beside the part that
// it speaks of. The window goes on as ever underneath. Esc or "Skip tour" ends it. GUI thread only.
#pragma once

#include <QFrame>
#include <QList>
#include <QRect>
#include <functional>

class QLabel;
class QPushButton;

namespace mantissa::gui {

class MainWindow;
class PlotBoard;

struct TourStop {
    QString title, text;
    std::function<QRect()> place;  // of what it speaks of, in the window; empty: not to be seen now
};

/// Where a bubble of `size` stands beside `target`, inside `room` and without covering it.
struct BubblePlace {
    QRect bubble;
    Qt::Edge edge = Qt::TopEdge;  // of the bubble, at which its tip is
    int tip = 0;                  // along that edge
};
BubblePlace placeBubble(const QRect& target, QSize size, const QRect& room);

class Tour : public QFrame {
    Q_OBJECT
public:
    /// Shows the first stop; the tour deletes itself at its end. A tour that goes on already begins anew.
    static Tour* begin(MainWindow* window, const PlotBoard* board);

    void next();
    void end();
    int stop() const { return m_stop; }
    int stopCount() const { return static_cast<int>(m_stops.size()); }
    /// What the bubble speaks of now, in the window.
    QRect target() const { return m_stops[m_stop].place(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    Tour(MainWindow* window, QList<TourStop> stops);
    void show(int stop);
    void follow();

    QList<TourStop> m_stops;
    int m_stop = 0;
    QLabel *m_title, *m_text, *m_count;
    QPushButton *m_next, *m_skip;
    BubblePlace m_place;
};

}  // namespace mantissa::gui
