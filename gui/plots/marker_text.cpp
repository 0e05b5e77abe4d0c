// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/marker_text.h"

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {

QString changeText(const Marker& marker) {
    // A format needs no label; "loss scale" is too long for a flag, and no other scale is set by hand.
    const QString label = marker.pointer == QLatin1String("/precision")      ? QString()
                          : marker.pointer == QLatin1String("/scaler/scale") ? QObject::tr("scale") + u' '
                                                                             : engineText(marker.label.toStdString()) + u' ';
    const auto shown = [](const QString& value) { return shownText(engineText(value.toStdString())); };  // a choice is translated
    return label + shown(marker.from) + QStringLiteral(" \u2192 ") + shown(marker.to);
}

}  // namespace mantissa::gui
