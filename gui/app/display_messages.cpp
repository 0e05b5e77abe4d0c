// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/display_messages.h"

#include <QRegularExpression>
#include <QStringList>
#include <cstdio>
#include <cstdlib>

namespace mantissa::gui {
namespace {

QStringList heldMessages;

/// Reason why Qt could not open a window, from the environment and Qt's messages.
QString whyNoDisplay(const QStringList& messages) {
    const auto isSet = [](const char* name) { return !qEnvironmentVariableIsEmpty(name); };
    if (!isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY") && !isSet("QT_QPA_PLATFORM"))
        return QStringLiteral(
            "there is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set. `mantissa train` trains without a window.");
    for (const QString& message : messages) {
        if (message.contains(QStringLiteral("could not connect to display")))
            return QStringLiteral("the display '%1' cannot be opened.").arg(qEnvironmentVariable("DISPLAY"));
    }
    static const QRegularExpression kLibrary(QStringLiteral("or (lib\\S+) is needed"));  // Qt 6.5 and newer
    for (const QString& message : messages) {
        if (const auto match = kLibrary.match(message); match.hasMatch())
            return QStringLiteral("Qt needs the system's library %1 to open a window here.").arg(match.captured(1));
    }
    return QStringLiteral("Qt cannot open a window here: %1")
        .arg(messages.isEmpty() ? QStringLiteral("it has no plug-in for this display.") : messages.last().trimmed());
}

void hold(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type != QtFatalMsg) {
        heldMessages << message;
        return;
    }
    const QString sentence = message.contains(QStringLiteral("platform plugin")) ? whyNoDisplay(heldMessages) : message;
    std::fprintf(stderr, "mantissa-lab: %s\n", qPrintable(sentence));
    std::_Exit(DisplayMessages::kExitNoDisplay);  // Qt aborts when this returns
}

}  // namespace

DisplayMessages::DisplayMessages() : m_before(qInstallMessageHandler(hold)) {}

DisplayMessages::~DisplayMessages() {
    qInstallMessageHandler(m_before);
    for (const QString& message : std::as_const(heldMessages)) std::fprintf(stderr, "%s\n", qPrintable(message));
    heldMessages.clear();
}

}  // namespace mantissa::gui
