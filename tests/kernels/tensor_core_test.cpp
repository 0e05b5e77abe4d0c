// SPDX-License-Identifier: Apache-2.0
// A tensor core's sums against the same model in integer arithmetic, and against figures that studies of the hardware report.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/conformance/tensor_core_reference.h"
#include "kernels/dtype/tensor_core.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

struct SumCase {
    Accumulator accumulator;
    Dtype a, b;
    std::int64_t promoteEvery = 0;
};

int minExponent(Dtype dtype) {
    return std::ilogb(facts(dtype).minNormal);
}

/// What the operands are like: each rule of the model decides some of these and none of the others.
enum class Kind {
    Mixed,      // many magnitudes of both signs, zeros among them
    Subnormal,  // around the format's smallest normal number
    Positive,   // few of one sign: the sum outgrows its terms, and loses bits when it is normalised
    Sparse,     // products of the smallest numbers beside zeros whose partner is among the largest
};
constexpr std::array kKinds{Kind::Mixed, Kind::Subnormal, Kind::Positive, Kind::Sparse};

/// Element i of a sum's first (or second) operand.
float number(Kind kind, bool isFirst, std::size_t i, Dtype dtype, std::mt19937& random) {
    std::uniform_real_distribution<float> significand(1, 2);
    const auto draw = [&](int lowest, int highest) {
        const int exponent = std::uniform_int_distribution<int>(lowest, highest)(random);
        return roundTo(dtype, std::ldexp(significand(random), exponent));
    };
    const int lowest = std::max(-16, minExponent(dtype) - 2), largest = std::min(15, std::ilogb(facts(dtype).maxFinite) - 1);
    const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
    switch (kind) {
        case Kind::Mixed:
            return random() % 10 == 0 ? 0 : sign * draw(lowest, 4);
        case Kind::Subnormal:
            return sign * draw(lowest, lowest + 2);
        case Kind::Positive:
            return draw(-4, 0);
        case Kind::Sparse:
            if (i % 4 == 0) return sign * draw(lowest, lowest + 4);
            return isFirst == (i % 2 == 0) ? 0 : draw(largest, largest);
    }
    return 0;
}

std::vector<float> numbers(Kind kind, bool isFirst, Dtype dtype, std::int64_t sums, std::int64_t k, std::mt19937& random) {
    std::vector<float> values;  // [sums, k]
    for (std::int64_t i = 0; i < sums * k; ++i) values.push_back(number(kind, isFirst, static_cast<std::size_t>(i % k), dtype, random));
    return values;
}

std::vector<float> transpose(const std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
    std::vector<float> out(values.size());
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < cols; ++j)
            out[static_cast<std::size_t>(j * rows + i)] = values[static_cast<std::size_t>(i * cols + j)];
    }
    return out;
}

class TensorCoreSums : public testing::TestWithParam<SumCase> {};

