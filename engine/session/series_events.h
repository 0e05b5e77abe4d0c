// SPDX-License-Identifier: Apache-2.0
// Series of read-only runs as events. Pure; any thread.
#pragma once

#include <functional>

#include "engine/exchange/imported_run.h"
#include "engine/experiment/messages.h"

namespace mantissa {

void publishSeries(RunId run, const ImportedSeries& series, const std::function<void(Event&&)>& publish);

}  // namespace mantissa
