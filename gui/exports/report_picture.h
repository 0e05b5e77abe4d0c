// SPDX-License-Identifier: GPL-3.0-or-later
// Renders a written report as a picture: texts, tables, plots and bars of its page, one below the other. It uses Qt's rich text, so frames,
// rounded corners and links are omitted. Pure except for the files it reads; GUI thread only, because of fonts.
#pragma once

#include <QImage>

namespace mantissa::gui {

/// Renders `folder`/index.html, `width` pixels wide, times `ratio`; null if it cannot be read.
QImage reportPicture(const QString& folder, int width, qreal ratio);

}  // namespace mantissa::gui
