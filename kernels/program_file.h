// SPDX-License-Identifier: Apache-2.0
// Where this program's file lies. Any thread.
#pragma once

#include <filesystem>

namespace mantissa {

/// Absolute, without symbolic links; empty where the system does not say. By /proc where there is one, else by the name that the program
/// was started with.
std::filesystem::path programFile();

}  // namespace mantissa