TEST_P(TensorCoreSums, EqualTheModelInIntegers) {
    const SumCase c = GetParam();
    const auto backend = createCpuBackend();
    std::mt19937 random(7);
    // odd sizes: rows beyond a task, columns beyond a group, a rest of k that fills no operation
    const std::int64_t m = 11, n = 70;
    for (const Kind kind : kKinds) {
        const std::int64_t k = kind == Kind::Positive ? 31 : 300;
        // sums lie along k in both
        const std::vector<float> a = numbers(kind, true, c.a, m, k, random), b = numbers(kind, false, c.b, n, k, random);
        const bool transposed = kind == Kind::Positive || kind == Kind::Sparse;
        const MatmulDesc desc{.m = m,
                              .n = n,
                              .k = k,
                              .transposeA = transposed,
                              .transposeB = !transposed,
                              .a = c.a == Dtype::TF32 ? Dtype::F32 : c.a,
                              .b = c.b == Dtype::TF32 ? Dtype::F32 : c.b,
                              .compute = c.a,
                              .isScaled = c.a != c.b,  // formats that neither holds the other's numbers: taken as stored
                              .accumulator = c.accumulator,
                              .promoteEvery = c.promoteEvery};
        const GuardedBuffer storedA(*backend, stored(desc.a, transposed ? transpose(a, m, k) : a)),
            storedB(*backend, stored(desc.b, transposed ? transpose(b, n, k) : b)),
            one(*backend, std::vector<QuantScale>{{.scale = 1, .inverse = 1}}),
            out(*backend, std::vector<float>(static_cast<std::size_t>(m * n)));
        if (desc.isScaled) {
            runOperation(*backend, desc, {&storedA, &storedB, &one, &one, &out});
        } else {
            runOperation(*backend, desc, {&storedA, &storedB, &out});
        }
        const std::vector<float> sums = out.read<float>();
        const auto row = [k](const std::vector<float>& values, std::int64_t i) {
            return std::vector<float>(values.begin() + i * k, values.begin() + (i + 1) * k);
        };
        for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                ASSERT_EQ(static_cast<double>(sums[static_cast<std::size_t>(i * n + j)]),
                          conformance::reference::tensorCoreSum({c.accumulator, c.a, c.promoteEvery}, {c.a, row(a, i)}, {c.b, row(b, j)}))
                    << "row " << i << " column " << j << " of operands of kind " << static_cast<int>(kind);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, TensorCoreSums,
    testing::Values(SumCase{Accumulator::Fp16, Dtype::F16, Dtype::F16}, SumCase{Accumulator::Volta, Dtype::F16, Dtype::F16},
                    SumCase{Accumulator::Turing, Dtype::F16, Dtype::F16}, SumCase{Accumulator::Ampere, Dtype::F16, Dtype::F16},
                    SumCase{Accumulator::Ampere, Dtype::BF16, Dtype::BF16}, SumCase{Accumulator::Ampere, Dtype::TF32, Dtype::TF32},
                    SumCase{Accumulator::Ada, Dtype::E4M3, Dtype::E4M3}, SumCase{Accumulator::Hopper, Dtype::F16, Dtype::F16},
                    SumCase{Accumulator::Hopper, Dtype::TF32, Dtype::TF32}, SumCase{Accumulator::Hopper, Dtype::E4M3, Dtype::E4M3},
                    SumCase{Accumulator::Hopper, Dtype::E5M2, Dtype::E4M3}, SumCase{Accumulator::Hopper, Dtype::E4M3, Dtype::E4M3, 128},
                    SumCase{Accumulator::Blackwell, Dtype::BF16, Dtype::BF16}, SumCase{Accumulator::Blackwell, Dtype::E4M3, Dtype::E4M3}),
    [](const auto& tested) {
        const SumCase& c = tested.param;
        return std::string(accumulatorName(c.accumulator)) + "_" + std::string(facts(c.a).name) + "_" + std::string(facts(c.b).name) +
               (c.promoteEvery > 0 ? "_promoted" : "");
    });

std::vector<float> multiply(const MatmulDesc& desc, const std::vector<float>& a, const std::vector<float>& b) {
    const auto backend = createCpuBackend();
    const GuardedBuffer storedA(*backend, stored(desc.a, a)), storedB(*backend, stored(desc.b, b)),
        out(*backend, std::vector<float>(static_cast<std::size_t>(desc.m * desc.n)));
    runOperation(*backend, desc, {&storedA, &storedB, &out});
    return out.read<float>();
}

TEST(TensorCore, NonFiniteOperandsSpreadAsIeee754Says) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const MatmulDesc desc{
        .m = 5, .n = 1, .k = 20, .a = Dtype::F16, .b = Dtype::F16, .compute = Dtype::F16, .accumulator = Accumulator::Hopper};
    std::vector<float> a(100, 1), b(20, 2);
    b[19] = 0;
    a[0] = inf;                 // row 0: Inf in the first operation
    a[20] = inf, a[37] = -inf;  // row 1: both, in two operations
    a[59] = inf;                // row 2: Inf * 0
    a[60] = nan;                // row 3
    const std::vector<float> sums = multiply(desc, a, b);
    EXPECT_EQ(sums[0], inf);
    EXPECT_TRUE(std::isnan(sums[1]));
    EXPECT_TRUE(std::isnan(sums[2]));
    EXPECT_TRUE(std::isnan(sums[3]));
    EXPECT_EQ(sums[4], 38);
}

