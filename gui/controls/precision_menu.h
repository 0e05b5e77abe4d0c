// SPDX-License-Identifier: GPL-3.0-or-later
// What can be changed of a run's precision by a click, as a menu: policies, fp8 scaling, how weights are written, how products round and
// add up. Autocast list, overrides and the rest of fp8's recipe are the experiment's.
// Each entry is a request to the engine, which refuses what does not go together.
#pragma once

#include "gui/link/engine_client.h"
#include "gui/link/lab.h"

class QMenu;

namespace mantissa::gui {

void fillPrecisionMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run);

/// A run's precision with another policy: autocast list and overrides stay, what concerned the policy before goes.
PrecisionSettings withPolicy(const PrecisionSettings& precision, const std::string& policy);

/// "FP16" for the policy "fp16".
QString policyText(const QString& policy);

/// The formats that a layer of the run may be forced to, and "as the policy".
void fillFormatMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run, const LayerLine& layer);

}  // namespace mantissa::gui
