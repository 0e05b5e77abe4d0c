// SPDX-License-Identifier: Apache-2.0
// What the conformance suite's short extent does not reach of matrix products: which of them the library makes and with which algorithm,
// those that it refuses, several blocks, addresses that are aligned to nothing, and the CPU backend's bits where sums are exact.
#include <gtest/gtest.h>

#include <random>

#include "kernels/cuda/context.h"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/operations.h"
#include "tests/kernels/cuda/library_guard.h"
#include "tests/support/conformance.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

/// Whole numbers from -7 to 7: sums of up to 300,000 of their products are exact in fp32.
std::vector<float> wholes(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> whole(-7, 7);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(whole(random));
    return values;
}

/// The bits of a product's result on a backend; `offset`: bytes by which every operand is off a cache line.
conformance::Bytes bitsOf(Backend& backend, const MatmulDesc& d, std::size_t offset = 0) {
    const auto buffer = [&](Dtype dtype, std::int64_t count, unsigned seed) {
        const conformance::Bytes bytes = stored(dtype, wholes(count, seed));
        auto own = std::make_unique<GuardedBuffer>(backend, bytes.size(), offset);
        own->write(bytes);
        return own;
    };
    const auto a = buffer(d.a, d.m * d.k, 1), b = buffer(d.b, d.k * d.n, 2), bias = buffer(d.out, d.n, 3), c = buffer(d.out, d.m * d.n, 4);
    const std::vector<QuantScale> scales{{.scale = 4, .inverse = 0.25f}, {.scale = 0.5f, .inverse = 2}};
    const GuardedBuffer scaleA(backend, std::vector<QuantScale>{scales[0]}), scaleB(backend, std::vector<QuantScale>{scales[1]});
    if (d.hasBias && d.isScaled) {
        runOperation(backend, d, {a.get(), b.get(), bias.get(), &scaleA, &scaleB, c.get()});
    } else if (d.isScaled) {
        runOperation(backend, d, {a.get(), b.get(), &scaleA, &scaleB, c.get()});
    } else if (d.hasBias) {
        runOperation(backend, d, {a.get(), b.get(), bias.get(), c.get()});
    } else {
        runOperation(backend, d, {a.get(), b.get(), c.get()});
    }
    return c->bytes();
}

const MatmulDesc kFp32{.m = 48, .n = 32, .k = 64, .hasBias = true};
MatmulDesc with(Dtype stored, Dtype out, Dtype compute) {
    MatmulDesc d = kFp32;
    d.a = d.b = stored, d.out = out, d.compute = compute;
    return d;
}
MatmulDesc scaled(Dtype a, Dtype b, Dtype out) {
    MatmulDesc d = with(a, out, Dtype::E4M3);
    d.b = b, d.isScaled = true;
    return d;
}
MatmulDesc resultIn(Dtype result, const MatmulDesc& of) {
    MatmulDesc d = of;
    d.result = result;
    return d;
}
const MatmulDesc kFormats[] = {
    kFp32,
    with(Dtype::F32, Dtype::F32, Dtype::TF32),
    with(Dtype::F32, Dtype::BF16, Dtype::F32),
    with(Dtype::F16, Dtype::F16, Dtype::F16),
    with(Dtype::BF16, Dtype::F32, Dtype::BF16),
    with(Dtype::F32, Dtype::F16, Dtype::F16),
    with(Dtype::E4M3, Dtype::F32, Dtype::E4M3),
    resultIn(Dtype::BF16, kFp32),
    resultIn(Dtype::F16, with(Dtype::F16, Dtype::F32, Dtype::F16)),
    scaled(Dtype::E4M3, Dtype::E4M3, Dtype::BF16),
    scaled(Dtype::E5M2, Dtype::E4M3, Dtype::F32),
    scaled(Dtype::E5M2, Dtype::E5M2, Dtype::F16),
};

class CudaProducts : public testing::Test {
protected:
    std::shared_ptr<Backend> m_cuda = cuda::createBackend(0), m_cpu = createCpuBackend();

    void expectBitsOfCpu(MatmulDesc d, std::size_t offset = 0) {
        for (int layout = 0; layout < 4; ++layout) {
            d.transposeA = (layout & 1) != 0, d.transposeB = (layout & 2) != 0;
            EXPECT_EQ(bitsOf(*m_cuda, d, offset), bitsOf(*m_cpu, d, offset))
                << static_cast<int>(d.a) << static_cast<int>(d.out) << ' ' << layout;
        }
    }
};

