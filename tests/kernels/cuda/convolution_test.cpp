// SPDX-License-Identifier: Apache-2.0
// Convolutions that cuDNN makes, and those that it does not.
#include <gtest/gtest.h>

#include "kernels/cuda/cuda_backend.h"
#include "tests/kernels/cuda/library_guard.h"
#include "tests/support/conformance.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

const Convolution2dDesc kShape{
    .samples = 3, .height = 9, .width = 8, .inChannels = 6, .outChannels = 10, .window = {3, 2, 2, 1, 1, 1}, .groups = 2, .hasBias = true};

class CudaConvolution : public testing::Test {
protected:
    std::shared_ptr<Backend> m_cuda = cuda::createBackend(0), m_cpu = createCpuBackend();

    /// Small whole numbers, so that sums are exact.
    static std::unique_ptr<GuardedBuffer> numbers(Backend& backend, std::int64_t count, int seed, std::size_t offset) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>((i * 7 + i / 5 * 3 + static_cast<std::size_t>(seed)) % 9) - 4;
        auto buffer = std::make_unique<GuardedBuffer>(backend, values.size() * sizeof(float), offset);
        buffer->write(stored(Dtype::F32, values));
        return buffer;
    }

    /// The results of the convolution and of its gradients, one after the other.
    static conformance::Bytes bitsOf(Backend& backend, const Convolution2dDesc& d, std::size_t offset) {
        const std::int64_t xs = d.samples * d.height * d.width * d.inChannels;
        const std::int64_t ys = d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.outChannels;
        const std::int64_t weights = d.outChannels * d.inChannels / d.groups * d.window.height * d.window.width;
        const auto x = numbers(backend, xs, 1, offset), weight = numbers(backend, weights, 2, 0),
                   bias = numbers(backend, d.outChannels, 3, 0), y = numbers(backend, ys, 4, 0), gradX = numbers(backend, xs, 5, offset),
                   gradWeight = numbers(backend, weights, 6, 0), gradY = numbers(backend, ys, 7, 0);
        runOperation(backend, d, {x.get(), weight.get(), bias.get(), y.get()});
        runOperation(backend, Convolution2dInputGradDesc{d}, {gradY.get(), weight.get(), gradX.get()});
        Convolution2dWeightGradDesc ofWeights{d};
        ofWeights.result = Dtype::BF16;
        runOperation(backend, ofWeights, {gradY.get(), x.get(), gradWeight.get()});
        conformance::Bytes all;
        for (const auto* each : {y.get(), gradX.get(), gradWeight.get()}) {
            const conformance::Bytes bytes = each->bytes();
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
        return all;
    }
};

TEST_F(CudaConvolution, IsTheLibrarysWhereItCan) {
    const LibraryGuard guard;
    EXPECT_EQ(bitsOf(*m_cuda, kShape, 0), bitsOf(*m_cpu, kShape, 0));
    EXPECT_EQ(emulation::libraryCalls().convolutions, 3);
    EXPECT_EQ(emulation::libraryCalls().graphs, 0);
}

TEST_F(CudaConvolution, IsAGraphOfTheLibrarysWhereItHasOne) {
    const LibraryGuard guard;
    Convolution2dDesc shape = kShape;
    shape.groups = 1;
    EXPECT_EQ(bitsOf(*m_cuda, shape, 0), bitsOf(*m_cpu, shape, 0));
    EXPECT_EQ(emulation::libraryCalls().graphs, 3);
    EXPECT_EQ(emulation::libraryCalls().convolutions, 3);
}

TEST_F(CudaConvolution, AGraphIsMadeOnceForAShape) {
    const LibraryGuard guard;
    Convolution2dDesc shape = kShape;
    shape.groups = 1;
    const auto made = [&](const Convolution2dDesc& d) {
        const std::int64_t before = emulation::libraryCalls().graphsMade;
        m_cuda->prepare(d);
        return emulation::libraryCalls().graphsMade - before;
    };
    EXPECT_EQ(made(shape), 1);
    EXPECT_EQ(made(shape), 0);
    Convolution2dDesc other = shape;
    other.window.strideWidth = 2;
    emulation::libraryCalls().hasNoMemory = true;
    EXPECT_THROW(m_cuda->prepare(other), std::bad_alloc);
    EXPECT_EQ(made(other), 1) << "where there had been no memory for one";
    other = shape;
    other.window.padHeight = 0;
    EXPECT_EQ(made(other), 1);
    other = shape;
    other.compute = Dtype::TF32;  // of the same tensors
    EXPECT_EQ(made(other), 1);
    EXPECT_EQ(made(shape), 0);
}

TEST_F(CudaConvolution, IsOurOwnAtAnAddressThatTheLibraryDoesNotTake) {
    const LibraryGuard guard;
    EXPECT_EQ(bitsOf(*m_cuda, kShape, sizeof(float)), bitsOf(*m_cpu, kShape, sizeof(float)));
    EXPECT_EQ(emulation::libraryCalls().convolutions, 0);
}

class CudaConvolutionRows : public CudaConvolution {
protected:
    /// The suite's rows once more.
    void expectAgreement() {
        int rows = 0;
        for (const conformance::Check& check : conformance::allChecks()) {
            if (check.operation.find("convolution") != 0 || (check.dtype != Dtype::TF32 && check.dtype != Dtype::BF16)) continue;
            conformance::expectAgreement(check, *m_cuda, conformance::Extent::Short);
            ++rows;
        }
        EXPECT_EQ(rows, 12);
    }
};

TEST_F(CudaConvolutionRows, AgreeWithTheReferenceByOurOwnKernels) {
    const LibraryGuard guard(true);
    expectAgreement();
    EXPECT_EQ(emulation::libraryCalls().convolutions, 0);
}

TEST_F(CudaConvolutionRows, AgreeWithTheReferenceByTheLibrarysEntryPoints) {
    const LibraryGuard guard;
    emulation::libraryCalls().hasNoGraphs = true;
    expectAgreement();
    EXPECT_GT(emulation::libraryCalls().convolutions, 0);
    EXPECT_EQ(emulation::libraryCalls().graphs, 0);
}

}  // namespace
}  // namespace mantissa::test
