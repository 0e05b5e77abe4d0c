// SPDX-License-Identifier: Apache-2.0
// `attach` for log files of other programs.
#pragma once

#include <string>

namespace mantissa {

struct AttachLogOptions {
    std::string path, record;  // file or folder; the recording to write, empty: none
    bool json = false, quiet = false, follow = false;
};

/// Whether `attach` was given a log, not an address or a probe's file.
bool isLogPlace(const std::string& place);
/// Runs `attach` on a log. Returns the exit code.
int attachLog(const AttachLogOptions& options);

}  // namespace mantissa