TEST_F(CudaProducts, AreTheLibrarysWithTheBitsOfTheCpu) {
    for (const MatmulDesc& d : kFormats) {
        const LibraryGuard guard;
        expectBitsOfCpu(d);
        EXPECT_EQ(emulation::libraryCalls().products, 4) << static_cast<int>(d.a) << static_cast<int>(d.out);
    }
}

TEST_F(CudaProducts, AreTheLibrarysAtAnyAddress) {
    for (const MatmulDesc& d : kFormats) {
        const LibraryGuard guard;
        expectBitsOfCpu(d, sizeof(float));
        EXPECT_EQ(emulation::libraryCalls().products, 4);
    }
    for (MatmulDesc d : {with(Dtype::F16, Dtype::F16, Dtype::F16), with(Dtype::BF16, Dtype::BF16, Dtype::BF16)}) {
        d.m = 7, d.n = 5, d.k = 3;
        expectBitsOfCpu(d, 2);
    }
}

TEST_F(CudaProducts, AreOurOwnWhereTheLibraryRefuses) {
    const LibraryGuard guard(true);
    for (MatmulDesc d : kFormats) {
        d.m = 70, d.n = 35, d.k = 40;  // two tiles across, and rests everywhere
        expectBitsOfCpu(d);
    }
    expectBitsOfCpu(with(Dtype::F16, Dtype::F16, Dtype::F16), 2);
    EXPECT_EQ(emulation::libraryCalls().products, 0);
}

TEST_F(CudaProducts, SumAsTensorCoresDoWithTheBitsOfTheCpu) {
    MatmulDesc fp16 = with(Dtype::F16, Dtype::F32, Dtype::F16), fp8 = scaled(Dtype::E4M3, Dtype::E4M3, Dtype::F32);
    fp16.accumulator = fp8.accumulator = Accumulator::Hopper;
    fp8.promoteEvery = 64;
    for (MatmulDesc d : {fp16, fp8}) {
        d.m = 35, d.n = 33, d.k = 150;
        expectBitsOfCpu(d);
    }
}

TEST_F(CudaProducts, RememberTheirAlgorithm) {
    const LibraryGuard guard;
    bitsOf(*m_cuda, kFp32);
    const std::int64_t before = emulation::libraryCalls().heuristics;
    EXPECT_GT(before, 0);
    bitsOf(*m_cuda, kFp32);
    EXPECT_EQ(emulation::libraryCalls().heuristics, before);
}

/// What a context chooses for a product in fp16: candidate 2 is the library's first that sums in fp32, 3 takes half its time.
std::int64_t chosen(bool times) {
    const LibraryGuard guard;
    cuda::Context context(0);
    context.setTimesAlgorithms(times);
    const MatmulDesc d = with(Dtype::F16, Dtype::F16, Dtype::F16);
    const auto operation = cuda::makeMatmul(d, context);
    const cuda::Scratch memory(1 << 16), workspace(cuda::matmulWorkspaceBytes(d, context));
    std::byte* const at = memory.as<std::byte>();
    void* const operands[] = {at, at + 8192, at + 16384, at + 24576, workspace.as<void>()};
    cuda::CudaQueue queue(0);
    operation->enqueue(queue, operands);
    queue.wait();
    return emulation::libraryCalls().lastAlgorithm;
}
TEST_F(CudaProducts, ChooseTheFasterAlgorithmByTheCardsTime) {
    EXPECT_EQ(chosen(true), 3);
    EXPECT_EQ(chosen(false), 2);
}
TEST_F(CudaProducts, AreNotTimedWhereTheEnvironmentAsksForTheSameBits) {
    for (const auto& [value, algorithm] : {std::pair{"1", 2}, std::pair{"0", 3}}) {
        setenv("MANTISSA_DETERMINISTIC", value, 1);
        EXPECT_EQ(chosen(true), algorithm) << value;
    }
    unsetenv("MANTISSA_DETERMINISTIC");
}
TEST_F(CudaProducts, AreTimedOnceForAShape) {
    const LibraryGuard guard;
    cuda::Context context(0);
    context.setTimesAlgorithms(true);
    const MatmulDesc d = with(Dtype::F16, Dtype::F16, Dtype::F16);
    {
        const cuda::Context::OnlyAsked asked(context);
        cuda::matmulWorkspaceBytes(d, context);
        EXPECT_EQ(emulation::libraryCalls().products, 0);
    }
    const auto first = cuda::makeMatmul(d, context);
    const std::int64_t timed = emulation::libraryCalls().products;
    EXPECT_GT(timed, 0);
    const auto second = cuda::makeMatmul(d, context);
    EXPECT_EQ(emulation::libraryCalls().products, timed);
}

