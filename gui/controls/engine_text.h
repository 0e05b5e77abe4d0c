// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine says, in the window's language. GUI thread only.
#pragma once

#include <QString>
#include <string>

#include "engine/telemetry/text.h"

namespace mantissa::gui {

/// Sentences whose patterns no catalogue holds come back in English; names of tensors and numbers are the same in every language.
QString engineText(const Text& text);
/// A name from a table of the engine, such as the label of a setting.
QString engineText(const std::string& name);

}  // namespace mantissa::gui
