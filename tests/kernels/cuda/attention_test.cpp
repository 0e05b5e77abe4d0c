// SPDX-License-Identifier: Apache-2.0
// Attention in several tiles: every width of a head that has a kernel of its own, wider ones in panels, and scores that are not finite; and
// by stored scores, all at once or in pieces.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/conformance/suite.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/context.h"
#include "kernels/cuda/cuda_backend.h"
#include "tests/kernels/cuda/library_guard.h"
#include "tests/support/forwarding_backend.h"
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

/// A card that rounds no probabilities, for the suite.
struct InFp32 : ForwardingBackend {
    InFp32() { inner = cuda::createBackend(0); }
    bool isNative(Dtype) const override { return false; }
};

TEST(CudaAttentionInTiles, StaysWithinTheLimitsOfFp32InAnyFormat) {
    InFp32 backend;
    int rows = 0;
    for (const conformance::Check& check : conformance::allChecks()) {
        if (check.operation != "attention" && check.operation != "attention gradient") continue;
        const conformance::CheckResult result = runCheck(check, backend, conformance::Extent::Short);
        EXPECT_TRUE(result.isOffered() && result.holds()) << result.sentence();
        ++rows;
    }
    EXPECT_EQ(rows, 10);
}

// ---- Stored scores ----

using Buffers = std::vector<std::unique_ptr<GuardedBuffer>>;

/// Operands of the gradient in bf16, in its order, with what the forward operation makes among them.
Buffers operandsFor(Backend& backend, const FusedAttentionDesc& d) {
    std::mt19937 random(8);
    std::normal_distribution<float> normal;
    Buffers buffers;
    for (int operand = 0; operand < 9; ++operand) {
        const bool areKeys = operand == 2 || operand == 3 || operand >= 7;
        std::vector<float> values(static_cast<std::size_t>(d.outer * (areKeys ? d.keyHeads : d.heads) * d.length * d.headDim));
        for (float& value : values) value = normal(random);
        if (operand == 5) values.resize(static_cast<std::size_t>(d.outer * d.heads * d.length));
        buffers.push_back(std::make_unique<GuardedBuffer>(backend, stored(operand == 5 ? Dtype::F32 : d.dtype, values)));
    }
    return buffers;
}

/// out, logSumExp and the gradients by stored scores, of which so many bytes may be there at a time.
Buffers attendByProducts(Backend& backend, const FusedAttentionDesc& d, std::size_t mostBytes) {
    Buffers own = operandsFor(backend, d);
    cuda::Context context(0);
    cuda::CudaQueue queue(0);
    for (const bool isGradient : {false, true}) {
        const cuda::AttentionWay way = cuda::attentionByProducts(d, isGradient, context, mostBytes);
        const GuardedBuffer workspace(backend, way.workspaceBytes);
        std::vector<void*> operands;
        for (const std::size_t i :
             isGradient ? std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8} : std::vector<std::size_t>{1, 2, 3, 4, 5})
            operands.push_back(own[i]->data());
        operands.push_back(workspace.data());
        way.operation->enqueue(queue, operands);
        queue.wait();
        EXPECT_TRUE(workspace.isIntact());
    }
    return own;
}

TEST_F(CudaAttention, ByStoredScoresAgreesWithTheCpuInPiecesOfAnySize) {
    FusedAttentionDesc d{.outer = 2, .heads = 2, .keyHeads = 2, .length = 128, .headDim = 8, .scale = 0.5f, .dtype = Dtype::BF16};
    d.q = d.k = d.v = d.out = {16, 16 * 128, 8};
    const std::size_t ofHead = 128 * 128 * 12;  // scores and probabilities, with their gradients
    const LibraryGuard guard;
    const Buffers whole = attendByProducts(*m_cuda, d, 4 * ofHead);
    EXPECT_EQ(emulation::libraryCalls().products, 2 * (2 + 5));  // for each sample two products, and five of the gradient
    const Buffers pieces = attendByProducts(*m_cuda, d, ofHead);
    const Buffers reference = operandsFor(*m_cpu, d);
    const auto at = [&](std::size_t i) { return reference[i].get(); };
    runOperation(*m_cpu, d, {at(1), at(2), at(3), at(4), at(5)});
    runOperation(*m_cpu, FusedAttentionGradDesc{d}, {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)});
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_EQ(whole[i]->bytes(), pieces[i]->bytes()) << "operand " << i;
        EXPECT_TRUE(whole[i]->isIntact() && pieces[i]->isIntact()) << "operand " << i;
        const Dtype dtype = i == 5 ? Dtype::F32 : d.dtype;
        const auto ours = valuesOf(dtype, whole[i]->bytes()), theirs = valuesOf(dtype, reference[i]->bytes());
        for (std::size_t e = 0; e < ours.size(); ++e)
            ASSERT_LE(std::fabs(ours[e] - theirs[e]), 0x1p-5f * (1 + std::fabs(theirs[e]))) << "operand " << i << " element " << e;
    }
}

}  // namespace
}  // namespace mantissa::test
