// SPDX-License-Identifier: Apache-2.0
#include "engine/wire/packed.h"

#include <charconv>
#include <utility>

namespace mantissa {
namespace {

void putVarint(std::vector<std::uint8_t>& to, std::uint64_t value) {
    for (; value > 0x7F; value >>= 7) to.push_back(static_cast<std::uint8_t>(value) | 0x80);
    to.push_back(static_cast<std::uint8_t>(value));
}
/// Nothing if the bytes end early, or the number exceeds 32 bits.
std::optional<std::uint32_t> takeVarint(std::span<const std::uint8_t>& from) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 35 && !from.empty(); shift += 7) {
        const std::uint8_t byte = from.front();
        from = from.subspan(1);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return std::in_range<std::uint32_t>(value) ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::uint8_t> packCells(const std::vector<Histogram::Cell>& cells) {
    std::vector<std::uint8_t> bytes;
    std::int32_t before = -1;
    for (const Histogram::Cell& cell : cells) {
        putVarint(bytes, static_cast<std::uint64_t>(cell.index - std::exchange(before, cell.index)));
        putVarint(bytes, cell.count);
    }
    return bytes;
}

std::optional<std::vector<Histogram::Cell>> unpackCells(std::span<const std::uint8_t> bytes) {
    std::vector<Histogram::Cell> cells;
    for (std::int64_t index = -1; !bytes.empty();) {
        const auto step = takeVarint(bytes), count = takeVarint(bytes);
        if (!step || !count || *step == 0 || *count == 0 || (index += *step) >= kCellCount) return std::nullopt;
        cells.push_back({static_cast<std::int32_t>(index), *count});
    }
    return cells;
}

std::vector<std::uint8_t> packFloats(std::span<const float> numbers) {
    std::vector<std::uint8_t> bytes(numbers.size() * sizeof(float));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::uint32_t bits = littleEndian(std::bit_cast<std::uint32_t>(numbers[i]));
        std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    }
    return bytes;
}

std::vector<float> unpackFloats(std::span<const std::uint8_t> bytes) {
    std::vector<float> numbers(bytes.size() / sizeof(float));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = packedAt<float>(bytes, i * sizeof(float));
    return numbers;
}

std::string hexText(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) text += {kDigits[byte >> 4], kDigits[byte & 15]};
    return text;
}

std::optional<std::vector<std::uint8_t>> bytesOfHex(std::string_view text) {
    std::vector<std::uint8_t> bytes(text.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char* const digits = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(digits, digits + 2, bytes[i], 16);
        if (error != std::errc() || end != digits + 2) return std::nullopt;
    }
    return text.size() % 2 == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace mantissa
