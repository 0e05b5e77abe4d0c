// SPDX-License-Identifier: Apache-2.0
#include "kernels/random/philox.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cmath>
#include <set>

namespace mantissa {
namespace {

TEST(Philox, GivesThePublishedAnswers) {
    // the known-answer vectors of the Random123 library for philox4x32-10: zeros, ones, digits of pi
    const auto expect = [](PhiloxCounter counter, std::uint32_t key0, std::uint32_t key1, PhiloxCounter answer) {
        const PhiloxCounter out = philox4x32(counter, key0, key1);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(out.word[i], answer.word[i]) << i;
    };
    expect({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
    expect({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
    expect({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0, {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, EverythingThatNamesANumberChangesIt) {
    const std::uint64_t kBeyond32Bits = 1ull << 40;
    std::set<std::uint32_t> seen;
    int count = 0;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, kBeyond32Bits}) {
        for (const RandomUse use : {RandomUse::InitialWeights, RandomUse::Shuffle}) {
            for (const std::uint32_t stream : {0u, 1u, 2u}) {
                for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{4}, kBeyond32Bits}) {
                    seen.insert(randomBits(seed, use, stream, index));
                    ++count;
                }
            }
        }
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
}

TEST(Philox, BitsAreBalanced) {
    constexpr int kDraws = 100000;
    int ones[32] = {};
    for (int i = 0; i < kDraws; ++i) {
        const std::bitset<32> bits(randomBits(1, RandomUse::Shuffle, 0, static_cast<std::uint64_t>(i)));
        for (std::size_t bit = 0; bit < 32; ++bit) ones[bit] += bits[bit] ? 1 : 0;
    }
    const double sigma = std::sqrt(kDraws) / 2;  // of a fair coin's count
    for (const int count : ones) EXPECT_NEAR(count, kDraws / 2, 5 * sigma);
}

}  // namespace
}  // namespace mantissa
