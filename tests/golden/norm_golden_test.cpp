// SPDX-License-Identifier: Apache-2.0
// Norms that an override forces into 16 bits, against PyTorch's when they are written out in tensors of that format. make_norm_goldens.py
// wrote the references.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/experiment/safetensors.h"
#include "kernels/conformance/compare.h"
#include "tests/support/operands.h"

namespace mantissa {
namespace {

struct NormCase {
    const char* name;
    Dtype format;
    bool centres;
};

class NormGolden : public testing::TestWithParam<NormCase> {
protected:
    NormGolden() {
        for (NamedTensor& tensor : readSafetensors(std::string(MANTISSA_GOLDEN_DIR) + "/norms.safetensors"))
            m_reference[tensor.name] = std::move(tensor.values);
    }
    const std::vector<float>& reference(const std::string& key) const { return m_reference.at(std::string(GetParam().name) + "." + key); }
    std::int64_t cols() const { return static_cast<std::int64_t>(reference("weight").size()); }
    std::int64_t rows() const { return static_cast<std::int64_t>(reference("x").size()) / cols(); }

    const std::shared_ptr<Backend> m_backend = createCpuBackend();

private:
    std::map<std::string, std::vector<float>> m_reference;
};

/// Operands as fp32, which holds every number of the format.
TEST_P(NormGolden, EqualsTheNormWrittenOutInPyTorchAndItsGradientComesClose) {
    const auto& [name, format, centres] = GetParam();
    const auto count = static_cast<std::size_t>(rows() * cols()), rowBytes = static_cast<std::size_t>(rows()) * 4;
    using test::GuardedBuffer;
    const GuardedBuffer x(*m_backend, reference("x")), weight(*m_backend, reference("weight")), bias(*m_backend, reference("bias")),
        g(*m_backend, reference("gradOutput")), y(*m_backend, count * 4), mean(*m_backend, rowBytes), inverse(*m_backend, rowBytes);
    const LayerNormDesc norm{.rows = rows(), .cols = cols(), .epsilon = 0x1p-10, .centres = centres, .hasBias = centres, .compute = format};
    test::runOperation(*m_backend, norm, {&x, &weight, centres ? &bias : nullptr, &y, centres ? &mean : nullptr, &inverse});
    EXPECT_EQ(y.read<float>(), reference("y"));

    const LayerNormGradDesc grad{.rows = rows(), .cols = cols(), .centres = centres, .hasBias = centres, .compute = format};
    const GuardedBuffer gradInput(*m_backend, count * 4), gradWeight(*m_backend, reference("weight").size() * 4),
        gradBias(*m_backend, reference("weight").size() * 4);
    test::runOperation(*m_backend, grad,
                       {&g, &x, &weight, centres ? &mean : nullptr, &inverse, &gradInput, &gradWeight, centres ? &gradBias : nullptr});
    // Autograd has other intermediate results (the cube of the root, for one), each rounded: both are a few roundings from the exact
    // gradient.
    const auto distance = [&](const test::GuardedBuffer& own, const char* key) {
        const auto expected = conformance::toDouble(reference(key));
        return std::sqrt(
            conformance::compare(conformance::toDouble(own.read<float>()), expected, std::vector<double>{INFINITY}).normalisedMse);
    };
    const double limit = 4 * facts(format).unitRoundoff();
    EXPECT_LE(distance(gradInput, "gradInput"), limit);
    EXPECT_LE(distance(gradWeight, "gradWeight"), limit);
    EXPECT_LE(centres ? distance(gradBias, "gradBias") : 0, limit);
    RecordProperty("input_gradient_in_roundings", std::to_string(distance(gradInput, "gradInput") / facts(format).unitRoundoff()));
}

INSTANTIATE_TEST_SUITE_P(PyTorch, NormGolden,
                         testing::Values(NormCase{"fp16.rms", Dtype::F16, false}, NormCase{"fp16.layer", Dtype::F16, true},
                                         NormCase{"bf16.rms", Dtype::BF16, false}, NormCase{"bf16.layer", Dtype::BF16, true}),
                         [](const auto& one) {
                             std::string name = one.param.name;
                             name[4] = '_';
                             return name;
                         });

}  // namespace
}  // namespace mantissa
