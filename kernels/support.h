// SPDX-License-Identifier: Apache-2.0
// Whether every backend can run an operation: checks the description itself, with a reason if it is invalid.
#pragma once

#include "kernels/backend.h"

namespace mantissa {

Support supportOf(const OperationDesc& desc);

}  // namespace mantissa
