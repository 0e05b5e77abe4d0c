// SPDX-License-Identifier: Apache-2.0
#include "kernels/program_file.h"

#include <sys/auxv.h>

namespace mantissa {

std::filesystem::path programFile() {
    std::error_code error;
    const auto byProc = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) return byProc;
    const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (name == nullptr) return {};
    const auto byName = std::filesystem::canonical(name, error);
    return error ? std::filesystem::path() : byName;
}

}  // namespace mantissa
