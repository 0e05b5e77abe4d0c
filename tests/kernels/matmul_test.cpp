// SPDX-License-Identifier: Apache-2.0
// Products in every format, layout and odd size against sums in double; the same bits for any number of threads.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/compare.h"
#include "tests/support/operands.h"
#include "tests/support/tolerance.h"

namespace mantissa::test {
namespace {

struct Product {
    MatmulDesc desc;
    std::vector<float> a, b, bias;  // as asked for; rounded when stored
};

Product randomProduct(const MatmulDesc& desc, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Product p{desc, std::vector<float>(static_cast<std::size_t>(desc.m * desc.k)),
              std::vector<float>(static_cast<std::size_t>(desc.k * desc.n)),
              std::vector<float>(desc.hasBias ? static_cast<std::size_t>(desc.n) : 0)};
    for (auto* values : {&p.a, &p.b, &p.bias}) {
        for (float& v : *values) v = normal(random);
    }
    return p;
}

std::vector<double> run(Backend& backend, const Product& p) {
    const MatmulDesc& d = p.desc;
    const GuardedBuffer a(backend, stored(d.a, p.a)), b(backend, stored(d.b, p.b)), bias(backend, stored(d.out, p.bias));
    // A result of NaNs to begin with: nothing may be added to what was there.
    const GuardedBuffer c(backend, stored(d.out, std::vector<float>(static_cast<std::size_t>(d.m * d.n), std::nanf(""))));
    if (d.hasBias) {
        runOperation(backend, d, {&a, &b, &bias, &c});
    } else {
        runOperation(backend, d, {&a, &b, &c});
    }
    return valuesOf(d.out, c);
}

struct Expected {
    std::vector<double> values, limits;
};

/// What the product works on: rounded when stored, and again to the compute dtype.
std::vector<double> operand(const std::vector<float>& values, Dtype storage, Dtype compute) {
    std::vector<double> rounded;
    for (const float v : values) rounded.push_back(static_cast<double>(roundTo(compute, roundTo(storage, v))));
    return rounded;
}

Expected reference(const Product& p) {
    const MatmulDesc& d = p.desc;
    // The bias joins the fp32 accumulator: it is not rounded to the compute dtype.
    const std::vector<double> a = operand(p.a, d.a, d.compute), b = operand(p.b, d.b, d.compute), bias = operand(p.bias, d.out, Dtype::F32);
    const std::int64_t aRow = d.transposeA ? 1 : d.k, aCol = d.transposeA ? d.m : 1, bRow = d.transposeB ? 1 : d.n,
                       bCol = d.transposeB ? d.k : 1;
    Expected e;
    for (std::int64_t row = 0; row < d.m; ++row) {
        for (std::int64_t col = 0; col < d.n; ++col) {
            double sum = d.hasBias ? bias[static_cast<std::size_t>(col)] : 0, magnitudes = std::fabs(sum);
            for (std::int64_t i = 0; i < d.k; ++i) {
                const double product =
                    a[static_cast<std::size_t>(row * aRow + i * aCol)] * b[static_cast<std::size_t>(i * bRow + col * bCol)];
                sum += product;
                magnitudes += std::fabs(product);
            }
            e.values.push_back(sum);
            e.limits.push_back(sumLimit(d.out, d.k + (d.hasBias ? 1 : 0), magnitudes, sum));
        }
    }
    return e;
}

struct Formats {
    Dtype storage, out, compute;
};
constexpr Formats kFormats[] = {
    {Dtype::F32, Dtype::F32, Dtype::F32},    {Dtype::F32, Dtype::F32, Dtype::TF32},  {Dtype::F16, Dtype::F16, Dtype::F16},
    {Dtype::BF16, Dtype::BF16, Dtype::BF16}, {Dtype::F16, Dtype::F32, Dtype::F16},   {Dtype::F32, Dtype::BF16, Dtype::F32},
    {Dtype::BF16, Dtype::F32, Dtype::TF32},  {Dtype::F32, Dtype::F16, Dtype::F16},   {Dtype::E4M3, Dtype::F32, Dtype::F32},
    {Dtype::E5M2, Dtype::BF16, Dtype::F32},  {Dtype::E4M3, Dtype::F16, Dtype::E4M3}, {Dtype::E5M2, Dtype::E5M2, Dtype::E5M2}};

std::string nameOf(const MatmulDesc& d) {
    return std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k) + (d.transposeA ? " A'" : " A") +
           (d.transposeB ? " B'" : " B") + (d.hasBias ? " +bias " : " ") + std::string(facts(d.a).name) + "->" +
           std::string(facts(d.out).name) + " in " + std::string(facts(d.compute).name);
}

template <typename Check>
void forLayouts(std::int64_t m, std::int64_t n, std::int64_t k, const Formats& f, Check check) {
    for (int layout = 0; layout < 8; ++layout) {
        check(MatmulDesc{.m = m,
                         .n = n,
                         .k = k,
                         .transposeA = (layout & 1) != 0,
                         .transposeB = (layout & 2) != 0,
                         .hasBias = (layout & 4) != 0,
                         .a = f.storage,
                         .b = f.storage,
                         .out = f.out,
                         .compute = f.compute});
    }
}

class Matmul : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();
};

