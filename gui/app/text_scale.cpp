// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/text_scale.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QFile>
#include <QFontInfo>
#include <QGuiApplication>
#include <QScreen>
#include <algorithm>
#include <cmath>

#include "gui/app/main_window.h"

namespace mantissa::gui {
namespace {

constexpr auto kFollowed = "MANTISSA_TEXT_FOLLOWED";  // prevents a third start

}  // namespace

double textScale(double points, double dotsPerInch, QSize screen, QSize least) {
    const double requested = std::max(1.0, points / kUsualPoints) * dotsPerInch / 96;
    const double room = std::min(1.0 * screen.width() / least.width(), 1.0 * screen.height() / least.height());
    // In eighths: finer steps would blur hairlines.
    return std::max(1.0, std::floor(8 * std::min(requested, room)) / 8);
}

void followSystemText(char* const* arguments) {
    const QScreen* screen = QGuiApplication::primaryScreen();
    if (!screen || qEnvironmentVariableIsSet(kFollowed)) return;
    const double factor = textScale(QFontInfo(QGuiApplication::font()).pointSizeF(), screen->logicalDotsPerInch(), screen->availableSize(),
                                    MainWindow::kLeastSize);
    if (factor <= 1) return;
    const double before = qEnvironmentVariable("QT_SCALE_FACTOR", QStringLiteral("1")).toDouble();
    qputenv("QT_SCALE_FACTOR", QByteArray::number((before > 0 ? before : 1) * factor));
    qputenv(kFollowed, "1");
    // Each returns only if it fails; if both fail, sizes stay unchanged.
    execv("/proc/self/exe", arguments);
    execv(QFile::encodeName(QCoreApplication::applicationFilePath()).constData(), arguments);
}

}  // namespace mantissa::gui
