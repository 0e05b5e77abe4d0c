// SPDX-License-Identifier: Apache-2.0
// Block formats over arrays give what their definition gives number by number: in every shape of block, on every vector path, in pieces, in
// place, and at edges.
#include "kernels/cpu/block_paths.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/dtype/block_scaling.h"
#include "tests/support/blocks.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr MatrixShape kShapes[] = {{1, 1}, {1, 1056}, {3, 17}, {33, 40}, {64, 64}, {70, 1100}, {0, 5}};

/// Numbers over many binades, with zeros, subnormals, Inf and NaN among them.
std::vector<float> mixed(MatrixShape shape, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(shape.count()));
    for (float& x : values) {
        x = std::ldexp(normal(random), static_cast<int>(random() % 12) - 6);
        const auto kind = static_cast<unsigned>(random() % 400);
        if (kind < 40) x = kind % 2 == 0 ? 0.0f : -0.0f;
        if (kind == 41) x = kInf;
        if (kind == 42) x = kNan;
        if (kind == 43) x = 0x1p-140f;
    }
    return values;
}

/// Each format in each shape of block, with each rule or dialect.
std::vector<BlockFormat> everyFormat() {
    std::vector<BlockFormat> all;
    for (const BlockFormat& given : blockFormats()) {
        for (const MatrixShape block : blockShapes(given)) {
            BlockFormat format = given;
            format.block = block;
            const std::vector<BlockFormat> variants = everyVariant(format);
            all.insert(all.end(), variants.begin(), variants.end());
        }
    }
    return all;
}

std::string labelOf(const BlockFormat& format) {
    return std::string(format.name) + " " + blockShapeName(format.block) + " " + variantName(format);
}

/// The definition, number by number.
class Definition {
public:
    Definition(const BlockFormat& format, MatrixShape shape, const std::vector<float>& values, float tensorScale, const RoundingMode& mode)
        : m_format(format), m_shape(shape), m_values(values), m_tensorScale(tensorScale), m_mode(mode) {
        m_mode.saturate = true;
    }

    std::uint32_t magnitude(std::int64_t row, std::int64_t col) const {
        std::uint32_t magnitude = 0;
        const std::int64_t firstRow = row / m_format.block.rows * m_format.block.rows,
                           firstCol = col / m_format.block.cols * m_format.block.cols;
        for (std::int64_t r = firstRow; r < std::min(m_shape.rows, firstRow + m_format.block.rows); ++r) {
            for (std::int64_t c = firstCol; c < std::min(m_shape.cols, firstCol + m_format.block.cols); ++c) {
                const std::uint32_t bits = floatBits(value(r, c)) & ~kFloatSign;
                if (!m_format.isSearched() || bits <= kFloatInf) magnitude = std::max(magnitude, bits);
            }
        }
        return magnitude;
    }

    std::uint32_t scaleCode(std::int64_t row, std::int64_t col) const {
        const std::uint32_t a = magnitude(row, col);
        if (m_format.hasFp32Scales()) return floatBits(fp32Scale(fp32Factor(mxElementOf(m_format.element), a)));
        if (m_format.isMx()) {
            return withScaleRule(m_format.rule,
                                 [&](auto tag) { return mxScaleCode<decltype(tag)::kValue>(mxElementOf(m_format.element), a); });
        }
        return withDialect(m_format.dialect, [&](auto dialect) { return decltype(dialect)::scaleCode(a, m_tensorScale); });
    }

    std::uint32_t elementCode(std::int64_t row, std::int64_t col) const {
        const std::uint32_t code = scaleCode(row, col);
        const float x = value(row, col), s = decodeBits(m_format.scale, code);
        if (m_format.isSearched()) return Nvfp4<Nvfp4Dialect::LlamaCpp>::nearestCode(x, s);
        const auto byDialect = [&](auto dialect) {
            using Dialect = decltype(dialect);
            return Dialect::scaled(x, Dialect::blockFactor(s, m_tensorScale), m_tensorScale);
        };
        const float scaled = m_format.hasFp32Scales() ? x * fp32Factor(mxElementOf(m_format.element), magnitude(row, col))
                             : m_format.isMx()        ? x * mxFactor(code)
                                                      : withDialect(m_format.dialect, byDialect);
        return encodeBits(m_format.element, std::isnan(scaled) ? kNan : scaled, m_mode,
                          static_cast<std::uint64_t>(row * m_shape.cols + col));
    }

