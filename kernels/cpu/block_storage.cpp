// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/block_storage.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "kernels/cpu/block_paths.h"
#include "kernels/cpu/vector_loop.h"

namespace mantissa::cpu {
namespace {

constexpr std::int64_t kPart = 1024;  // elements that are decoded together
using PartCodes = std::array<std::uint8_t, kPart>;

MANTISSA_LOOP void packFours(const std::uint8_t* codes, std::uint8_t* packed, std::int64_t pairs) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < pairs; ++i) packed[i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4);
}

MANTISSA_LOOP void unpackFours(const std::uint8_t* packed, std::uint8_t* codes, std::int64_t pairs) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < pairs; ++i) {
        codes[2 * i] = packed[i] & 15u;
        codes[2 * i + 1] = static_cast<std::uint8_t>(packed[i] >> 4);
    }
}

MANTISSA_LOOP void packSixes(const std::uint8_t* codes, std::uint8_t* packed, std::int64_t groups) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < groups; ++i) {
        const std::uint8_t *from = codes + 4 * i, a = from[0], b = from[1], c = from[2], d = from[3];
        packed[3 * i] = static_cast<std::uint8_t>(a | b << 6);
        packed[3 * i + 1] = static_cast<std::uint8_t>(b >> 2 | c << 4);
        packed[3 * i + 2] = static_cast<std::uint8_t>(c >> 4 | d << 2);
    }
}

MANTISSA_LOOP void unpackSixes(const std::uint8_t* packed, std::uint8_t* codes, std::int64_t groups) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < groups; ++i) {
        const std::uint8_t x = packed[3 * i], y = packed[3 * i + 1], z = packed[3 * i + 2];
        codes[4 * i] = x & 63u;
        codes[4 * i + 1] = static_cast<std::uint8_t>((x >> 6 | y << 2) & 63);
        codes[4 * i + 2] = static_cast<std::uint8_t>((y >> 4 | z << 4) & 63);
        codes[4 * i + 3] = static_cast<std::uint8_t>(z >> 2);
    }
}

int bitsOf(const BlockFormat& format) {
    return facts(format.element).storageBits;
}

constexpr std::int64_t kGroup = 4;  // elements of whole bytes: 2 bytes of fp4, 3 of fp6

/// Whole groups of packed codes at `packed`.
void unpackGroups(int bits, const std::uint8_t* packed, std::uint8_t* codes, std::int64_t groups) {
    if (bits == 4) return unpackFours(packed, codes, 2 * groups);
    unpackSixes(packed, codes, groups);
}

/// Codes of elements [first, first + count), count <= kPart - 2 kGroup: where they lie in `room`, or in place.
const std::uint8_t* codesOf(const BlockFormat& format, MatrixShape shape, const std::uint8_t* stored, std::int64_t first,
                            std::int64_t count, PartCodes& room) {
    const int bits = bitsOf(format);
    if (bits == 8) return stored + first;
    const std::int64_t begin = first / kGroup * kGroup, end = first + count, whole = std::min(end, shape.count() / kGroup * kGroup);
    const std::int64_t groups = std::max<std::int64_t>(0, (whole - begin + kGroup - 1) / kGroup);
    unpackGroups(bits, stored + begin * bits / 8, room.data(), groups);
    if (const std::int64_t last = begin + groups * kGroup; last < end) {  // the matrix ends within a group
        std::array<std::uint8_t, 3> bytes{};
        std::memcpy(bytes.data(), stored + last * bits / 8, static_cast<std::size_t>(format.packedBytes(shape) - last * bits / 8));
        unpackGroups(bits, bytes.data(), room.data() + (last - begin), 1);
    }
    return room.data() + (first - begin);
}

}  // namespace

void packElements(const BlockFormat& format, const std::uint8_t* codes, void* stored, std::int64_t first, std::int64_t count) {
    assert(first % kGroup == 0);
    const int bits = bitsOf(format);
    auto* const packed = static_cast<std::uint8_t*>(stored) + first * bits / 8;
    if (bits == 8) {
        std::memcpy(packed, codes, static_cast<std::size_t>(count));
        return;
    }
    const auto pack = [bits](const std::uint8_t* from, std::uint8_t* to, std::int64_t groups) {
        bits == 4 ? packFours(from, to, 2 * groups) : packSixes(from, to, groups);
    };
    const std::int64_t groups = count / kGroup, rest = count % kGroup;
    pack(codes, packed, groups);
    if (rest == 0) return;
    std::array<std::uint8_t, kGroup> last{};
    std::array<std::uint8_t, kGroup> bytes{};
    std::memcpy(last.data(), codes + groups * kGroup, static_cast<std::size_t>(rest));
    pack(last.data(), bytes.data(), 1);
    std::memcpy(packed + groups * kGroup * bits / 8, bytes.data(), static_cast<std::size_t>((rest * bits + 7) / 8));
}

void decodeStored(const BlockFormat& format, MatrixShape given, const void* stored, std::int64_t first, std::int64_t count, float* values) {
    const BlockPath& path = blockPaths().front();
    const auto* const bytes = static_cast<const std::uint8_t*>(stored);
    const std::uint8_t* const scales = bytes + format.packedBytes(given);
    // Blocks along rows that divide the rows are those of one long row.
    const bool isOneRow = format.block.rows == 1 && given.cols % format.block.cols == 0;
    const MatrixShape shape = isOneRow ? MatrixShape{1, given.count()} : given;
    const std::int64_t width = format.block.cols, scaleCols = format.scales(shape).cols;
    const auto bytesOfScale = static_cast<std::int64_t>(facts(format.scale).storageBytes());
    const std::int64_t part = width < kPart / 2 ? kPart / 2 / width * width : kPart / 2;  // whole blocks
    PartCodes room;
    std::array<float, kPart> decoded;
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t at = first + done, row = at / shape.cols, col = at % shape.cols, inBlock = col % width;
        // The next part of the row: the rest of a block, or as many whole blocks as fit.
        const std::int64_t most = inBlock == 0 ? part : std::min(width - inBlock, kPart / 2);
        const std::int64_t n = std::min({most, shape.cols - col, count - done});
        const std::uint8_t* const scaleCodes = scales + (row / format.block.rows * scaleCols + col / width) * bytesOfScale;
        path.rounding->decode(format.scale, scaleCodes, decoded.data(), static_cast<std::size_t>((n + width - 1) / width));
        path.rounding->decode(format.element, codesOf(format, shape, bytes, at, n, room), values + done, static_cast<std::size_t>(n));
        path.numbers(format, 1, decoded.data(), values + done, static_cast<std::size_t>(n));
        done += n;
    }
}

}  // namespace mantissa::cpu
