// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/round_array.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/round_paths.h"

namespace mantissa {
namespace cpu {
namespace {

constexpr std::size_t kBlock = 1024;  // values and random bits in the L1 cache

/// Rounds at most kBlock elements in `mode`. Encoding may do the rounding to nearest even.
void roundBlock(const RoundPath& path, Dtype dtype, const float* src, float* dst, std::size_t count, const RoundingMode& mode,
                std::uint64_t firstIndex, bool isEncodedNext = false) {
    if (mode.saturate) {
        path.saturate(dtype, src, dst, count);
        src = dst;
    }
    if (isEncodedNext && mode.rounding == Rounding::NearestEven) return;
    std::array<std::uint32_t, kBlock + 8> random;  // whole generator blocks; the array may use only part of the first and last
    const std::size_t unused = firstIndex % 4;
    if (mode.rounding == Rounding::Stochastic) path.draw(mode, firstIndex / 4, random.data(), (unused + count + 3) / 4);
    path.round(dtype, mode.rounding, src, dst, random.data() + unused, count);
}

template <typename Work>
void forBlocks(std::size_t count, Work work) {
    for (std::size_t first = 0; first < count; first += kBlock) work(first, std::min(kBlock, count - first));
}

}  // namespace

void roundOn(const RoundPath& path, Dtype dtype, const float* src, float* dst, std::size_t count, const RoundingMode& mode,
             std::uint64_t firstIndex) {
    if (!mode.saturate && mode.rounding != Rounding::Stochastic) return path.round(dtype, mode.rounding, src, dst, nullptr, count);
    forBlocks(count,
              [&](std::size_t first, std::size_t n) { roundBlock(path, dtype, src + first, dst + first, n, mode, firstIndex + first); });
}

void encodeOn(const RoundPath& path, Dtype dtype, const float* src, void* dst, std::size_t count, const RoundingMode& mode,
              std::uint64_t firstIndex) {
    if (!mode.saturate && mode.rounding == Rounding::NearestEven) return path.encode(dtype, src, dst, count);
    // A rounded value is a number of the format, so encoding it to nearest even is exact.
    const std::size_t codeBytes = static_cast<std::size_t>(facts(dtype).storageBits + 7) / 8;
    forBlocks(count, [&](std::size_t first, std::size_t n) {
        std::array<float, kBlock> rounded;
        roundBlock(path, dtype, src + first, rounded.data(), n, mode, firstIndex + first, true);
        path.encode(dtype, rounded.data(), static_cast<std::byte*>(dst) + first * codeBytes, n);
    });
}

}  // namespace cpu

void roundArray(Dtype dtype, const float* src, float* dst, std::size_t count, const RoundingMode& mode, std::uint64_t firstIndex) {
    cpu::roundOn(cpu::roundPaths().front(), dtype, src, dst, count, mode, firstIndex);
}

void encodeArray(Dtype dtype, const float* src, void* dst, std::size_t count, const RoundingMode& mode, std::uint64_t firstIndex) {
    cpu::encodeOn(cpu::roundPaths().front(), dtype, src, dst, count, mode, firstIndex);
}

void decodeArray(Dtype dtype, const void* src, float* dst, std::size_t count) {
    cpu::roundPaths().front().decode(dtype, src, dst, count);
}

}  // namespace mantissa
