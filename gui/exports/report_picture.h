// SPDX-License-Identifier: GPL-3.0-or-later
// A written report as a picture: its page as a browser would lay it out, but for the coloured bars of memory. Pure but for the files it
// reads; GUI thread only, for its fonts.
#pragma once

#include <QImage>

namespace mantissa::gui {

/// Of `folder`/index.html, so many pixels wide, times `ratio`; null where it cannot be read.
QImage reportPicture(const QString& folder, int width, qreal ratio);

}  // namespace mantissa::gui
