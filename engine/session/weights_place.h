// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/experiment.h"

namespace mantissa {

/// What `make` returns, which may have to read `weights`: what is wrong with that file is said at the key that names it.
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
