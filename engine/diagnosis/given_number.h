// SPDX-License-Identifier: Apache-2.0
// A number as someone gives it: as a text, or as a format's bits, of which single ones are flipped. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/diagnosis/number_bits.h"

namespace mantissa {

/// An fp32 value; and the bits, where they were given in a format: rounding the value back would make a NaN quiet, and saturate an Inf.
struct GivenNumber {
    float value = 0;
    std::optional<Dtype> heldIn{};
    std::uint32_t heldBits = 0;
};

GivenNumber givenBits(Dtype dtype, std::uint32_t bits);
/// `bit` counts from the mantissa's last one.
GivenNumber withFlippedBit(const NumberBits& number, int bit);

/// As numberBits of the value; in the format that the bits were given in, these bits and no error. Beside Inf stands the largest number.
NumberBits numberBits(const GivenNumber& given, Dtype dtype, const RoundingMode& mode = {});

struct TypedNumber {
    GivenNumber number;
    double exact = 0;  // what was typed
    /// Every format is a rounding of fp32: the typed number was rounded to it first.
    bool isRounded() const { return exact == exact && static_cast<double>(number.value) != exact; }
};

/// "0.1", "-1e-7", "2^-24", "1/3", "pi", "nan", "-inf", a hexadecimal number with its point or power ("0x1.8p-3"), or the bits of `bitsOf`:
/// "0x3c00", "0b0011110000000000", "0 01111 0000000000". Nothing: it is none of these, or bits that the format does not have.
std::optional<TypedNumber> readNumber(std::string_view text, Dtype bitsOf);

}  // namespace mantissa
