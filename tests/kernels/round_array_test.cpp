// SPDX-License-Identifier: Apache-2.0
// The array versions give the scalar functions' bits: at every length around a vector's, at odd addresses, in place, in pieces, and by each
// vector path that this processor can run.
#include "kernels/cpu/round_array.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cpu/round_paths.h"
#include "tests/support/rounding_inputs.h"
#include "tests/support/sanitized.h"

namespace mantissa::test {
namespace {

constexpr std::uint8_t kGuard = 0xA5;

/// Every how manyth input.
constexpr std::size_t kEvery = test::kIsSanitized ? 7 : 1;

const std::vector<float>& inputs() {
    static const std::vector<float> kInputs = [] {
        std::vector<float> values;
        std::size_t given = 0;
        forRoundingInputs([&](std::uint32_t bits) {
            if (given++ % kEvery != 0) return;
            if (values.size() % 8 != 3 || bits % 3 == 0) values.push_back(floatFromBits(bits));
        });
        return values;
    }();
    return kInputs;
}

std::vector<std::uint32_t> bitsOf(const std::vector<float>& values) {
    std::vector<std::uint32_t> bits;
    for (const float v : values) bits.push_back(floatBits(v));
    return bits;
}

/// Bytes of a code in an array.
std::size_t codeBytes(Dtype dtype) {
    return static_cast<std::size_t>(facts(dtype).storageBits + 7) / 8;
}

std::uint32_t codeAt(const std::vector<std::uint8_t>& bytes, std::size_t size, std::size_t i) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + i * size, size);
    return code;
}

TEST(RoundArray, RoundsAsTheScalarFunction) {
    for (const Dtype dtype : kAllDtypes) {
        std::vector<float> rounded(inputs().size());
        roundArray(dtype, inputs().data(), rounded.data(), rounded.size());
        std::vector<float> inPlace = inputs();
        roundArray(dtype, inPlace.data(), inPlace.data(), inPlace.size());
        for (std::size_t i = 0; i < rounded.size(); ++i) {
            const std::uint32_t expected = floatBits(roundTo(dtype, inputs()[i]));
            ASSERT_EQ(floatBits(rounded[i]), expected) << facts(dtype).name << " of " << std::hexfloat << inputs()[i];
            ASSERT_EQ(floatBits(inPlace[i]), expected) << facts(dtype).name << " in place of " << std::hexfloat << inputs()[i];
        }
    }
}

TEST(RoundArray, EncodesAndDecodesAsTheScalarFunctions) {
    for (const Dtype dtype : kAllDtypes) {
        const std::size_t size = codeBytes(dtype);
        if (size == 4) continue;
        std::vector<std::uint8_t> codes(inputs().size() * size);
        encodeArray(dtype, inputs().data(), codes.data(), inputs().size());
        for (std::size_t i = 0; i < inputs().size(); ++i) {
            ASSERT_EQ(codeAt(codes, size, i), encodeBits(dtype, inputs()[i]))
                << facts(dtype).name << " of " << std::hexfloat << inputs()[i];
        }
        const std::uint32_t count = 1u << facts(dtype).codeBits();
        std::vector<std::uint8_t> every(count * size);
        for (std::uint32_t code = 0; code < count; ++code) std::memcpy(every.data() + code * size, &code, size);
        std::vector<float> values(count);
        decodeArray(dtype, every.data(), values.data(), count);
        for (std::uint32_t code = 0; code < count; ++code) {
            ASSERT_EQ(floatBits(values[code]), floatBits(decodeBits(dtype, code))) << facts(dtype).name << " code " << code;
        }
    }
}

TEST(RoundArray, EveryModeEncodesWhatItRoundsTo) {
    const std::vector<float> some(inputs().begin() + 200'000, inputs().begin() + 210'000);
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2, Dtype::TF32, Dtype::E2M1}) {
        const std::size_t size = codeBytes(dtype);
        for (const Rounding rounding : kAllRoundings) {
            for (const bool saturate : {false, true}) {
                const RoundingMode mode{.rounding = rounding, .saturate = saturate, .seed = 5};
                std::vector<std::uint8_t> codes(some.size() * size);
                encodeArray(dtype, some.data(), codes.data(), some.size(), mode, 17);
                for (std::size_t i = 0; i < some.size(); ++i) {
                    const std::uint32_t expected =
                        dtype == Dtype::TF32 ? floatBits(roundTo(dtype, some[i], mode, 17 + i)) : encodeBits(dtype, some[i], mode, 17 + i);
                    ASSERT_EQ(codeAt(codes, size, i), expected) << facts(dtype).name << " of " << std::hexfloat << some[i];
                }
            }
        }
    }
}

