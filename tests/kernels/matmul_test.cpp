// SPDX-License-Identifier: Apache-2.0
// What products promise beside their values, which the conformance suite judges: the same bits for any number of threads, one operation
// for many buffers, the accumulator's range, workspace, refusals.
#include <gtest/gtest.h>
#include <omp.h>

#include <limits>
#include <random>

#include "kernels/dtype/rounding.h"
#include "tests/support/operands.h"

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

std::string nameOf(const MatmulDesc& d) {
    return std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(d.k) + (d.transposeA ? " A'" : " A") +
           (d.transposeB ? " B'" : " B") + (d.hasBias ? " +bias" : "");
}

template <typename Check>
void forLayouts(std::int64_t m, std::int64_t n, std::int64_t k, Check check) {
    for (int layout = 0; layout < 8; ++layout) {
        check(MatmulDesc{
            .m = m, .n = n, .k = k, .transposeA = (layout & 1) != 0, .transposeB = (layout & 2) != 0, .hasBias = (layout & 4) != 0});
    }
}

class Matmul : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();
};

/// Large enough to be cut into panels of rows, of columns, of a square with an odd rest.
constexpr std::array<int, 3> kInPanels[] = {{640, 40, 700}, {40, 640, 700}, {330, 270, 270}};

TEST_F(Matmul, SameBitsForAnyNumberOfThreads) {
    const int before = omp_get_max_threads();
    // One that one thread does alone, and those that are shared out; in fp32, and with operands and results that panels convert.
    std::vector<std::array<int, 3>> shapes(std::begin(kInPanels), std::end(kInPanels));
    shapes.push_back({64, 10, 64});
    shapes.push_back({16, 16, 20000});  // long sums, which oneDNN itself would split among its threads
    for (const auto& [m, n, k] : shapes) {
        forLayouts(m, n, k, [&](MatmulDesc desc) {
            for (const Dtype dtype : {Dtype::F32, Dtype::BF16}) {
                desc.a = desc.b = desc.out = desc.compute = dtype;
                const Product p = randomProduct(desc, 8);
                std::vector<double> first;
                for (const int threads : {1, 2, 4}) {
                    omp_set_num_threads(threads);
                    const std::vector<double> result = run(*createCpuBackend(), p);  // a backend takes its threads when it is made
                    EXPECT_EQ(omp_get_max_threads(), threads);
                    if (first.empty()) first = result;
                    EXPECT_EQ(result, first) << nameOf(desc) << " with " << threads << " threads";
                }
            }
        });
    }
    omp_set_num_threads(before);
}

TEST_F(Matmul, AResultRoundedInFp32IsTheNarrowResultWidened) {
    for (const auto& [m, n, k] : {std::array{3, 5, 7}, kInPanels[2]}) {
        forLayouts(m, n, k, [&](MatmulDesc desc) {
            desc.a = desc.b = desc.out = desc.compute = Dtype::F16;
            Product narrow = randomProduct(desc, 3);
            for (float& v : narrow.a) v *= 3000;  // some sums overflow
            Product wide = narrow;
            if (desc.hasBias) {  // which is stored as `out`
                for (float& v : wide.bias) v = roundTo(Dtype::F16, v);
            }
            wide.desc.out = Dtype::F32;
            wide.desc.result = Dtype::F16;
            const std::vector<double> widened = run(*m_backend, wide);
            EXPECT_EQ(widened, run(*m_backend, narrow)) << nameOf(desc);
            wide.desc.result = Dtype::F32;
            EXPECT_NE(widened, run(*m_backend, wide)) << nameOf(desc);
        });
    }
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

// 300 * 300 is beyond fp16's range but not beyond the accumulator's: only the rounded result may overflow.
TEST_F(Matmul, OverflowHappensOnlyWhenTheResultIsRounded) {
    MatmulDesc desc{.m = 1, .n = 2, .k = 2, .a = Dtype::F16, .b = Dtype::F16, .out = Dtype::F16, .compute = Dtype::F16};
    const std::vector<float> a{300, 300}, b{300, 300, -300, 300};
    EXPECT_TRUE(compareExact(run(*m_backend, {desc, a, b, {}}), std::vector<double>{0, std::numeric_limits<double>::infinity()}));
    desc.out = Dtype::F32;
    EXPECT_TRUE(compareExact(run(*m_backend, {desc, a, b, {}}), std::vector<double>{0, 180000}));
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
