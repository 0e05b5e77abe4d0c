// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of a run's precision: policies, fp8 scaling, how weights are written, how products round and accumulate. Autocast list,
// overrides and other settings of fp8 are set in the experiment only. Each entry is a request to the engine, which refuses invalid
// combinations.
#pragma once

#include "gui/link/engine_client.h"
#include "gui/link/session_model.h"

class QMenu;

namespace mantissa::gui {

void fillPrecisionMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run);

/// Returns a run's precision with another policy: keeps autocast list and overrides, drops settings specific to the previous policy.
PrecisionSettings withPolicy(const PrecisionSettings& precision, const std::string& policy);

/// Returns a policy's displayed name: "FP16" for "fp16".
QString policyText(const QString& policy);

/// Fills the menu with the formats that a layer of the run may be forced to, and "as the policy".
void fillFormatMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run, const LayerLine& layer);

}  // namespace mantissa::gui
