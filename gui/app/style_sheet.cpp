// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/style_sheet.h"

namespace mantissa::gui {

QString styleSheet(const Theme& theme) {
    QString sheet = QStringLiteral("QToolTip { background: %raised; color: %ink; border: 1px solid %line; padding: 4px 6px; }\n");
    const std::pair<const char*, QColor> tokens[] = {{"%raised", theme.raised}, {"%ink", theme.ink}, {"%line", theme.line}};
    for (const auto& [token, color] : tokens) sheet.replace(QLatin1String(token), color.name());
    return sheet;
}

}  // namespace mantissa::gui
