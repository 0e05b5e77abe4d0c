// SPDX-License-Identifier: GPL-3.0-or-later
// The Present layout: how it is entered and left, its theme, and the switch between two runs. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class PresentController : public QObject, WindowParts {
    Q_OBJECT
public:
    explicit PresentController(const WindowParts& parts);

    void restoreTheme();
    /// Returns the plots chosen for Present; empty: the experiment's suggestion.
    std::vector<std::string> keptPlots() const;
    void enter();
    void leave();

signals:
    /// Emitted when the board is on the page or has left it, before the window shows the change.
    void boardMoved();

private:
    void refreshThemes();
    void showOtherRun();
    void showAllRuns();

    bool m_hasTheme = m_options.hasTheme;           // from the command line, until the user chooses another
    ThemeChoice m_deskTheme = ThemeChoice::System;  // saved while Present uses its own
    Contrast m_deskContrast = Contrast::Normal;
    std::vector<RunId> m_pair;         // the two runs that Before and After switch between; empty: all are shown
    std::vector<RunId> m_shownBefore;  // visible runs before the switch between two
};

}  // namespace mantissa::gui
