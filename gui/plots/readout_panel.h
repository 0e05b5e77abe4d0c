// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the values of all runs at one step, in a fixed table. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/link/session_model.h"
#include "gui/plots/run_trace.h"

class QLabel;
class QTableView;
class QToolButton;

namespace mantissa::gui {

class CursorPanel;
class Delay;
class ReadoutModel;

class ReadoutPanel : public QWidget {
    Q_OBJECT
public:
    explicit ReadoutPanel(SessionModel* session, QWidget* parent = nullptr);
    /// Uses fewer and lower rows, for small windows: loss, its raw value while it is smoothed, validation, loss scale, skipped, grad norm.
    void setCompact(bool compact);
    /// Returns the height of the form that is not compact.
    int fullHeight() const { return sizeHint().height() - tableHeight(m_isCompact) + tableHeight(false); }
    /// Returns the cursors' panel below the table.
    CursorPanel* cursors() const { return m_cursors; }
    /// Returns the announcement when a key moves the crosshair: the step, the values of the selected run and the other runs' loss.
    QString spokenText() const;

    /// Sets the visible plots, by key: each has a row.
    void setPlots(const std::vector<std::string>& keys);

public slots:
    /// Sets the step; -1: the latest.
    void setStep(qint64 step);
    /// Sets whether a click holds the step: then a button releases it.
    void setHeld(bool held);
    void setSmoothing(const Smoothing& loss, const Smoothing& throughput);

signals:
    void releaseRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refreshHeader();
    void resetRuns();
    void fitColumns();
    void fitHeight();
    int tableHeight(bool compact) const;
    /// Returns whether a row is hidden: no run has its quantity, or it is of secondary interest and the read-out is compact.
    bool isFolded(int row, bool compact) const;
    void foldRows();
    void showSelected();  // scrolls to the selected run

    static constexpr int kLiveMs = 150;  // update interval of the latest values, to keep them readable
    SessionModel* m_session;
    ReadoutModel* m_model;
    QTableView* m_table;
    QLabel* m_step;
    QToolButton* m_release;
    Delay* m_timer;
    CursorPanel* m_cursors;
    bool m_followsLatest = true;
    bool m_isCompact = false;
    bool m_smooths = true;  // whether the loss is smoothed
};

}  // namespace mantissa::gui
