// SPDX-License-Identifier: GPL-3.0-or-later
// The runs in a presentation: a large chip for each, with its line and name. A click hides or shows a run; a hidden one keeps its place and
// marker, but not its colour and name, so that an audience may guess first. Chips flow over several rows.
#pragma once

#include <QAbstractButton>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

class RunChip : public QAbstractButton {
    Q_OBJECT
public:
    explicit RunChip(QWidget* parent);
    /// Shows a run. `number` counts from 1, in the order of the runs.
    void show(const RunState& run, int number);
    QSize sizeHint() const override;
    /// Returns the rectangle of its text.
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
    RunChips(SessionModel* session, QWidget* parent);
    /// Arranges the chips; call when the font has changed.
    void arrange();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    SessionModel* m_session;
    std::vector<RunChip*> m_chips;
};

}  // namespace mantissa::gui