    float number(std::int64_t row, std::int64_t col) const {
        const float q = decodeBits(m_format.element, elementCode(row, col)), s = decodeBits(m_format.scale, scaleCode(row, col));
        if (!m_format.isNvfp4()) return q * s;
        return withDialect(m_format.dialect, [&](auto dialect) { return decltype(dialect)::number(q, s, m_tensorScale); });
    }

private:
    float value(std::int64_t row, std::int64_t col) const { return m_values[static_cast<std::size_t>(row * m_shape.cols + col)]; }

    BlockFormat m_format;
    MatrixShape m_shape;
    const std::vector<float>& m_values;
    float m_tensorScale;
    RoundingMode m_mode;
};

/// The code of a stored scale; the bits of an fp32 one.
std::uint32_t storedScale(const BlockFormat& format, const QuantizedMatrix& q, std::size_t block) {
    std::uint32_t code = 0;
    const std::size_t bytes = facts(format.scale).storageBytes();
    for (std::size_t i = 0; i < bytes; ++i) code |= std::uint32_t{q.scales[block * bytes + i]} << (8 * i);
    return code;
}

bool isSame(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || floatBits(a) == floatBits(b);
}

TEST(BlockPaths, QuantizeAsTheDefinition) {
    for (const BlockFormat& format : everyFormat()) {
        for (const MatrixShape shape : {MatrixShape{33, 40}, MatrixShape{3, 17}}) {
            const std::vector<float> values = mixed(shape, 3);
            for (const Rounding rounding : kAllRoundings) {
                if (!refusalOf(format, rounding).empty()) continue;
                const RoundingMode mode{.rounding = rounding, .seed = 11};
                const QuantizedMatrix q = quantized(format, shape, values, mode);
                const std::vector<float> back = dequantized(format, q);
                const Definition definition(format, shape, values, q.tensorScale, mode);
                const MatrixShape scales = format.scales(shape);
                for (std::int64_t r = 0; r < shape.rows; ++r) {
                    for (std::int64_t c = 0; c < shape.cols; ++c) {
                        const auto i = static_cast<std::size_t>(r * shape.cols + c);
                        const auto block = static_cast<std::size_t>(r / format.block.rows * scales.cols + c / format.block.cols);
                        ASSERT_EQ(storedScale(format, q, block), definition.scaleCode(r, c)) << labelOf(format) << ' ' << r << ' ' << c;
                        ASSERT_EQ(q.elements[i], definition.elementCode(r, c))
                            << labelOf(format) << ' ' << r << ' ' << c << ' ' << values[i];
                        ASSERT_TRUE(isSame(back[i], definition.number(r, c)))
                            << labelOf(format) << ' ' << r << ' ' << c << ' ' << values[i];
                    }
                }
            }
        }
    }
}

/// What is not in [first, first + count) is what it was.
template <typename Value>
void expectOutside(const std::vector<Value>& values, std::size_t first, std::size_t count, Value expected) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i < first || i >= first + count) {
            ASSERT_EQ(values[i], expected);
        }
    }
}

