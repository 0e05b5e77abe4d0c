// SPDX-License-Identifier: Apache-2.0
// Widgets need an application before the first test; no screen is needed.
#include <gtest/gtest.h>

#include <QApplication>

#include "gui/app/key_filters.h"
#include "gui/app/theme.h"

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    qputenv("LC_ALL", "C.UTF-8");
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setFont(mantissa::gui::interfaceFont());
    mantissa::gui::installKeyFilters(&application);
    mantissa::gui::Theme::apply(application, mantissa::gui::ThemeKind::Light);
    return RUN_ALL_TESTS();
}
