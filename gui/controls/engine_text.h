// SPDX-License-Identifier: GPL-3.0-or-later
// Translates the engine's texts into the window's language. GUI thread only.
#pragma once

#include <QString>
#include <string>
#include <string_view>

#include "engine/telemetry/text.h"

namespace mantissa::gui {

/// Returns a translated sentence, in English if no catalogue has its pattern; names of tensors and numbers are the same in every language.
QString engineText(const Text& text);
/// Translates a name from a table of the engine, such as the label of a setting.
QString engineText(const std::string& name);
/// Returns a name of the engine untranslated: of a format, of a scaler.
QString nameText(std::string_view name);

}  // namespace mantissa::gui
