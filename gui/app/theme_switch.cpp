// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/theme_switch.h"

#include <QApplication>
#include <QEvent>
#include <QPalette>

namespace mantissa::gui {

ThemeSwitch::ThemeSwitch(QApplication* application, QObject* parent) : QObject(parent), m_application(application) {
    application->installEventFilter(this);
}

void ThemeSwitch::choose(ThemeChoice choice, Contrast contrast) {
    m_choice = choice;
    m_contrast = contrast;
    m_isApplying = true;
    ThemeKind kind = choice == ThemeChoice::Dark ? ThemeKind::Dark : ThemeKind::Light;
    if (choice == ThemeChoice::System) {
        // Without a custom palette the application uses the platform's.
        m_application->setPalette(QPalette());
        kind = m_application->palette().color(QPalette::Window).lightness() < 128 ? ThemeKind::Dark : ThemeKind::Light;
    }
    Theme::apply(*m_application, kind, m_contrast);
    m_isApplying = false;
}

bool ThemeSwitch::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && m_choice == ThemeChoice::System && !m_isApplying) choose(ThemeChoice::System);
    return QObject::eventFilter(object, event);
}

}  // namespace mantissa::gui
