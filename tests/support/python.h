// SPDX-License-Identifier: Apache-2.0
// Finds a Python for tests. Tests that need one are skipped if it is missing.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>

namespace mantissa {

/// Modules that exported PyTorch programs need; GradScaler requires PyTorch 2.3.
inline const std::string kTorch = "torch, numpy; torch.amp.GradScaler";

/// Returns the first Python that has all of `modules` ("torch, numpy"): the one named by MANTISSA_PYTHON, then python3, then Debian's.
/// Empty: none.
inline std::string pythonWith(const std::string& modules) {
    const char* named = std::getenv("MANTISSA_PYTHON");
    for (const std::string python : {named == nullptr ? "" : named, "python3", "/usr/bin/python3"})
        if (!python.empty() && std::system((python + " -c 'import " + modules + "' >/dev/null 2>&1").c_str()) == 0) return python;
    return "";
}

}  // namespace mantissa
