// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, as the system has it, or of high contrast. Qt 6.4 does not say which the system prefers: it is read off the platform's own
// palette.
#pragma once

#include <QObject>

#include "gui/app/theme.h"

namespace mantissa::gui {

enum class ThemeChoice { Light, Dark, System, HighContrast };

class ThemeSwitch : public QObject {
    Q_OBJECT
public:
    ThemeSwitch(QApplication* application, QObject* parent);
    ThemeChoice choice() const { return m_choice; }
    void choose(ThemeChoice choice);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QApplication* m_application;
    ThemeChoice m_choice = ThemeChoice::System;
    bool m_isApplying = false;
};

}  // namespace mantissa::gui
