// SPDX-License-Identifier: Apache-2.0
// Activations at special values, as PyTorch has them. The conformance suite judges all others.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/non_finite.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

constexpr Dtype kFormatsWithInf[] = {Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::E5M2};

class ActivationOps : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();

    std::vector<double> forward(Activation kind, Dtype dtype, const std::vector<float>& x) {
        const GuardedBuffer in(*m_backend, stored(dtype, x)), out(*m_backend, x.size() * facts(dtype).storageBytes());
        runOperation(*m_backend, ActivationDesc{kind, static_cast<std::int64_t>(x.size()), dtype}, {&in, &out});
        return valuesOf(dtype, out);
    }
    std::vector<double> backward(Activation kind, Dtype dtype, const std::vector<float>& gradOutput, const std::vector<float>& seen) {
        const GuardedBuffer g(*m_backend, stored(dtype, gradOutput)), values(*m_backend, stored(dtype, seen)),
            gradInput(*m_backend, seen.size() * facts(dtype).storageBytes());
        runOperation(*m_backend, ActivationGradDesc{kind, static_cast<std::int64_t>(seen.size()), dtype}, {&g, &values, &gradInput});
        return valuesOf(dtype, gradInput);
    }
};

TEST_F(ActivationOps, SpecialValues) {
    const std::vector<float> x{-kInf, -0.0f, 0, kInf, kNan};
    for (const Dtype dtype : kFormatsWithInf) {
        EXPECT_TRUE(compareExact(forward(Activation::Relu, dtype, x), std::vector<double>{0, 0, 0, kInf, kNan}));
        EXPECT_TRUE(compareExact(forward(Activation::Tanh, dtype, x), std::vector<double>{-1, 0, 0, 1, kNan}));
        EXPECT_TRUE(compareExact(forward(Activation::Sigmoid, dtype, x), std::vector<double>{0, 0.5, 0.5, 1, kNan}));
        EXPECT_TRUE(compareExact(forward(Activation::Gelu, dtype, x), std::vector<double>{kNan, 0, 0, kInf, kNan}));  // -Inf * 0
        // relu's derivative at 0 is 0; what comes back to a NaN passes, as threshold_backward lets it.
        EXPECT_TRUE(compareExact(backward(Activation::Relu, dtype, {3, 3, 3, 3, 3}, x), std::vector<double>{0, 0, 0, 3, 3}));
        EXPECT_TRUE(compareExact(backward(Activation::Relu, dtype, {kNan, kInf, 1, kInf, kNan}, {0, 0, 1, 2, 3}),
                                 std::vector<double>{0, 0, 1, kInf, kNan}));
    }
}

}  // namespace
}  // namespace mantissa::test
