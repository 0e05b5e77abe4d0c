// SPDX-License-Identifier: Apache-2.0
// Lists the GPUs, and the reasons why they cannot be used. Any thread; throws nothing.
#pragma once

#include <string>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// The lowest supported compute capability: 8.0, the first with bf16 and tf32.
inline constexpr int kLowestCapability = 80;
/// The first compute capability with fp8 products.
inline constexpr int kFp8Capability = 89;

std::vector<DeviceInfo> devices();

/// "NVIDIA H200, capability 9.0, 140 GiB"; also names formats that it computes without tensor cores.
std::string descriptionOf(const char* name, int capability, std::size_t memoryBytes);

/// DeviceInfo::busId of a GPU at this PCI address.
std::string busIdOf(int domain, int bus, int device);

}  // namespace mantissa::cuda
