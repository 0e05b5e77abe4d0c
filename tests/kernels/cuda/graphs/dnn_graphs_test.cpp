// SPDX-License-Identifier: Apache-2.0
// What the cuDNN of this machine says of our graphs, for cards that are only described: whether it takes them, and has engines for them
// that keep to our demands. What they compute is seen on a card.
#include "kernels/cuda/dnn_graphs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/kernels/cuda/graphs/described_card.h"

namespace mantissa::test {
namespace {

using cuda::Convolution;

class DnnGraphs : public testing::TestWithParam<int> {
protected:
    const std::string m_card = describedCard(GetParam());
    const cuda::DnnTarget m_target{.description = m_card};

    void SetUp() override {
        if (cudnnGetVersion() < 90800) GTEST_SKIP() << "cuDNN takes descriptions of cards since 9.8";
    }

    bool hasAttention(const FusedAttentionDesc& desc, bool isGradient) const {
        return cuda::attentionGraph(desc, isGradient, m_target) != nullptr;
    }
    template <typename Desc>
    bool has(const Desc& desc, Dtype format, bool addsBias = false) const {
        return cuda::convolutionGraph(Convolution(desc), format, addsBias, m_target) != nullptr;
    }
    template <typename Desc>
    bool isOnTensorCores(const Desc& desc, Dtype format) const {
        cuda::DnnTarget target = m_target;
        target.isTensorCoresAlone = true;
        return cuda::convolutionGraph(Convolution(desc), format, false, target) != nullptr;
    }
};

/// Queries, keys and values side by side in one matrix, as a network has them.
FusedAttentionDesc sideBySide(Dtype dtype, std::int64_t outer, std::int64_t heads, std::int64_t length, std::int64_t headDim) {
    const std::int64_t width = heads * headDim;
    const BatchStrides packed{.row = 3 * width, .outer = 3 * width * length, .inner = headDim},
        alone{.row = width, .outer = width * length, .inner = headDim};
    return {.outer = outer,
            .heads = heads,
            .keyHeads = heads,
            .length = length,
            .headDim = headDim,
            .scale = 0.125f,
            .q = packed,
            .k = packed,
            .v = packed,
            .out = alone,
            .dtype = dtype};
}

TEST_P(DnnGraphs, AttentionOfGpt2AndItsGradient) {
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        for (const bool isGradient : {false, true}) {
            SCOPED_TRACE(std::string(facts(dtype).name) + (isGradient ? " gradient" : ""));
            EXPECT_TRUE(hasAttention(sideBySide(dtype, 16, 12, 1024, 64), isGradient));
        }
    }
}

/// ResNet-50's kinds of convolutions, as `batch` images of 224 x 224 meet them, and two that are not round: a few channels, and groups.
std::vector<Convolution2dDesc> shapes(std::int64_t batch) {
    return {
        {.samples = batch, .height = 224, .width = 224, .inChannels = 3, .outChannels = 64, .window = {7, 7, 2, 2, 3, 3}},
        {.samples = batch, .height = 56, .width = 56, .inChannels = 64, .outChannels = 64, .window = {3, 3, 1, 1, 1, 1}},
        {.samples = batch, .height = 56, .width = 56, .inChannels = 64, .outChannels = 256, .window = {1, 1, 1, 1, 0, 0}},
        {.samples = batch, .height = 56, .width = 56, .inChannels = 128, .outChannels = 128, .window = {3, 3, 2, 2, 1, 1}},
        {.samples = batch, .height = 56, .width = 56, .inChannels = 256, .outChannels = 512, .window = {1, 1, 2, 2, 0, 0}},
        {.samples = batch, .height = 7, .width = 7, .inChannels = 512, .outChannels = 2048, .window = {1, 1, 1, 1, 0, 0}},
        {.samples = 3, .height = 9, .width = 8, .inChannels = 6, .outChannels = 10, .window = {3, 2, 2, 1, 1, 1}},
        {.samples = 16, .height = 28, .width = 28, .inChannels = 32, .outChannels = 32, .window = {3, 3, 1, 1, 1, 1}, .groups = 32},
    };
}

TEST_P(DnnGraphs, ConvolutionsOfEveryFormatAndDirection) {
    for (const Dtype compute : {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16}) {
        const Dtype format = compute == Dtype::TF32 ? Dtype::F32 : compute;
        for (const std::int64_t batch : {8, 256}) {
            for (Convolution2dDesc d : shapes(batch)) {
                d.compute = compute;
                SCOPED_TRACE(std::string(facts(compute).name) + ", " + std::to_string(d.samples) + " samples, " +
                             std::to_string(d.inChannels) + " to " + std::to_string(d.outChannels) + " channels");
                EXPECT_TRUE(has(d, format));
                EXPECT_TRUE(has(Convolution2dInputGradDesc{d}, format)) << "its input's gradient";
                EXPECT_TRUE(has(Convolution2dWeightGradDesc{d}, format)) << "its weights' gradient";
                EXPECT_TRUE(format == Dtype::F32 || has(d, format, true)) << "with a bias";
            }
        }
    }
}

/// The library's default is the other way round: fp32 tensors on tensor cores.
TEST_P(DnnGraphs, TensorCoresAreForEveryFormatButFp32) {
    for (const Dtype compute : {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16}) {
        const Dtype format = compute == Dtype::TF32 ? Dtype::F32 : compute;
        for (Convolution2dDesc d : shapes(8)) {
            d.compute = compute;
            if (d.groups > 1) continue;  // one channel a group is no product of matrices
            SCOPED_TRACE(std::string(facts(compute).name) + ", " + std::to_string(d.inChannels) + " to " + std::to_string(d.outChannels) +
                         " channels");
            EXPECT_EQ(isOnTensorCores(d, format), compute != Dtype::F32);
            EXPECT_EQ(isOnTensorCores(Convolution2dInputGradDesc{d}, format), compute != Dtype::F32) << "its input's gradient";
            EXPECT_EQ(isOnTensorCores(Convolution2dWeightGradDesc{d}, format), compute != Dtype::F32) << "its weights' gradient";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cards, DnnGraphs, testing::Values(80, 90), testing::PrintToStringParamName());

/// The frontend says why on standard output, where it is told to before its first word.
const bool kIsAskedForReasons = setenv("CUDNN_FRONTEND_LOG_INFO", "1", 1) == 0 && setenv("CUDNN_FRONTEND_LOG_FILE", "stdout", 1) == 0;

/// That is what the attention of Volta says; so the answers above are cuDNN's.
using OldCard = DnnGraphs;
TEST_P(OldCard, HasNoAttention) {
    testing::internal::CaptureStdout();
    const bool has = hasAttention(sideBySide(Dtype::F16, 16, 12, 1024, 64), false);
    const std::string words = testing::internal::GetCapturedStdout();
    EXPECT_FALSE(has);
    EXPECT_NE(words.find("requires SM80"), std::string::npos) << "another reason: " << words;
}
INSTANTIATE_TEST_SUITE_P(Cards, OldCard, testing::Values(70), testing::PrintToStringParamName());

}  // namespace
}  // namespace mantissa::test