TEST_F(Matmul, AgreesWithSumsInDouble) {
    double largestMargin = 0;
    for (const Formats& f : kFormats) {
        for (const auto& [m, n, k] : {std::array{1, 1, 1}, {3, 5, 7}, {64, 2, 2}, {17, 33, 65}, {64, 64, 64}, {5, 10, 300}}) {
            forLayouts(m, n, k, f, [&](const MatmulDesc& desc) {
                const Product p = randomProduct(desc, 7);
                const Expected e = reference(p);
                const Comparison c = compare(run(*m_backend, p), e.values, e.limits, {.mayBeConstant = e.values.size() == 1});
                EXPECT_TRUE(c) << nameOf(desc) << ": " << c;
                largestMargin = std::max(largestMargin, c.margin);
            });
        }
    }
    EXPECT_GT(largestMargin, 0.1);  // else the limits would prove nothing
}

/// Large enough to be cut into panels of rows, of columns, of a square with an odd rest.
constexpr std::array<int, 3> kInPanels[] = {{640, 40, 700}, {40, 640, 700}, {330, 270, 270}};

TEST_F(Matmul, PanelsPutTheWholeTogether) {
    for (const auto& [m, n, k] : kInPanels) {
        forLayouts(m, n, k, kFormats[0], [&](const MatmulDesc& desc) {
            if (!desc.hasBias) return;
            const Product p = randomProduct(desc, 9);
            const Expected e = reference(p);
            const Comparison c = compare(run(*m_backend, p), e.values, e.limits);
            EXPECT_TRUE(c) << nameOf(desc) << ": " << c;
        });
    }
}

TEST_F(Matmul, SameBitsForAnyNumberOfThreads) {
    const int before = omp_get_max_threads();
    // One that one thread does alone, and those that are shared out. fp32: the other formats are one thread's work around it.
    std::vector<std::array<int, 3>> shapes(std::begin(kInPanels), std::end(kInPanels));
    shapes.push_back({64, 10, 64});
    shapes.push_back({16, 16, 20000});  // long sums, which oneDNN itself would split among its threads
    for (const auto& [m, n, k] : shapes) {
        forLayouts(m, n, k, kFormats[0], [&](const MatmulDesc& desc) {
            const Product p = randomProduct(desc, 8);
            std::vector<double> first;
            for (const int threads : {1, 2, 4}) {
                omp_set_num_threads(threads);
                const std::vector<double> result = run(*createCpuBackend(), p);  // a backend takes its threads when it is made
                EXPECT_EQ(omp_get_max_threads(), threads);
                if (first.empty()) first = result;
                EXPECT_EQ(result, first) << nameOf(desc) << " with " << threads << " threads";
            }
        });
    }
    omp_set_num_threads(before);
}

TEST_F(Matmul, OneOperationServesManyBuffers) {
    const MatmulDesc desc{.m = 4, .n = 6, .k = 5, .a = Dtype::BF16, .b = Dtype::BF16, .out = Dtype::BF16, .compute = Dtype::BF16};
    const auto operation = m_backend->prepare(desc);
    const auto queue = m_backend->createQueue();
    const GuardedBuffer workspace(*m_backend, m_backend->workspaceBytes(desc));
    for (const unsigned seed : {1u, 2u, 3u}) {
        const Product p = randomProduct(desc, seed);
        const GuardedBuffer a(*m_backend, stored(desc.a, p.a)), b(*m_backend, stored(desc.b, p.b)), c(*m_backend, 4 * 6 * 2);
        const std::vector<void*> operands{a.data(), b.data(), c.data(), workspace.data()};
        operation->enqueue(*queue, operands);
        EXPECT_EQ(valuesOf(desc.out, c), run(*m_backend, p));
    }
}

