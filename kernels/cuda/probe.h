// SPDX-License-Identifier: Apache-2.0
// Which cards there are, and why one cannot be used. Any thread; throws nothing.
#pragma once

#include <string>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// What kernels are compiled for at least: 8.0, the first with bf16 and tf32.
inline constexpr int kLowestCapability = 80;
/// The first with fp8 products.
inline constexpr int kFp8Capability = 89;

std::vector<DeviceInfo> devices();

/// "NVIDIA H200, capability 9.0, 140 GiB"; says what it computes in no tensor core.
std::string descriptionOf(const char* name, int capability, std::size_t memoryBytes);

/// DeviceInfo::busId of a card at this place.
std::string busIdOf(int domain, int bus, int device);

}  // namespace mantissa::cuda
