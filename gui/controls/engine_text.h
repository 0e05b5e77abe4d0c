// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences that the engine makes, in the window's language where they are fixed: verdicts on runs, headlines of verdicts on steps, names
// of settings. What names tensors, files or the user's own words, and the long explanations, stays English. GUI thread only.
#pragma once

#include <QString>
#include <string>

namespace mantissa::gui {

/// Sentence by sentence; numbers in it are kept. What is in no catalogue comes back as it is.
QString engineText(const std::string& text);

}  // namespace mantissa::gui
