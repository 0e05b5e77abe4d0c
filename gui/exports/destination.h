// SPDX-License-Identifier: GPL-3.0-or-later
// Where files go that leave the window: nothing that is there is replaced without a question about that very name. GUI thread only.
#pragma once

#include <QStringList>

class QWidget;

namespace mantissa {
struct ExperimentLoaded;
}

namespace mantissa::gui {

/// What a file of this experiment may be called, without ending; its name is a path when it came from a file.
QString experimentStem(const ExperimentLoaded& experiment);

/// Asks for a file. A name that ends in none of `suffixes` gets the first of them. Empty: none was chosen.
QString askSavePath(QWidget* parent, const QString& title, const QString& suggested, const QStringList& suffixes);

/// A folder in `parent` that is not there yet: the name and the time.
QString freshFolder(const QString& parent, const QString& name);

}  // namespace mantissa::gui
