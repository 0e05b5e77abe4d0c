// SPDX-License-Identifier: Apache-2.0
// Conversion between a point of a run and its form in a recording. Pure; any thread.
#pragma once

#include "engine/recording/recording.h"
#include "engine/session/history.h"

namespace mantissa {

/// Converts a point, which must have a snapshot.
StoredSnapshot stored(RunId run, const RunPoint& point);
/// Restores a point. Throws InputError for an invalid one.
RunPoint pointOf(const StoredSnapshot& stored);

}  // namespace mantissa
