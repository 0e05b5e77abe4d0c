// SPDX-License-Identifier: Apache-2.0
// Path of this program's file. Any thread.
#pragma once

#include <filesystem>

namespace mantissa {

/// Absolute path without symbolic links; empty if the system does not provide it. From /proc if available, otherwise from the name by which
/// the program was started.
std::filesystem::path programFile();

}  // namespace mantissa
