// SPDX-License-Identifier: Apache-2.0
// The number formats: which there are, and the facts of each. The one place for format facts.
// Pure values; any thread. Sources: IEEE 754-2019 (fp32, fp16); NVIDIA "Ampere architecture" (tf32);
// Kalamkar et al. 2019, arXiv 1905.12322 (bf16).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa {

enum class Dtype : std::uint8_t { F32, TF32, F16, BF16 };

inline constexpr std::array kAllDtypes{Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16};

struct DtypeFacts {
    Dtype dtype;
    std::string_view name;        // "fp16": files, command line, CSV
    std::string_view screenName;  // "FP16": window
    int exponentBits;
    int mantissaBits;             // stored fraction bits, without the implicit one
    int bias;
    int storageBits;              // of one element at rest; tf32 values live in 32-bit containers
    bool isStorable;              // false for tf32: a compute dtype, never a storage dtype
    double maxFinite;
    double minNormal;
    double minSubnormal;
    double epsilon;               // machine epsilon: the gap above 1
    double overflowFrom;          // smallest magnitude that round-to-nearest-even turns into Inf
    double flushBelow;            // largest magnitude that round-to-nearest-even turns into 0

    constexpr std::size_t storageBytes() const { return static_cast<std::size_t>(storageBits) / 8; }
    constexpr double unitRoundoff() const { return epsilon / 2; }
};

const DtypeFacts& facts(Dtype dtype);

/// By file name ("fp16") or nothing. Case matters.
std::optional<Dtype> dtypeFromName(std::string_view name);

}  // namespace mantissa
