// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/block_paths.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cpu/vector_paths.h"
#include "kernels/dtype/block_scaling.h"

namespace mantissa::cpu {
namespace {

/// The arithmetic of MX and block FP8 with the interface of Nvfp4: blocks without a tensor scale.
struct OneLevelScaling {
    static float scaled(float x, float factor, float) { return x * factor; }
    static float number(float q, float scale, float) { return q * scale; }
};

template <typename Use>
void withScaling(const BlockFormat& format, Use use) {
    if (!format.isNvfp4()) return use(OneLevelScaling{});
    withDialect(format.dialect, use);
}

std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return a < b ? b : a;
}

template <VectorPath path>
struct BlockLoops {
    /// map(i, block): each column with its block. The inner loops of fixed length are vectorised.
    template <std::size_t width, typename Map>
    static void forWidth(std::size_t cols, Map map) {
        VectorLoop<path>::run(0, cols / width, [map](std::size_t block) {
#pragma GCC ivdep
            for (std::size_t i = block * width; i < block * width + width; ++i) map(i, block);
        });
        const std::size_t whole = cols / width * width;
        VectorLoop<path>::run(whole, cols, [map, whole](std::size_t i) { map(i, whole / width); });
    }
    template <typename Map>
    static void forColumns(std::size_t width, std::size_t cols, Map map) {
        if (width == 1) return VectorLoop<path>::run(0, cols, [map](std::size_t i) { map(i, i); });
        if (width == 16) return forWidth<16>(cols, map);
        if (width == 32) return forWidth<32>(cols, map);
        for (std::size_t first = 0; first < cols; first += width) {
            const std::size_t block = first / width;
            VectorLoop<path>::run(first, std::min(first + width, cols), [map, block](std::size_t i) { map(i, block); });
        }
    }

    /// Uses 64 lanes, since gcc does not vectorise a loop with a maximum of unsigned numbers.
    static std::uint32_t largest(const float* values, std::size_t count) {
        constexpr std::size_t kLanes = 64;
        std::uint32_t lanes[kLanes] = {};
        const auto magnitude = [](float x) {
            const std::uint32_t bits = floatBits(x) & ~kFloatSign;
            return bits > kFloatInf ? 0u : bits;
        };
        const std::size_t whole = count / kLanes * kLanes;
        for (std::size_t first = 0; first < whole; first += kLanes) {
            const float* const from = values + first;
            std::uint32_t* const into = lanes;
            VectorLoop<path>::run(0, kLanes, [=](std::size_t i) { into[i] = larger(into[i], magnitude(from[i])); });
        }
        std::uint32_t result = *std::max_element(lanes, lanes + kLanes);
        for (std::size_t i = whole; i < count; ++i) result = larger(result, magnitude(values[i]));
        return result;
    }

    static void columnMagnitudes(const BlockFormat& format, const float* strip, std::size_t rows, std::size_t stride,
                                 std::uint32_t* magnitudes, std::size_t cols) {
        const std::uint32_t limit = format.isSearched() ? kFloatInf : ~kFloatSign;
        const auto magnitude = [limit](float x) {
            const std::uint32_t bits = floatBits(x) & ~kFloatSign;
            return bits > limit ? 0u : bits;
        };
        VectorLoop<path>::run(0, cols, [=](std::size_t i) { magnitudes[i] = magnitude(strip[i]); });
        for (std::size_t row = 1; row < rows; ++row) {
            const float* const from = strip + row * stride;
            VectorLoop<path>::run(0, cols, [=](std::size_t i) { magnitudes[i] = larger(magnitudes[i], magnitude(from[i])); });
        }
    }

    template <std::size_t width>
    static void blockMagnitudesOf(const std::uint32_t* columns, std::uint32_t* blocks, std::size_t cols) {
        VectorLoop<path>::run(0, cols / width, [=](std::size_t block) {
            std::uint32_t magnitude = 0;
            for (std::size_t i = 0; i < width; ++i) magnitude = larger(magnitude, columns[block * width + i]);
            blocks[block] = magnitude;
        });
        if (cols % width != 0) blocks[cols / width] = *std::max_element(columns + cols / width * width, columns + cols);
    }
    static void blockMagnitudes(const std::uint32_t* columns, std::size_t width, std::uint32_t* blocks, std::size_t cols) {
        if (width == 1) std::copy_n(columns, cols, blocks);
        if (width == 16) blockMagnitudesOf<16>(columns, blocks, cols);
        if (width == 32) blockMagnitudesOf<32>(columns, blocks, cols);
        if (width == 1 || width == 16 || width == 32) return;
        for (std::size_t first = 0; first < cols; first += width)
            blocks[first / width] = *std::max_element(columns + first, columns + std::min(first + width, cols));
    }