// An element's random bits follow from its index: how an array is cut must not show.
TEST(RoundArray, StochasticRoundingInPiecesGivesTheWhole) {
    const RoundingMode mode{.rounding = Rounding::Stochastic, .stream = 2, .seed = 11};
    const std::size_t count = 5000;
    const std::vector<float> values(count, 1 + 0x1p-9f);
    std::vector<float> whole(count), pieces(count);
    roundArray(Dtype::BF16, values.data(), whole.data(), count, mode);
    for (std::size_t first = 0, n = 1; first < count; first += n, n = n * 3 % 1999) {
        roundArray(Dtype::BF16, values.data() + first, pieces.data() + first, std::min(n, count - first), mode, first);
    }
    EXPECT_EQ(pieces, whole);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(whole[i], roundTo(Dtype::BF16, values[i], mode, i)) << i;
}

TEST(RoundArray, ThirtyTwoBitStorageHoldsTheValuesThemselves) {
    const std::vector<float> values{1.0f + 0x1p-11f + 0x1p-20f, -3.0f, 0x1p-149f};
    std::vector<float> stored(3), back(3);
    encodeArray(Dtype::F32, values.data(), stored.data(), 3);
    EXPECT_EQ(stored, values);
    encodeArray(Dtype::TF32, values.data(), stored.data(), 3);
    EXPECT_EQ(stored, (std::vector<float>{1.0f + 0x1p-10f, -3.0f, 0}));
    decodeArray(Dtype::TF32, stored.data(), back.data(), 3);
    EXPECT_EQ(back, stored);
}

TEST(RoundArray, TouchesNothingBesideItsElements) {
    const float* from = inputs().data() + 100'000;
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        const std::size_t size = codeBytes(dtype);
        for (std::size_t count = 0; count < 150; ++count) {
            for (std::size_t offset = 0; offset < 3; ++offset) {
                std::vector<std::uint8_t> codes((count + offset + 1) * size, kGuard);
                const std::uint32_t guard = codeAt(codes, size, 0);
                encodeArray(dtype, from + offset, codes.data() + offset * size, count);
                for (std::size_t i = 0; i < count + offset + 1; ++i) {
                    const bool isInside = i >= offset && i < offset + count;
                    ASSERT_EQ(codeAt(codes, size, i), isInside ? encodeBits(dtype, from[i]) : guard) << count << " elements, index " << i;
                }
                std::vector<float> values(count + offset + 1, 123.0f), rounded = values;
                decodeArray(dtype, codes.data() + offset * size, values.data() + offset, count);
                roundArray(dtype, from + offset, rounded.data() + offset, count);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const bool isInside = i >= offset && i < offset + count;
                    const float decoded = isInside ? decodeBits(dtype, encodeBits(dtype, from[i])) : 123.0f;
                    ASSERT_EQ(floatBits(values[i]), floatBits(decoded)) << count << " elements, index " << i;
                    ASSERT_EQ(floatBits(rounded[i]), floatBits(isInside ? roundTo(dtype, from[i]) : 123.0f)) << count << ", " << i;
                }
            }
        }
    }
}

// Bit for bit, NaN's payload included.
TEST(RoundArray, EveryVectorPathGivesThePortableBits) {
    if (cpu::roundPaths().size() == 1) GTEST_SKIP() << "this processor has no other path than the portable one";
    const cpu::RoundPath& portable = cpu::roundPaths().back();
    const std::size_t count = inputs().size();
    std::vector<float> expected(count), actual(count);
    for (const Dtype dtype : kAllDtypes) {
        std::vector<std::uint8_t> expectedCodes(count * codeBytes(dtype)), codes = expectedCodes;
        portable.encode(dtype, inputs().data(), expectedCodes.data(), count);
        for (const Rounding rounding : kAllRoundings) {
            const RoundingMode mode{.rounding = rounding, .saturate = rounding == Rounding::NearestAway, .seed = 3};
            cpu::roundOn(portable, dtype, inputs().data(), expected.data(), count, mode, 2);
            for (const cpu::RoundPath& path : cpu::roundPaths()) {
                cpu::roundOn(path, dtype, inputs().data(), actual.data(), count, mode, 2);
                ASSERT_EQ(bitsOf(actual), bitsOf(expected)) << path.name << ' ' << facts(dtype).name;
            }
        }
        for (const cpu::RoundPath& path : cpu::roundPaths()) {
            path.encode(dtype, inputs().data(), codes.data(), count);
            ASSERT_EQ(codes, expectedCodes) << path.name << ' ' << facts(dtype).name;
            portable.decode(dtype, codes.data(), expected.data(), count);
            path.decode(dtype, codes.data(), actual.data(), count);
            ASSERT_EQ(bitsOf(actual), bitsOf(expected)) << path.name << ' ' << facts(dtype).name;
        }
    }
}

}  // namespace
}  // namespace mantissa::test
