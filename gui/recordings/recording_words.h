// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about a listed recording. GUI thread only.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

std::vector<ListedRecording> latestFirst(std::vector<ListedRecording> recordings);
/// Returns the title of the recording's experiment, or the file's name if it has none.
QString titleText(const ListedRecording& recording);
/// Returns the start in local time: "21 Nov 2026, 22:05".
QString startedText(const ListedRecording& recording);
/// Returns the distinct formats in the order of the runs: "FP32, FP16, BF16".
QString formatsText(const ListedRecording& recording);
/// Returns the final losses of some runs: "Final loss: FP32 0.0123, FP16 NaN"; empty if none is known.
QString lossesText(const ListedRecording& recording);
/// Returns the smallest finite final loss of the runs; nothing: none.
std::optional<double> leastFinalLoss(const ListedRecording& recording);

}  // namespace mantissa::gui