TEST(TensorCore, ASumBeyondItsAccumulatorIsInf) {
    const MatmulDesc bf16{
        .m = 1, .n = 1, .k = 32, .a = Dtype::BF16, .b = Dtype::BF16, .compute = Dtype::BF16, .accumulator = Accumulator::Hopper};
    EXPECT_EQ(multiply(bf16, std::vector<float>(32, 0x1p120f), std::vector<float>(32, 0x1p4f))[0], std::numeric_limits<float>::infinity());
    const MatmulDesc fp16{
        .m = 1, .n = 1, .k = 32, .a = Dtype::F16, .b = Dtype::F16, .compute = Dtype::F16, .accumulator = Accumulator::Fp16};
    EXPECT_EQ(multiply(fp16, std::vector<float>(32, 64), std::vector<float>(32, 64))[0], std::numeric_limits<float>::infinity());
    EXPECT_EQ(multiply(fp16, std::vector<float>(32, 32), std::vector<float>(32, 32))[0], 32768);
}

TEST(TensorCore, TheSmallestProductsOfBf16AreNotLost) {
    const MatmulDesc desc{
        .m = 1, .n = 1, .k = 8, .a = Dtype::BF16, .b = Dtype::BF16, .compute = Dtype::BF16, .accumulator = Accumulator::Hopper};
    // subnormals of bf16 and of fp32: 8 * 2^-133 * 2^-10
    EXPECT_EQ(multiply(desc, std::vector<float>(8, 0x1p-133f), std::vector<float>(8, 0x1p-10f))[0], 0x1p-140f);
}

/// Mean relative error of sums of `k` products of positive e4m3 numbers that fill the format's range.
double meanErrorOfPositiveSums(Accumulator accumulator, std::int64_t promoteEvery) {
    constexpr std::int64_t kSums = 16, kLength = 4096;
    const MatmulDesc desc{.m = kSums,
                          .n = 1,
                          .k = kLength,
                          .a = Dtype::E4M3,
                          .b = Dtype::E4M3,
                          .compute = Dtype::E4M3,
                          .accumulator = accumulator,
                          .promoteEvery = promoteEvery};
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(0, 448);
    std::vector<float> a(kSums * kLength), b(kLength);
    for (auto* values : {&a, &b}) {
        for (float& v : *values) v = roundTo(Dtype::E4M3, uniform(random));
    }
    const std::vector<float> sums = multiply(desc, a, b);
    double error = 0;
    for (std::int64_t row = 0; row < kSums; ++row) {
        double exact = 0;
        for (std::int64_t i = 0; i < kLength; ++i) {
            exact +=
                static_cast<double>(a[static_cast<std::size_t>(row * kLength + i)]) * static_cast<double>(b[static_cast<std::size_t>(i)]);
        }
        error += static_cast<double>(sums[static_cast<std::size_t>(row)]) / exact - 1;
    }
    return error / kSums;
}

/// Cutting toward zero in 13 bits makes a bias that grows with the sum's length: percents at 4,096, as reported for Hopper's fp8
/// (DeepSeek-V3, arXiv 2412.19437, section 3.3.2: nearly 2 % at the worst for numbers of both signs). Promotion each 128 elements mends it.
TEST(TensorCore, HoppersFp8SumsAreBiasedAndPromotionMendsThem) {
    const double plain = meanErrorOfPositiveSums(Accumulator::Hopper, 0), promoted = meanErrorOfPositiveSums(Accumulator::Hopper, 128),
                 blackwell = meanErrorOfPositiveSums(Accumulator::Blackwell, 0);
    EXPECT_LT(plain, -0.02);
    EXPECT_GT(plain, -0.2);
    EXPECT_LT(promoted, 0);
    EXPECT_GT(promoted, -2e-3);
    EXPECT_GT(blackwell, -1e-5);
    EXPECT_LE(blackwell, 0);
}

