// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, or as the system has it, each with high contrast or without. Qt 6.4 does not say which the system prefers: it is read off
// the platform's own palette.
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
    void choose(ThemeChoice choice);
    Contrast contrast() const { return m_contrast; }
    /// Over any of the choices.
    void setContrast(Contrast contrast);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QApplication* m_application;
    ThemeChoice m_choice = ThemeChoice::System;
    Contrast m_contrast = Contrast::Normal;
    bool m_isApplying = false;
};

}  // namespace mantissa::gui
