// SPDX-License-Identifier: GPL-3.0-or-later
// Switches the theme: light, dark, or as the system, each with or without high contrast. Qt 6.4 does not report the system's preference, so
// it is derived from the platform's palette.
#pragma once

#include <QObject>

#include "gui/app/theme.h"

namespace mantissa::gui {

enum class ThemeChoice { Light, Dark, System };

class ThemeSwitch : public QObject {
    Q_OBJECT
public:
    ThemeSwitch(QApplication* application, QObject* parent);
    ThemeChoice choice() const { return m_choice; }
    void choose(ThemeChoice choice) { choose(choice, m_contrast); }
    Contrast contrast() const { return m_contrast; }
    /// Sets the contrast, independent of the choice.
    void setContrast(Contrast contrast) { choose(m_choice, contrast); }
    /// Sets both; restyling the window takes a large part of a second.
    void choose(ThemeChoice choice, Contrast contrast);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QApplication* m_application;
    ThemeChoice m_choice = ThemeChoice::System;
    Contrast m_contrast = Contrast::Normal;
    bool m_isApplying = false;
};

}  // namespace mantissa::gui
