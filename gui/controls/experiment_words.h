// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of an experiment, in the window's language where it is a bundled one. GUI thread only.
#pragma once

#include <QString>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

struct ShownWords {
    QString title;        // of an experiment without one its name
    QString description;  // what it shows
    QString lookFor;      // what to do, and what to look for then
    /// Both sentences, for a tool tip.
    QString text() const { return lookFor.isEmpty() ? description : description + QStringLiteral(" ") + lookFor; }
};

ShownWords shownWords(const BundledExperiment& bundled);
ShownWords shownWords(const ExperimentLoaded& loaded);

}  // namespace mantissa::gui
