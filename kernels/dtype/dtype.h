// SPDX-License-Identifier: Apache-2.0
// The number formats and their properties; other files read them from here.
// Pure values; any thread. Sources: IEEE 754-2019 (fp32, fp16); NVIDIA "Ampere architecture" (tf32); Kalamkar et al. 2019, arXiv 1905.12322
// (bf16); Micikevicius et al. 2022, arXiv 2209.05433 (fp8); OCP Microscaling Formats 1.0, 2023 (fp6, fp4, e8m0).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa {

/// The number formats. F32 to E5M2 are formats of tensors (tf32: of values on their way into a product). E2M3, E3M2 and E2M1 are elements
/// and E8M0 is the scale of block formats (block_format.h): numbers can be converted to them, but no tensor is stored in them alone.
enum class Dtype : std::uint8_t { F32, TF32, F16, BF16, E4M3, E5M2, E2M3, E3M2, E2M1, E8M0 };

inline constexpr std::array kAllDtypes{Dtype::F32,  Dtype::TF32, Dtype::F16,  Dtype::BF16, Dtype::E4M3,
                                       Dtype::E5M2, Dtype::E2M3, Dtype::E3M2, Dtype::E2M1, Dtype::E8M0};

/// The compute dtypes that a policy or an override can name.
inline constexpr std::array kComputeDtypes{Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16};

/// The special values of a format. NanOnly: one NaN, all bits set; None: overflow always gives the largest finite value.
enum class Specials : std::uint8_t { InfAndNan, NanOnly, None };

constexpr bool isFp8(Dtype dtype) {
    return dtype == Dtype::E4M3 || dtype == Dtype::E5M2;
}

struct DtypeFacts {
    Dtype dtype;
    std::string_view name;        // "fp16": files, command line, CSV
    std::string_view screenName;  // "FP16": window
    int exponentBits;
    int mantissaBits;  // stored fraction bits, without the implicit one
    int bias;
    int storageBits;  // of one stored element; tf32 values are stored in 32 bits
    bool isStorable;  // a tensor's storage dtype; false for tf32 and for the parts of block formats
    bool isSigned;    // e8m0 has neither sign nor zero
    Specials specials;
    double maxFinite;
    double minNormal;
    double minSubnormal;  // e8m0 has none: its smallest value
    double epsilon;       // machine epsilon: the gap above 1
    double overflowFrom;  // smallest magnitude that nearest-even rounds beyond maxFinite; e4m3 keeps 464: the next fp32 number
    double flushBelow;    // largest magnitude that nearest-even rounds to 0

    constexpr int codeBits() const { return (isSigned ? 1 : 0) + exponentBits + mantissaBits; }
    constexpr std::size_t storageBytes() const { return static_cast<std::size_t>(storageBits) / 8; }  // formats of whole bytes
    constexpr double unitRoundoff() const { return epsilon / 2; }
};

const DtypeFacts& facts(Dtype dtype);

/// Finds a format by file name ("fp16"); nothing if unknown. Case-sensitive. "e4m3" and "e5m2" also mean fp8_e4m3 and fp8_e5m2.
std::optional<Dtype> dtypeFromName(std::string_view name);

}  // namespace mantissa
