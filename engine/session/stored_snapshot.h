// SPDX-License-Identifier: Apache-2.0
// A point of a run as a recording stores it, and back. Pure; any thread.
#pragma once

#include "engine/recording/recording.h"
#include "engine/session/history.h"

namespace mantissa {

/// `point` must have its snapshot.
StoredSnapshot stored(RunId run, const RunPoint& point);
/// Throws InputError when it is none of ours.
RunPoint pointOf(const StoredSnapshot& stored);

}  // namespace mantissa
