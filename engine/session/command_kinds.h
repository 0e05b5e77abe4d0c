// SPDX-License-Identifier: Apache-2.0
// What a session does with a kind of command. Pure functions.
#pragma once

#include "engine/experiment/messages.h"

namespace mantissa {

/// Whether the command changes the experiment's text.
bool changesExperiment(const CommandBody& body);
/// Whether the command needs the runs' present state, so that lagging runs must be re-run first.
bool needsPresent(const CommandBody& body);
/// Whether it is a question about past steps, answered during training.
bool isQuestion(const CommandBody& body);
/// Whether the recording stores it.
bool isKept(const CommandBody& body);

}  // namespace mantissa
