// SPDX-License-Identifier: Apache-2.0
// Writes NumPy's files: .npy in version 1, and .npz, a zip archive of .npy without compression. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mantissa {

/// A whole .npy file of float32 or int32 values in C order.
std::string npyBytes(std::span<const float> values, const std::vector<std::int64_t>& shape);
std::string npyBytes(std::span<const std::int32_t> values, const std::vector<std::int64_t>& shape);

/// A whole .npz file of arrays, name -> .npy. Throws std::length_error above 4 GiB, the limit of the plain zip format.
std::string npzBytes(const std::vector<std::pair<std::string, std::string>>& arrays);

}  // namespace mantissa
