// SPDX-License-Identifier: Apache-2.0
// attach, of logs that other programs write.
#pragma once

#include <string>

namespace mantissa {

struct AttachLogOptions {
    std::string path, record;  // file or folder; recording to write, empty: none
    bool json = false, quiet = false, follow = false;
};

/// Whether `attach` is asked for a log, and not for an address or a probe's file.
bool isLogPlace(const std::string& place);
/// Returns the exit code.
int attachLog(const AttachLogOptions& options);

}  // namespace mantissa
