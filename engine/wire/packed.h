// SPDX-License-Identifier: Apache-2.0
// Packed values in messages: little-endian numbers, and lists of magnitude cells. Pure functions; any thread.
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

/// Converts a number between this machine's byte order and the wire's.
template <class T>
T littleEndian(T value) {
    if constexpr (std::endian::native == std::endian::little) return value;
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
}

/// The number at a byte offset of a column, which must contain all of it.
template <class T>
T packedAt(std::span<const std::uint8_t> column, std::size_t byte) {
    BitsOf<T> bits = 0;
    std::memcpy(&bits, column.subspan(byte, sizeof bits).data(), sizeof bits);
    return std::bit_cast<T>(littleEndian(bits));
}

/// Packs cells as LEB128 (seven bits a byte, the lowest first): for each its distance from the one before, and its count.
std::vector<std::uint8_t> packCells(const std::vector<Histogram::Cell>& cells);
/// Unpacks cells; nothing for malformed bytes.
std::optional<std::vector<Histogram::Cell>> unpackCells(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> packFloats(std::span<const float> numbers);
/// Reads numbers of four bytes; ignores remaining bytes at the end.
std::vector<float> unpackFloats(std::span<const std::uint8_t> bytes);

/// Bytes as hexadecimal text, for messages that are stored as text.
std::string hexText(std::span<const std::uint8_t> bytes);
/// Decodes hexadecimal text; nothing if it is malformed.
std::optional<std::vector<std::uint8_t>> bytesOfHex(std::string_view text);

}  // namespace mantissa
