// SPDX-License-Identifier: GPL-3.0-or-later
// A written report as a picture: the words, tables, plots and bars of its page, one below the other. Qt's text lays them out, which knows
// far less than a browser: frames, rounded corners and links are left out. Pure but for the files it reads; GUI thread only, for its fonts.
#pragma once

#include <QImage>

namespace mantissa::gui {

/// Of `folder`/index.html, so many pixels wide, times `ratio`; null where it cannot be read.
QImage reportPicture(const QString& folder, int width, qreal ratio);

}  // namespace mantissa::gui
