// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a run's precision can be, as a menu: policies, fp8 scaling, how weights are written, how products round and add up.
// Each entry is a wish to the engine, which refuses what does not go together.
#pragma once

#include "gui/link/engine_client.h"
#include "gui/link/lab.h"

class QMenu;

namespace mantissa::gui {

void fillPrecisionMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run);

/// What a run's precision is beside its policy: "operands nearest-even", "delayed scaling, layers.2 FP32"; empty when there is nothing.
QString precisionDetail(const RunSettings& settings);

/// "FP16" for the policy "fp16".
QString policyText(const QString& policy);

}  // namespace mantissa::gui