TEST_F(CudaProducts, AreRecorded) {
    const MatmulDesc d = with(Dtype::F32, Dtype::F16, Dtype::F16);  // operands converted on the way
    const GuardedBuffer a(*m_cuda, stored(d.a, wholes(d.m * d.k, 1))), b(*m_cuda, stored(d.b, wholes(d.k * d.n, 2))),
        bias(*m_cuda, stored(d.out, wholes(d.n, 3))), c(*m_cuda, stored(d.out, wholes(d.m * d.n, 4))),
        workspace(*m_cuda, m_cuda->workspaceBytes(d));
    const auto operation = m_cuda->prepare(d);
    const auto queue = m_cuda->createQueue();
    void* const operands[] = {a.data(), b.data(), bias.data(), c.data(), workspace.data()};
    const auto recording = queue->capture([&] { operation->enqueue(*queue, operands); });
    ASSERT_NE(recording, nullptr);
    EXPECT_EQ(c.bytes(), stored(d.out, wholes(d.m * d.n, 4)));
    recording->launch(*queue);
    queue->wait();
    EXPECT_EQ(c.bytes(), bitsOf(*m_cpu, d));
}

// ---- Batches ----

struct ProductBatch {
    BatchedMatmulDesc desc;
    std::int64_t elements = 0;  // of the largest operand

    /// Heads beside each other in rows, or matrices one after the other.
    ProductBatch(std::int64_t outer, std::int64_t inner, bool isSideBySide) {
        desc.outer = outer, desc.inner = inner, desc.m = desc.n = desc.k = 8;
        desc.aStrides = desc.bStrides = desc.outStrides =
            isSideBySide ? BatchStrides{8 * inner, 64 * inner, 8} : BatchStrides{8, 64 * inner, 64};
        elements = 64 * outer * inner;
    }
    conformance::Bytes bits(Backend& backend) const {
        const GuardedBuffer a(backend, stored(desc.a, wholes(elements, 1))), b(backend, stored(desc.b, wholes(elements, 2))),
            c(backend, stored(desc.out, wholes(elements, 3)));
        runOperation(backend, desc, {&a, &b, &c});
        return c.bytes();
    }
};

TEST_F(CudaProducts, OfABatchAreFewCalls) {
    struct {
        ProductBatch batch;
        std::int64_t calls;
    } cases[] = {{ProductBatch(3, 4, false), 1}, {ProductBatch(3, 4, true), 3}, {ProductBatch(40, 33, true), 0}};
    for (const auto& each : cases) {
        const LibraryGuard guard;
        EXPECT_EQ(each.batch.bits(*m_cuda), each.batch.bits(*m_cpu));
        EXPECT_EQ(emulation::libraryCalls().products, each.calls);
    }
    ProductBatch converted(3, 4, true);  // packed on the way, but for the result
    converted.desc.compute = Dtype::BF16;
    ProductBatch shared(2, 6, false);  // keys of three heads
    shared.desc.bDivisor = 3;
    ProductBatch summed(2, 6, true);  // and their gradients
    summed.desc.outDivisor = summed.desc.bDivisor = 3;
    summed.desc.scale = 0.5f;
    ProductBatch widened(2, 6, false);
    widened.desc.out = Dtype::F16;
    widened.desc.outDivisor = 2;
    for (const ProductBatch& batch : {converted, shared, summed, widened}) {
        const LibraryGuard guard;
        EXPECT_EQ(batch.bits(*m_cuda), batch.bits(*m_cpu));
        EXPECT_GT(emulation::libraryCalls().products, 0);
    }
}

TEST_F(CudaProducts, OfALargeBatchStrideOverTheirBlocks) {
    const LibraryGuard guard(true);
    ProductBatch many(4100, 1, false);
    many.desc.m = many.desc.n = many.desc.k = 1;
    many.desc.aStrides = many.desc.bStrides = many.desc.outStrides = {1, 1, 1};
    many.elements = 4100;
    EXPECT_EQ(many.bits(*m_cuda), many.bits(*m_cpu));
}

/// The suite's rows once more, by our own kernels.
TEST_F(CudaProducts, OfOurOwnAgreeWithTheReference) {
    const LibraryGuard guard(true);
    for (const conformance::Check& check : conformance::allChecks()) {
        const std::string name = check.operation + ' ' + check.format;
        if (name == "matmul fp8_e4m3 > bf16, scaled" || name == "batched matmul tf32")
            conformance::expectAgreement(check, *m_cuda, conformance::Extent::Short);
    }
    EXPECT_EQ(emulation::libraryCalls().products, 0);
}

}  // namespace
}  // namespace mantissa::test
