// SPDX-License-Identifier: Apache-2.0
// The array versions give the scalar functions' bits: at every length around a vector's, at odd addresses, in place, and in each
// variant that this processor can run.
#include "kernels/cpu/round_array.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cpu/round_f16.h"
#include "kernels/dtype/rounding.h"
#include "tests/support/rounding_inputs.h"

namespace mantissa::test {
namespace {

constexpr std::uint16_t kGuard = 0xA5C3;

const std::vector<float>& inputs() {
    static const std::vector<float> kInputs = [] {
        std::vector<float> values;
        forRoundingInputs([&](float x) { values.push_back(x); });
        return values;
    }();
    return kInputs;
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
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        std::vector<std::uint16_t> codes(inputs().size());
        encodeArray(dtype, inputs().data(), codes.data(), codes.size());
        for (std::size_t i = 0; i < codes.size(); ++i) {
            ASSERT_EQ(codes[i], encodeBits(dtype, inputs()[i])) << facts(dtype).name << " of " << std::hexfloat << inputs()[i];
        }
        std::vector<std::uint16_t> every(1 << 16);
        for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint16_t>(i);
        std::vector<float> values(every.size());
        decodeArray(dtype, every.data(), values.data(), values.size());
        for (std::size_t i = 0; i < every.size(); ++i) {
            ASSERT_EQ(floatBits(values[i]), floatBits(decodeBits(dtype, every[i]))) << facts(dtype).name << " code " << i;
        }
    }
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
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        for (std::size_t count = 0; count < 70; ++count) {
            for (std::size_t offset = 0; offset < 3; ++offset) {
                std::vector<std::uint16_t> codes(count + offset + 1, kGuard);
                encodeArray(dtype, inputs().data() + 100'000 + offset, codes.data() + offset, count);
                for (std::size_t i = 0; i < codes.size(); ++i) {
                    const bool isInside = i >= offset && i < offset + count;
                    ASSERT_EQ(codes[i], isInside ? encodeBits(dtype, inputs()[100'000 + i]) : kGuard) << count << " elements, index " << i;
                }
                std::vector<float> values(count + offset + 1, 123.0f), rounded = values;
                decodeArray(dtype, codes.data() + offset, values.data() + offset, count);
                roundArray(dtype, inputs().data() + 100'000 + offset, rounded.data() + offset, count);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const bool isInside = i >= offset && i < offset + count;
                    const float expected = isInside ? roundTo(dtype, inputs()[100'000 + i]) : 123.0f;
                    ASSERT_EQ(floatBits(values[i]), floatBits(expected)) << count << " elements, index " << i;
                    ASSERT_EQ(floatBits(rounded[i]), floatBits(expected)) << count << " elements, index " << i;
                }
            }
        }
    }
}

TEST(RoundArray, TheProcessorsFp16IsThePortableOne) {
    const cpu::F16Arrays& fast = cpu::fastestF16();
    const cpu::F16Arrays& portable = cpu::portableF16();
    if (fast.encode == portable.encode) GTEST_SKIP() << "this processor has no F16C";
    const std::size_t count = inputs().size();
    std::vector<std::uint16_t> fastCodes(count), portableCodes(count), every(1 << 16);
    fast.encode(inputs().data(), fastCodes.data(), count);
    portable.encode(inputs().data(), portableCodes.data(), count);
    EXPECT_EQ(fastCodes, portableCodes);
    const auto bitsOf = [](const std::vector<float>& values) {
        std::vector<std::uint32_t> bits;
        for (const float v : values) bits.push_back(floatBits(v));
        return bits;
    };
    std::vector<float> fastValues(count), portableValues(count);
    fast.round(inputs().data(), fastValues.data(), count);
    portable.round(inputs().data(), portableValues.data(), count);
    EXPECT_EQ(bitsOf(fastValues), bitsOf(portableValues));
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint16_t>(i);
    fast.decode(every.data(), fastValues.data(), every.size());
    portable.decode(every.data(), portableValues.data(), every.size());
    EXPECT_EQ(bitsOf(fastValues), bitsOf(portableValues));
}

}  // namespace
}  // namespace mantissa::test
