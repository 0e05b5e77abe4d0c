// SPDX-License-Identifier: GPL-3.0-or-later
// The bar below the plots: the last event as text; expanded, the list of all events or of one kind. A click on a row, or Enter, jumps to
// its step; Delete removes a note. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/link/session_model.h"

class QTableView;

namespace mantissa::gui {

class ComboBox;
class Delay;
class EventModel;

class EventBar : public QWidget {
    Q_OBJECT
public:
    explicit EventBar(SessionModel* session, QWidget* parent = nullptr);
    void setExpanded(bool expanded);
    bool isExpanded() const { return m_isExpanded; }
    EventModel* model() const { return m_model; }
    /// Shows pending events at once.
    void refresh();

public slots:
    /// Sets the step from which jumps start: the plots' crosshair. -1: the live end.
    void setStep(qint64 step) { m_step = step; }
    void jumpToNext();
    void jumpToPrevious();
    void jumpToFirstNonFinite();

signals:
    void jumpRequested(qint64 step);
    void rewindRequested(int run, qint64 step);
    void forkRequested(int run, qint64 step);
    /// Emitted when the menu of a row's step is requested, with its position on the screen.
    void menuRequested(int run, qint64 step, QPoint place);
    void noteEditRequested(int note);
    void noteRemovalRequested(int note);
    void expandedChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class Line;
    void jump(std::int64_t step);
    void open(const QModelIndex& index);
    void refreshKinds();
    void fitRows();

    static constexpr int kBarPixels = 32, kRowPixels = 26, kMostRows = 8;
    const SessionModel* m_session;
    EventModel* m_model;
    Line* m_line;
    ComboBox* m_kinds;  // while it is expanded
    QTableView* m_table;
    Delay* m_timer;
    qint64 m_step = -1;
    bool m_isExpanded = false;
};

}  // namespace mantissa::gui