/// MMA-Sim's table, once more: terms, fraction bits of the sum, fraction bits of the result.
TEST(TensorCore, InstructionsAreThoseOfTheArchitectures) {
    struct Row {
        Accumulator accumulator;
        Dtype compute;
        int terms, fractionBits, resultBits;
    };
    const Row rows[] = {
        {Accumulator::Fp16, Dtype::F16, 16, 25, 23},       {Accumulator::Volta, Dtype::F16, 4, 23, 23},
        {Accumulator::Turing, Dtype::F16, 8, 24, 23},      {Accumulator::Ampere, Dtype::F16, 8, 24, 23},
        {Accumulator::Ampere, Dtype::BF16, 8, 24, 23},     {Accumulator::Ampere, Dtype::TF32, 4, 24, 23},
        {Accumulator::Ada, Dtype::F16, 8, 24, 23},         {Accumulator::Ada, Dtype::BF16, 8, 24, 23},
        {Accumulator::Ada, Dtype::TF32, 4, 24, 23},        {Accumulator::Ada, Dtype::E4M3, 16, 13, 13},
        {Accumulator::Ada, Dtype::E5M2, 16, 13, 13},       {Accumulator::Hopper, Dtype::F16, 16, 25, 23},
        {Accumulator::Hopper, Dtype::BF16, 16, 25, 23},    {Accumulator::Hopper, Dtype::TF32, 8, 25, 23},
        {Accumulator::Hopper, Dtype::E4M3, 32, 13, 13},    {Accumulator::Hopper, Dtype::E5M2, 32, 13, 13},
        {Accumulator::Blackwell, Dtype::F16, 16, 25, 23},  {Accumulator::Blackwell, Dtype::BF16, 16, 25, 23},
        {Accumulator::Blackwell, Dtype::TF32, 8, 25, 23},  {Accumulator::Blackwell, Dtype::E4M3, 32, 25, 23},
        {Accumulator::Blackwell, Dtype::E5M2, 32, 25, 23},
    };
    std::size_t found = 0;
    for (const Accumulator accumulator : kAllAccumulators) {
        for (const Dtype compute : kAllDtypes) {
            const auto model = fusedDot(accumulator, compute);
            if (!model) continue;
            ++found;
            const auto row = std::find_if(std::begin(rows), std::end(rows),
                                          [&](const Row& r) { return r.accumulator == accumulator && r.compute == compute; });
            ASSERT_NE(row, std::end(rows)) << accumulatorName(accumulator) << " has no " << facts(compute).name;
            EXPECT_EQ(model->terms, row->terms) << accumulatorName(accumulator) << ' ' << facts(compute).name;
            EXPECT_EQ(model->fractionBits, row->fractionBits) << accumulatorName(accumulator) << ' ' << facts(compute).name;
            EXPECT_EQ(model->resultBits, row->resultBits) << accumulatorName(accumulator) << ' ' << facts(compute).name;
            EXPECT_EQ(model->roundsToF16, accumulator == Accumulator::Fp16);
        }
    }
    EXPECT_EQ(found, std::size(rows));
}

TEST(TensorCore, RefusesWhatHasNoInstruction) {
    const auto backend = createCpuBackend();
    MatmulDesc desc{.m = 1, .n = 1, .k = 1, .a = Dtype::BF16, .b = Dtype::BF16, .compute = Dtype::BF16, .accumulator = Accumulator::Volta};
    EXPECT_EQ(backend->supports(desc).reason, "the accumulator 'volta' has no instruction for bf16");
    desc.accumulator = Accumulator::Hopper;
    EXPECT_TRUE(backend->supports(desc).supported);
    desc.promoteEvery = 24;
    EXPECT_EQ(backend->supports(desc).reason,
              "promotion of partial sums: with the accumulator 'hopper' it must be a multiple of 16 in bf16");
    desc.accumulator = Accumulator::Fp32;
    EXPECT_FALSE(backend->supports(desc).supported);
}

}  // namespace
}  // namespace mantissa::test
