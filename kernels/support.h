// SPDX-License-Identifier: Apache-2.0
// What every backend can do, with the reason for a no: whether a description makes sense at all.
#pragma once

#include "kernels/backend.h"

namespace mantissa {

Support supportOf(const OperationDesc& desc);

}  // namespace mantissa
