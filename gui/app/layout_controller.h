// SPDX-License-Identifier: GPL-3.0-or-later
// The effects of a change of layout, and the places of the panels beside the plots in it. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class DiagnoseController;
class PresentController;

class LayoutController : public QObject, WindowParts {
    Q_OBJECT
public:
    LayoutController(const WindowParts& parts, DiagnoseController* diagnosis, PresentController* presentation);
    /// Places the panels beside a lesson. `needsMemory`: its place shows memory.
    void placeForLesson(bool needsMemory);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void enter(WindowLayout layout);
    void placePanels();
    void foldMemory();
    void levelPanels();
    void refreshText();
    void showText();

    DiagnoseController* m_diagnosis;
    PresentController* m_presentation;
    WindowLayout m_layout = WindowLayout::Explore;
    bool m_lessonNeedsMemory = false;
    bool m_isMemoryUnfolded = false, m_isMemoryAsked = false;  // by the user; by a lesson
};

}  // namespace mantissa::gui