/// Each path beside the portable one, with bytes around the results that must stay.
TEST(BlockPaths, GiveThePortableBitsAndTouchNothingElse) {
    constexpr std::uint8_t kGuard = 0xA5;
    for (const BlockFormat& format : everyFormat()) {
        for (const MatrixShape shape : kShapes) {
            const std::vector<float> values = mixed(shape, 5);
            const auto count = values.size(), scaleCount = static_cast<std::size_t>(format.scaleBytes(shape));
            const float S = tensorScaleOf(format, largestMagnitude(values.data(), shape.count()));
            const RoundingMode mode{.rounding = format.isSearched() ? Rounding::NearestEven : Rounding::Stochastic, .seed = 2};
            std::vector<std::uint8_t> elements, scales;
            std::vector<float> rounded;
            for (auto path = cpu::blockPaths().rbegin(); path != cpu::blockPaths().rend(); ++path) {
                std::vector<std::uint8_t> ownElements(count + 128, kGuard), ownScales(scaleCount + 128, kGuard);
                std::vector<float> back(count + 32, -3.5f), own(count + 32, -3.5f);
                cpu::quantizeOn(*path, format, shape, values.data(), S, ownElements.data() + 61, ownScales.data() + 3, mode, 7);
                cpu::dequantizeOn(*path, format, shape, ownElements.data() + 61, ownScales.data() + 3, S, back.data() + 5);
                cpu::roundBlocksOn(*path, format, shape, values.data(), S, own.data() + 5, mode, 7);
                for (std::size_t i = 0; i < own.size(); ++i) ASSERT_TRUE(isSame(own[i], back[i])) << labelOf(format) << ' ' << i;
                if (path == cpu::blockPaths().rbegin()) {
                    elements = ownElements;
                    scales = ownScales;
                    rounded = own;
                }
                ASSERT_EQ(ownElements, elements) << labelOf(format);
                ASSERT_EQ(ownScales, scales) << labelOf(format);
                for (std::size_t i = 0; i < own.size(); ++i) ASSERT_TRUE(isSame(own[i], rounded[i])) << labelOf(format) << ' ' << i;
            }
            expectOutside(elements, 61, count, kGuard);
            expectOutside(scales, 3, scaleCount, kGuard);
            expectOutside(rounded, 5, count, -3.5f);
        }
    }
}

// As threads share a matrix out: rows that are a multiple of a block's, each with the number of its first element.
TEST(BlockPaths, PiecesOfAMatrixGiveTheWhole) {
    const MatrixShape shape{260, 72};
    const std::vector<float> values = mixed(shape, 8);
    for (const BlockFormat& format : everyFormat()) {
        const RoundingMode mode{.rounding = format.isSearched() ? Rounding::NearestEven : Rounding::Stochastic, .seed = 6};
        const QuantizedMatrix whole = quantized(format, shape, values, mode);
        QuantizedMatrix pieces = whole;
        std::fill(pieces.elements.begin(), pieces.elements.end(), std::uint8_t{0xEE});
        std::fill(pieces.scales.begin(), pieces.scales.end(), std::uint8_t{0xEE});
        const std::int64_t size = std::max<std::int64_t>(32, format.block.rows);
        for (std::int64_t row = 0; row < shape.rows; row += size) {
            const auto first = static_cast<std::size_t>(row * shape.cols);
            const auto firstScale = static_cast<std::size_t>(row / format.block.rows * format.scaleBytes({1, shape.cols}));
            quantizeBlocks(format, {std::min(size, shape.rows - row), shape.cols}, values.data() + first, whole.tensorScale,
                           pieces.elements.data() + first, pieces.scales.data() + firstScale, mode, first);
        }
        ASSERT_EQ(pieces.elements, whole.elements) << labelOf(format);
        ASSERT_EQ(pieces.scales, whole.scales) << labelOf(format);
        std::vector<float> inPlace = values;
        roundBlocks(format, shape, inPlace.data(), whole.tensorScale, inPlace.data(), mode);
        const std::vector<float> back = dequantized(format, whole);
        for (std::size_t i = 0; i < back.size(); ++i) ASSERT_TRUE(isSame(inPlace[i], back[i])) << labelOf(format) << ' ' << i;
    }
}

TEST(BlockPaths, TheLargestMagnitudePassesOverNan) {
    for (const cpu::BlockPath& path : cpu::blockPaths()) {
        for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 200u}) {
            std::vector<float> values(count, -0.5f);
            EXPECT_EQ(floatFromBits(path.largest(values.data(), count)), count == 0 ? 0 : 0.5f);
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<float> one = values;
                one[i] = -3;
                one[(i + 1) % count] = count == 1 ? -3 : kNan;
                ASSERT_EQ(floatFromBits(path.largest(one.data(), count)), 3) << count << ' ' << i;
            }
        }
    }
}

}  // namespace
}  // namespace mantissa::test
