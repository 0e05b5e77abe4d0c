// SPDX-License-Identifier: Apache-2.0
// What the CPU backend says of itself, its memory, and its refusals.
#include "kernels/backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace mantissa {
namespace {

class CpuBackend : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();
};

TEST_F(CpuBackend, MemoryIsZeroedAndAligned) {
    const auto queue = m_backend->createQueue();
    for (const std::size_t bytes : {1u, 63u, 4096u}) {
        void* memory = m_backend->allocate(bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
        std::vector<unsigned char> host(bytes, 7);
        m_backend->copyOut(*queue, host.data(), memory, bytes);
        EXPECT_EQ(host, std::vector<unsigned char>(bytes, 0));
        host.assign(bytes, 9);
        m_backend->copyIn(*queue, memory, host.data(), bytes);
        m_backend->fillZero(*queue, memory, bytes - 1);
        m_backend->copyOut(*queue, host.data(), memory, bytes);
        EXPECT_EQ(host.back(), 9);
        EXPECT_EQ(std::count(host.begin(), host.end(), 0), static_cast<std::ptrdiff_t>(bytes - 1));
        m_backend->release(memory);
    }
}

TEST_F(CpuBackend, TheBackendKnowsWhatItIs) {
    const DeviceInfo& device = m_backend->device();
    EXPECT_EQ(device.name, "cpu");
    EXPECT_TRUE(device.available);
    EXPECT_GE(device.threads, 1);
    EXPECT_NE(device.description.find("thread"), std::string::npos);
    for (const Dtype dtype : kAllDtypes) EXPECT_EQ(m_backend->isNative(dtype), dtype == Dtype::F32);
}

/// A convolution of two samples of 4 x 4, of one channel where none is named.
Convolution2dDesc withPlane(Convolution2dDesc desc) {
    desc.samples = 2, desc.height = 4, desc.width = 4;
    desc.inChannels = std::max<std::int64_t>(desc.inChannels, 1), desc.outChannels = std::max<std::int64_t>(desc.outChannels, 1);
    return desc;
}

TEST_F(CpuBackend, RefusesWithAReason) {
    const OperationDesc refused[] = {CastDesc{1, Dtype::F32, Dtype::TF32},
                                     CastDesc{1, Dtype::F32, Dtype::E2M1},
                                     CastDesc{1, Dtype::E8M0, Dtype::F32},
                                     CastDesc{-1},
                                     AccumulateDesc{1, Dtype::TF32, Dtype::F32},
                                     ActivationDesc{Activation::Relu, 1, Dtype::TF32},
                                     ActivationGradDesc{Activation::Relu, 1, Dtype::TF32},
                                     BiasGradDesc{1, 1, Dtype::F32, Dtype::TF32},
                                     SoftmaxCrossEntropyDesc{0, 3},
                                     SoftmaxCrossEntropyGradDesc{3, 0},
                                     GatherRowsDesc{-1, 1},
                                     CopyColumnsDesc{.rows = 1, .cols = 2, .srcWidth = 3, .srcFirst = 2, .dstWidth = 2},
                                     CopyColumnsDesc{.rows = 1, .cols = 2, .srcWidth = 2, .dstWidth = 1},
                                     UnscaleDesc{{}, Dtype::F32},
                                     UnscaleDesc{{0, 5, 4}},
                                     AdamWDesc{.count = -1},
                                     SgdDesc{.count = 1, .nesterov = true},
                                     SgdDesc{.count = 1, .momentum = 0.9, .dampening = 0.1, .nesterov = true},
                                     ClassifyDesc{1, Dtype::TF32},
                                     withPlane({.inChannels = 3, .outChannels = 4, .groups = 2}),
                                     withPlane({.window = {5, 3, 1, 1, 0, 1}}),
                                     withPlane({.window = {3, 3, 0, 1}}),
                                     withPlane({.window = {3, 3, 1, 1, -1, 0}}),
                                     withPlane({.compute = Dtype::F16, .accumulator = Accumulator::Hopper}),
                                     withPlane({.compute = Dtype::TF32, .operandRounding = Rounding::Stochastic}),
                                     Convolution2dInputGradDesc{withPlane({}), Dtype::F32, Dtype::TF32},
                                     Convolution2dWeightGradDesc{withPlane({}), Dtype::F32, Dtype::F32, Dtype::TF32},
                                     BatchNormDesc{.rows = 1, .channels = 3},
                                     BatchNormDesc{.rows = 2, .channels = 3, .momentum = 1.5},
                                     BatchNormGradDesc{.rows = 2, .channels = 0},
                                     PoolDesc{.samples = 1, .height = 4, .width = 4, .channels = 1, .window = {2, 2, 1, 1, 0, 2}},
                                     PoolGradDesc{{.samples = 1, .height = 4, .width = 4, .channels = 1, .window = {5, 5}}}};
    for (const OperationDesc& desc : refused) {
        const Support support = m_backend->supports(desc);
        EXPECT_FALSE(support.supported) << desc.index();
        EXPECT_FALSE(support.reason.empty()) << desc.index();
        EXPECT_THROW(m_backend->prepare(desc), std::invalid_argument) << desc.index();
    }
    EXPECT_TRUE(m_backend->supports(BatchNormDesc{.rows = 1, .channels = 3, .training = false}).supported);
    EXPECT_TRUE(m_backend->supports(withPlane({.window = {6, 4, 1, 1, 1, 0}})).supported);
    EXPECT_EQ(m_backend->supports(CastDesc{1, Dtype::F32, Dtype::E2M1}).reason, "fp4_e2m1 is for conversions only, never storage");
}

}  // namespace
}  // namespace mantissa