    static void scaleCodes(const BlockFormat& format, float tensorScale, const std::uint32_t* magnitudes, std::uint8_t* codes,
                           std::size_t blocks) {
        const auto map = [=](auto code) {
            VectorLoop<path>::run(0, blocks, [=](std::size_t i) { codes[i] = static_cast<std::uint8_t>(code(magnitudes[i])); });
        };
        const MxElement element = mxElementOf(format.element);
        if (format.hasFp32Scales()) {
            for (std::size_t i = 0; i < blocks; ++i) {
                const float scale = fp32Scale(fp32Factor(element, magnitudes[i]));
                std::memcpy(codes + i * sizeof scale, &scale, sizeof scale);
            }
        } else if (format.isMx()) {
            withScaleRule(format.rule, [=](auto tag) {
                map([element](std::uint32_t magnitude) { return mxScaleCode<decltype(tag)::kValue>(element, magnitude); });
            });
        } else {
            withDialect(format.dialect, [=](auto dialect) {
                map([tensorScale](std::uint32_t magnitude) { return decltype(dialect)::scaleCode(magnitude, tensorScale); });
            });
        }
    }

    static void factors(const BlockFormat& format, float tensorScale, const float* scales, const std::uint8_t* codes,
                        const std::uint32_t* magnitudes, float* factors, std::size_t blocks) {
        if (format.hasFp32Scales()) {
            const MxElement element = mxElementOf(format.element);
            return VectorLoop<path>::run(0, blocks, [=](std::size_t i) { factors[i] = fp32Factor(element, magnitudes[i]); });
        }
        if (format.isMx()) return VectorLoop<path>::run(0, blocks, [=](std::size_t i) { factors[i] = mxFactor(codes[i]); });
        withDialect(format.dialect, [=](auto dialect) {
            VectorLoop<path>::run(0, blocks, [=](std::size_t i) { factors[i] = decltype(dialect)::blockFactor(scales[i], tensorScale); });
        });
    }

    static void scale(const BlockFormat& format, float tensorScale, const float* factors, const float* row, float* scaled,
                      std::size_t cols) {
        const float largest = static_cast<float>(facts(format.element).maxFinite);
        withScaling(format, [=, width = static_cast<std::size_t>(format.block.cols)](auto scaling) {
            forColumns(width, cols, [=](std::size_t i, std::size_t block) {
                const float x = decltype(scaling)::scaled(row[i], factors[block], tensorScale);
                scaled[i] = x != x ? floatFromBits(kFloatNan) : saturated(x, largest);
            });
        });
    }

    static void search(const BlockFormat& format, const float* scales, const float* row, std::uint8_t* codes, std::size_t cols) {
        // The search loop within a block is too long for vectorisation.
        std::array<float, kBlockColumns> ofColumns;
        float* const s = ofColumns.data();
        forColumns(static_cast<std::size_t>(format.block.cols), cols, [=](std::size_t i, std::size_t block) { s[i] = scales[block]; });
        VectorLoop<path>::run(0, cols, [=](std::size_t i) {
            codes[i] = static_cast<std::uint8_t>(Nvfp4<Nvfp4Dialect::LlamaCpp>::nearestCode(row[i], s[i]));
        });
    }

    static void numbers(const BlockFormat& format, float tensorScale, const float* scales, float* elements, std::size_t cols) {
        withScaling(format, [=, width = static_cast<std::size_t>(format.block.cols)](auto scaling) {
            forColumns(width, cols, [=](std::size_t i, std::size_t block) {
                elements[i] = decltype(scaling)::number(elements[i], scales[block], tensorScale);
            });
        });
    }

    static BlockPath table(const RoundPath& rounding) {
        return {&rounding, largest, columnMagnitudes, blockMagnitudes, scaleCodes, factors, scale, search, numbers};
    }
};

}  // namespace

const std::vector<BlockPath>& blockPaths() {
    static const std::vector<BlockPath> kPaths = [] {
        std::vector<BlockPath> paths;
        const RoundPath* rounding = roundPaths().data();
        if (canRun(VectorPath::Avx512)) paths.push_back(BlockLoops<VectorPath::Avx512>::table(*rounding++));
        if (canRun(VectorPath::Avx2)) paths.push_back(BlockLoops<VectorPath::Avx2>::table(*rounding++));
        paths.push_back(BlockLoops<VectorPath::Portable>::table(*rounding));
        return paths;
    }();
    return kPaths;
}

}  // namespace mantissa::cpu
