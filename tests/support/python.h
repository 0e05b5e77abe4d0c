// SPDX-License-Identifier: Apache-2.0
// Which Python a test may use. Tests that need one are skipped where it is missing.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>

namespace mantissa {

/// What exported PyTorch programs need; GradScaler is of PyTorch 2.3.
inline const std::string kTorch = "torch, numpy; torch.amp.GradScaler";

/// The first Python that has all of `modules`, "torch, numpy": the one that MANTISSA_PYTHON names, then python3, then Debian's. Empty: none
/// has.
inline std::string pythonWith(const std::string& modules) {
    const char* named = std::getenv("MANTISSA_PYTHON");
    for (const std::string python : {named == nullptr ? "" : named, "python3", "/usr/bin/python3"})
        if (!python.empty() && std::system((python + " -c 'import " + modules + "' >/dev/null 2>&1").c_str()) == 0) return python;
    return "";
}

}  // namespace mantissa
