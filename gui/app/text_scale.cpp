// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/text_scale.h"

#include <QFontInfo>
#include <QGuiApplication>
#include <QScreen>
#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/app/main_window.h"

namespace mantissa::gui {

double textScale(double points, double dotsPerInch, QSize screen, QSize least) {
    const double wished = std::max(1.0, points / kUsualPoints) * dotsPerInch / 96;
    const double room = std::min(1.0 * screen.width() / least.width(), 1.0 * screen.height() / least.height());
    // In eighths: finer steps would only blur hairlines.
    return std::max(1.0, std::floor(8 * std::min(wished, room)) / 8);
}

void scaleWithSystemText(int argc, char** argv) {
    double factor = 1;
    {
        // Only an application knows the platform's font; it takes its own options out of the copy.
        std::vector<char*> arguments(argv, argv + argc + 1);
        int count = argc;
        const QGuiApplication probe(count, arguments.data());
        if (const QScreen* screen = QGuiApplication::primaryScreen())
            factor = textScale(QFontInfo(QGuiApplication::font()).pointSizeF(), screen->logicalDotsPerInch(), screen->availableSize(),
                               MainWindow::kLeastSize);
    }
    const double before = qEnvironmentVariableIsSet("QT_SCALE_FACTOR") ? qEnvironmentVariable("QT_SCALE_FACTOR").toDouble() : 1;
    if (factor > 1) qputenv("QT_SCALE_FACTOR", QByteArray::number((before > 0 ? before : 1) * factor));
}

}  // namespace mantissa::gui
