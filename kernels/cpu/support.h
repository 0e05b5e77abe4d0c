// SPDX-License-Identifier: Apache-2.0
// What the CPU backend can do, with the reason for a no.
#pragma once

#include "kernels/backend.h"

namespace mantissa::cpu {

Support supportOf(const OperationDesc& desc);

}  // namespace mantissa::cpu
