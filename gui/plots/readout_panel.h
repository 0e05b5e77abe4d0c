// SPDX-License-Identifier: GPL-3.0-or-later
// The values of all runs at one step, in a fixed table: nothing floats over the plots. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/link/lab.h"

class QLabel;
class QTableView;
class QTimer;

namespace mantissa::gui {

class CursorPanel;
class ReadoutModel;

class ReadoutPanel : public QWidget {
    Q_OBJECT
public:
    explicit ReadoutPanel(Lab* lab, QWidget* parent = nullptr);
    /// Fewer rows, and lower ones, for small windows: loss, its raw value while it is smoothed, validation, loss scale, skipped, grad norm.
    void setCompact(bool compact);
    int fullHeight() const;  // that it would have with all rows
    /// Below the table, while there are cursors.
    CursorPanel* cursors() const { return m_cursors; }
    /// The shown step, the values of the chosen run and the other runs' loss: what is said aloud when a key moves the crosshair.
    QString spokenText() const;

    /// The plots that are shown, by key: each has its row.
    void setPlots(const std::vector<std::string>& keys);

public slots:
    /// -1: the latest.
    void setStep(qint64 step);
    void setSmoothing(const Smoothing& loss, const Smoothing& throughput);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refreshHeader();
    void resetRuns();
    void fitColumns();
    void fitHeight();
    int tableHeight(bool compact) const;
    bool canFold(int row) const;  // of the secondary rows
    void foldRows();
    void showSelected();  // with more runs than fit

    static constexpr int kLiveMs = 150;  // the latest values, at a pace that can be read
    Lab* m_lab;
    ReadoutModel* m_model;
    QTableView* m_table;
    QLabel* m_step;
    QTimer* m_timer;
    CursorPanel* m_cursors;
    bool m_followsLatest = true;
    bool m_isCompact = false;
    bool m_smooths = true;  // the loss
};

}  // namespace mantissa::gui
