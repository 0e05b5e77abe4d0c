// SPDX-License-Identifier: GPL-3.0-or-later
// The runs before a room: a large chip for each, with its line and name. A press hides a run or shows it again; a hidden one keeps its
// place and its marker, but neither colour nor name, so that a room may guess first. Chips flow over as many rows as they need.
#pragma once

#include <QAbstractButton>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

class RunChip : public QAbstractButton {
    Q_OBJECT
public:
    explicit RunChip(QWidget* parent);
    /// `number` counts from 1, in the order of the runs.
    void show(const RunState& run, int number);
    QSize sizeHint() const override;
    /// Of its words.
    QRect textRect() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_identity = 0;
    bool m_isHidden = false;
};

class RunChips : public QWidget {
    Q_OBJECT
public:
    RunChips(Lab* lab, QWidget* parent);
    /// To be called when the font has changed: chips are as large as their words ask for.
    void arrange();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    Lab* m_lab;
    std::vector<RunChip*> m_chips;
};

}  // namespace mantissa::gui
