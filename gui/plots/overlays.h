// SPDX-License-Identifier: GPL-3.0-or-later
// Small widgets over or below the plots: the frozen tab, the empty state, throughput in one line. GUI thread only.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/plots/run_trace.h"

namespace mantissa::gui {

/// The amber tab at the lower edge while the view is frozen.
class FrozenTab : public QWidget {
    Q_OBJECT
public:
    explicit FrozenTab(QWidget* parent);
    void setCounts(std::int64_t frozenStep, std::int64_t unseen);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_head, m_rest;
};

/// Instructions shown before the first step.
class EmptyState : public QWidget {
public:
    explicit EmptyState(QWidget* parent);
    void setTexts(const QString& headline, const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_headline, m_sentence;
};

/// The compact form of the throughput panel: each run's latest smoothed value. A click unfolds the panel.
class ThroughputLine : public QWidget {
    Q_OBJECT
public:
    explicit ThroughputLine(QWidget* parent);
    /// `isShared`: as in PlotFrame.
    void setTraces(const std::vector<const RunTrace*>& traces, bool isShared = false);
    void setUnfolded(bool on);

    QSize sizeHint() const override { return {200, 29}; }

signals:
    void toggled();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Entry {
        int identity;
        QString text;
    };
    std::vector<Entry> m_entries;
    QString m_unit;
    bool m_isUnfolded = false;
};

}  // namespace mantissa::gui
