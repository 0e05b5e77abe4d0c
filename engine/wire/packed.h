// SPDX-License-Identifier: Apache-2.0
// Packed values within messages: little-endian numbers, and lists of magnitude cells. Pure functions; any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/diagnosis/histogram.h"

namespace mantissa {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// A number as this machine has it, from or to the order of its bytes on the wire.
template <class T>
T littleEndian(T value) {
    if constexpr (std::endian::native == std::endian::little) return value;
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
}

/// The number at a byte of a column, which holds it whole.
template <class T>
T packedAt(std::span<const std::uint8_t> column, std::size_t byte) {
    BitsOf<T> bits = 0;
    std::memcpy(&bits, column.subspan(byte, sizeof bits).data(), sizeof bits);
    return std::bit_cast<T>(littleEndian(bits));
}

/// For each cell how far it lies from the one before, and its count; both seven bits a byte, the lowest first (LEB128).
std::vector<std::uint8_t> packCells(const std::vector<Histogram::Cell>& cells);
/// Nothing for bytes that are no such list.
std::optional<std::vector<Histogram::Cell>> unpackCells(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> packFloats(std::span<const float> numbers);
/// Of four bytes each; what is left at the end is ignored.
std::vector<float> unpackFloats(std::span<const std::uint8_t> bytes);

/// Bytes as text, two characters each, for where messages are stored as text.
std::string hexText(std::span<const std::uint8_t> bytes);
/// Nothing for text that is none of bytes.
std::optional<std::vector<std::uint8_t>> bytesOfHex(std::string_view text);

}  // namespace mantissa
