// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses destinations of exported files: no existing file is replaced without a confirmation. GUI thread only.
#pragma once

#include <QStringList>

class QWidget;

namespace mantissa {
struct ExperimentLoaded;
}

namespace mantissa::gui {

/// Returns a file name for this experiment, without extension; an experiment from a file has its path as name.
QString experimentStem(const ExperimentLoaded& experiment);

/// Lets the user choose a file. A name that ends in none of `suffixes` gets the first of them. Empty: cancelled.
QString askSavePath(QWidget* parent, const QString& title, const QString& suggested, const QStringList& suffixes);

/// Returns the path of a new folder in `parent`: the name and the time.
QString freshFolder(const QString& parent, const QString& name);

}  // namespace mantissa::gui
