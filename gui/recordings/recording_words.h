// SPDX-License-Identifier: GPL-3.0-or-later
// A listed recording in words, wherever it is listed. GUI thread only.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

std::vector<ListedRecording> latestFirst(std::vector<ListedRecording> recordings);
/// Its experiment's title; of one without its file's name.
QString titleText(const ListedRecording& recording);
/// "21 Nov 2026, 22:05", where the user is.
QString startedText(const ListedRecording& recording);
/// "FP32, FP16, BF16", each once, in the order of the runs.
QString formatsText(const ListedRecording& recording);
/// "Final loss: FP32 0.0123, FP16 NaN", a few of the runs; empty where no loss is known.
QString lossesText(const ListedRecording& recording);
/// The least final loss of its runs; nothing where none is finite.
std::optional<double> leastFinalLoss(const ListedRecording& recording);

}  // namespace mantissa::gui
