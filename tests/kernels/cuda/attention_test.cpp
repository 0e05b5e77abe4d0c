// SPDX-License-Identifier: Apache-2.0
// Attention in several tiles: every width of a head that has a kernel of its own, wider ones in panels, and scores that are not finite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/cuda/cuda_backend.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One after the other: heads of matrices [length, headDim].
FusedAttentionDesc shapeOf(std::int64_t heads, std::int64_t keyHeads, std::int64_t length, std::int64_t headDim, bool causal) {
    FusedAttentionDesc d{.heads = heads, .keyHeads = keyHeads, .length = length, .headDim = headDim, .causal = causal};
    d.scale = 1 / std::sqrt(static_cast<float>(headDim));
    d.q = d.k = d.v = d.out = {headDim, heads * length * headDim, length * headDim};
    return d;
}

struct Inputs {
    std::vector<float> q, k, v, g;
    Inputs(const FusedAttentionDesc& d, unsigned seed) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for (auto* each : {&q, &k, &v, &g}) {
            each->resize(static_cast<std::size_t>(d.heads * d.length * d.headDim));
            for (float& value : *each) value = normal(random);
        }
    }
};

/// out, logSumExp, gradQ, gradK, gradV.
std::vector<std::vector<float>> attend(Backend& backend, const FusedAttentionDesc& d, const Inputs& inputs) {
    const GuardedBuffer q(backend, inputs.q), k(backend, inputs.k), v(backend, inputs.v), g(backend, inputs.g),
        out(backend, inputs.q.size() * sizeof(float)), logs(backend, static_cast<std::size_t>(d.heads * d.length) * sizeof(float)),
        gradQ(backend, inputs.q.size() * sizeof(float)), gradK(backend, inputs.q.size() * sizeof(float)),
        gradV(backend, inputs.q.size() * sizeof(float));
    runOperation(backend, d, {&q, &k, &v, &out, &logs});
    runOperation(backend, FusedAttentionGradDesc{d}, {&g, &q, &k, &v, &out, &logs, &gradQ, &gradK, &gradV});
    return {out.read<float>(), logs.read<float>(), gradQ.read<float>(), gradK.read<float>(), gradV.read<float>()};
}

class CudaAttention : public testing::Test {
protected:
    std::shared_ptr<Backend> m_cuda = cuda::createBackend(0), m_cpu = createCpuBackend();

    void expectAgreement(const FusedAttentionDesc& d, const Inputs& inputs) {
        const auto ours = attend(*m_cuda, d, inputs), theirs = attend(*m_cpu, d, inputs);
        const auto keyElements = static_cast<std::size_t>(d.keyHeads * d.length * d.headDim);
        for (std::size_t part = 0; part < ours.size(); ++part) {
            const std::size_t count = part >= 3 ? keyElements : ours[part].size();
            for (std::size_t i = 0; i < count; ++i) {
                const float a = ours[part][i], b = theirs[part][i];
                ASSERT_EQ(std::isnan(a), std::isnan(b)) << "part " << part << " element " << i << ": " << a << " not " << b;
                if (std::isnan(a)) continue;
                ASSERT_LE(std::fabs(a - b), 1e-5f * (1 + std::fabs(b))) << "part " << part << " element " << i;
            }
        }
    }
};

TEST_F(CudaAttention, AgreesWithTheCpuForEveryWidthOfHeads) {
    for (const std::int64_t headDim : {40, 66, 130, 261}) {
        SCOPED_TRACE(headDim);
        // Two tiles, the second one of two rows; one of the shapes with two heads that share their keys.
        const FusedAttentionDesc d = shapeOf(headDim == 40 ? 2 : 1, 1, 66, headDim, headDim % 3 != 0);
        expectAgreement(d, Inputs(d, 5));
    }
    const FusedAttentionDesc tiny = shapeOf(4, 2, 16, 70, true);  // a whole small tile, in two panels
    expectAgreement(tiny, Inputs(tiny, 6));
}

TEST_F(CudaAttention, PutsRightATileOfNothingButMinusInfinity) {
    const FusedAttentionDesc d = shapeOf(1, 1, 70, 1, false);
    Inputs inputs(d, 7);
    for (std::size_t i = 0; i < 64; ++i) inputs.k[i] = -kInfinity;
    for (float& q : inputs.q) q = std::fabs(q) + 0.1f;
    inputs.q[3] = std::nanf("");
    inputs.q[4] = -1;  // sees +Inf
    expectAgreement(d, inputs);
    for (float& k : inputs.k) k = -kInfinity;  // rows of nothing else
    expectAgreement(d, inputs);
}

}  // namespace
}  // namespace mantissa::test
