// SPDX-License-Identifier: Apache-2.0
// A number as a user enters it: as text, or as the bits of a format, which can be flipped. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/diagnosis/number_bits.h"

namespace mantissa {

/// An fp32 value, with its bits if they were entered in a format. Rounding the value back would make a NaN quiet, and saturate an Inf.
struct GivenNumber {
    float value = 0;
    std::optional<Dtype> heldIn{};
    std::uint32_t heldBits = 0;
};

GivenNumber givenBits(Dtype dtype, std::uint32_t bits);
/// Returns the number with one bit flipped; bit 0 is the last one of the mantissa.
GivenNumber withFlippedBit(const NumberBits& number, int bit);

/// Returns `numberBits` of the value; in the format of the entered bits, these bits without an error. The neighbour of Inf is the largest
/// number.
NumberBits numberBits(const GivenNumber& given, Dtype dtype, const RoundingMode& mode = {});

struct TypedNumber {
    GivenNumber number;
    double exact = 0;  // the number as typed
    /// Whether the typed number was rounded to fp32, from which every format is rounded.
    bool isRounded() const { return exact == exact && static_cast<double>(number.value) != exact; }
};

/// Parses "0.1", "-1e-7", "2^-24", "1/3", "pi", "nan", "-inf", a hexadecimal number with a point or power ("0x1.8p-3"), or bits of
/// `bitsOf`: "0x3c00", "0b0011110000000000", "0 01111 0000000000". Returns nothing for other texts and for bits that the format does not
/// have.
std::optional<TypedNumber> readNumber(std::string_view text, Dtype bitsOf);

}  // namespace mantissa