TEST_F(Matmul, KeepsSubnormalsAndPassesNonFinite) {
    const float inf = std::numeric_limits<float>::infinity();
    const MatmulDesc desc{.m = 1, .n = 4, .k = 2};
    const std::vector<double> c = run(*m_backend, {desc, {0x1p-100f, 1}, {0x1p-40f, inf, inf, std::nanf(""), 0x1p-149f, 1, -inf, 2}, {}});
    EXPECT_TRUE(compareExact(c, std::vector<double>{0x1p-140 + 0x1p-149, inf, std::nan(""), std::nan("")}));
}

// 300 * 300 is beyond fp16's range but not beyond the accumulator's: only the rounded result may overflow.
TEST_F(Matmul, OverflowHappensOnlyWhenTheResultIsRounded) {
    MatmulDesc desc{.m = 1, .n = 2, .k = 2, .a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16};
    const std::vector<float> a{300, 300}, b{300, 300, -300, 300};
    EXPECT_TRUE(compareExact(run(*m_backend, {desc, a, b, {}}), std::vector<double>{0, std::numeric_limits<double>::infinity()}));
    desc.out = Dtype::F32;
    EXPECT_TRUE(compareExact(run(*m_backend, {desc, a, b, {}}), std::vector<double>{0, 180000}));
}

// As fp8 training multiplies: a forward operand in e4m3, a gradient in e5m2.
TEST_F(Matmul, OperandsMayHaveDifferentFormats) {
    const MatmulDesc desc{.m = 9, .n = 7, .k = 33, .transposeB = true, .a = Dtype::E5M2, .b = Dtype::E4M3, .out = Dtype::BF16};
    const Product p = randomProduct(desc, 5);
    std::vector<double> expected, limits;
    for (std::int64_t row = 0; row < desc.m; ++row) {
        for (std::int64_t col = 0; col < desc.n; ++col) {
            double sum = 0, magnitudes = 0;
            for (std::int64_t i = 0; i < desc.k; ++i) {
                const float a = roundTo(Dtype::E5M2, p.a[static_cast<std::size_t>(row * desc.k + i)]);
                const float b = roundTo(Dtype::E4M3, p.b[static_cast<std::size_t>(col * desc.k + i)]);
                sum += static_cast<double>(a) * static_cast<double>(b);
                magnitudes += std::fabs(static_cast<double>(a) * static_cast<double>(b));
            }
            expected.push_back(sum);
            limits.push_back(sumLimit(desc.out, desc.k, magnitudes, sum));
        }
    }
    const Comparison c = compare(run(*m_backend, p), expected, limits);
    EXPECT_TRUE(c) << c;
}

TEST_F(Matmul, WorkspaceIsForNarrowFormatsOnly) {
    MatmulDesc desc{.m = 8, .n = 8, .k = 8};
    EXPECT_EQ(m_backend->workspaceBytes(desc), 0u);
    desc.compute = Dtype::TF32;
    EXPECT_GE(m_backend->workspaceBytes(desc), 2u * 64 * 4);
}

TEST_F(Matmul, RefusesWithAReason) {
    const Support tf32 = m_backend->supports(MatmulDesc{.m = 1, .n = 1, .k = 1, .a = Dtype::TF32});
    EXPECT_FALSE(tf32.supported);
    EXPECT_EQ(tf32.reason, "tf32 is a compute dtype, never storage");
    EXPECT_THROW(m_backend->prepare(MatmulDesc{.m = 1, .n = 0, .k = 1}), std::invalid_argument);
}

TEST_F(Matmul, RoundsItsOperandsToTf32AsAsked) {
    const auto backend = createCpuBackend();
    const float tie = 1 + 0x1p-11f, above = 1 + 0x1.8p-11f;
    for (const auto& [rounding, tieBecomes, aboveBecomes] : {std::tuple{Rounding::NearestEven, 1.0, 1 + 0x1p-10},
                                                             {Rounding::NearestAway, 1 + 0x1p-10, 1 + 0x1p-10},
                                                             {Rounding::TowardZero, 1.0, 1.0}}) {
        MatmulDesc desc{.m = 2, .n = 1, .k = 1, .compute = Dtype::TF32, .operandRounding = rounding};
        EXPECT_EQ(run(*backend, {desc, {tie, above}, {1}, {}}), (std::vector<double>{tieBecomes, aboveBecomes})) << roundingName(rounding);
    }
}

}  // namespace
}  // namespace mantissa::test
