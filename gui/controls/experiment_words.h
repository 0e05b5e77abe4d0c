// SPDX-License-Identifier: GPL-3.0-or-later
// The texts about an experiment, translated for bundled ones, and about what came of it. GUI thread only.
#pragma once

#include <QString>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

class SessionModel;

struct ShownWords {
    QString title;        // its name if it has no title
    QString description;  // what it shows
    QString lookFor;      // what to do, and what to observe
    /// Returns both sentences, for a tool tip.
    QString text() const { return lookFor.isEmpty() ? description : description + QStringLiteral(" ") + lookFor; }
};

ShownWords shownWords(const BundledExperiment& bundled);
ShownWords shownWords(const ExperimentLoaded& loaded);

/// Returns what came of the training once it has ended: each shown run's loss, what is wrong with it, and its skips. Empty before.
QString findingText(const SessionModel& session);

}  // namespace mantissa::gui
