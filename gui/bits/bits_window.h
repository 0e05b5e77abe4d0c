// SPDX-License-Identifier: GPL-3.0-or-later
// The window "Number inspector": one value in every format, and one dot product summed in every way. A separate, non-modal window that
// needs no engine. GUI thread only.
#pragma once

#include <QDialog>
#include <QTabBar>

#include "gui/bits/dot_page.h"
#include "gui/bits/inspector_page.h"

namespace mantissa::gui {

class BitsWindow : public QDialog {
    Q_OBJECT
public:
    explicit BitsWindow(QWidget* parent);
    /// Shows a window's number inspector, created if needed, in front.
    static BitsWindow* of(QWidget* window);
    InspectorPage* inspector() const { return m_inspector; }
    DotPage* bench() const { return m_bench; }
    void showInspector() { m_tabs->setCurrentIndex(0); }
    void showBench() { m_tabs->setCurrentIndex(1); }

private:
    QTabBar* m_tabs;
    InspectorPage* m_inspector;
    DotPage* m_bench;
};

}  // namespace mantissa::gui
