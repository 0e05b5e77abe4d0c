// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/experiment.h"

namespace mantissa {

/// Returns make(). An InputError about the file `weights` is rethrown at the key that names it, /init/weights.
template <class Make>
auto atWeights(const std::string& weights, Make make) {
    try {
        return make();
    } catch (const InputError& error) {
        if (weights.empty() || error.source() != weights) throw;
        throw InputError("", "/init/weights", error.what());
    }
}

}  // namespace mantissa
