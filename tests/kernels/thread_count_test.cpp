// SPDX-License-Identifier: Apache-2.0
// Operations whose elements are shared out among threads: the same bits for any number of them, and everything done once. (Products have
// a test of their own.)
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/cpu/work_pool.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::int64_t kElements = 3 * cpu::WorkPool::kPiece + 1025;  // whole pieces, then a block and one element
constexpr std::int64_t kCols = 701, kRows = kElements / kCols;

/// Six pieces, the last one of a single sample.
constexpr Convolution2dDesc kConvolution{.samples = 16,
                                         .height = 16,
                                         .width = 16,
                                         .inChannels = 24,
                                         .outChannels = 24,
                                         .window = {5, 5, 1, 1, 2, 2},
                                         .hasBias = true,
                                         .x = Dtype::F16,
                                         .weight = Dtype::F16,
                                         .out = Dtype::F16,
                                         .compute = Dtype::F16};

constexpr PoolDesc kPool{.samples = 9, .height = 20, .width = 20, .channels = 24, .window = {3, 3, 1, 1, 1, 1}};

struct ThreadCase {
    const char* name;
    OperationDesc desc;
    std::vector<Bytes> operands;
};

std::vector<float> normalValues(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(kElements);
    for (float& v : values) v = normal(random);
    return values;
}

template <typename T>
Bytes bytesOf(const T& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    return {first, first + sizeof value};
}

std::vector<ThreadCase> threadCases() {
    const auto values = [](Dtype dtype, unsigned seed) { return stored(dtype, normalValues(seed)); };
    std::vector<float> squares = normalValues(5);
    for (float& v : squares) v *= v;
    const Bytes scalars = bytesOf(StepScalars{.lr = 0.01, .optimizerStep = 7, .hasMomentum = 1});
    const ParameterStorage stochastic{Dtype::BF16, WeightUpdate::Stochastic, 42};
    return {
        {"narrowing cast", CastDesc{kElements, Dtype::F32, Dtype::F16}, {values(Dtype::F32, 1), values(Dtype::F16, 9)}},
        {"widening cast", CastDesc{kElements, Dtype::E4M3, Dtype::F32}, {values(Dtype::E4M3, 1), values(Dtype::F32, 9)}},
        {"accumulate", AccumulateDesc{kElements, Dtype::BF16, Dtype::F32}, {values(Dtype::BF16, 1), values(Dtype::F32, 2)}},
        {"gelu", ActivationDesc{Activation::Gelu, kElements, Dtype::F16}, {values(Dtype::F16, 1), values(Dtype::F16, 9)}},
        {"gelu_grad",
         ActivationGradDesc{Activation::Gelu, kElements, Dtype::F32},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 9)}},
        {"quantize, current",
         QuantizeDesc{kElements, Dtype::F32, Dtype::E4M3, ScaleSource::Current},
         {values(Dtype::F32, 1), values(Dtype::E4M3, 9), Bytes(quantScaleBytes(0))}},
        {"quantize, delayed",
         QuantizeDesc{kElements, Dtype::BF16, Dtype::E5M2, ScaleSource::Delayed},
         {values(Dtype::BF16, 1), values(Dtype::E5M2, 9), Bytes(quantScaleBytes(0))}},
        {"quantize to blocks, rotated and stochastic",
         QuantizeBlocksDesc{.shape = {kElements / 64, 64},
                            .format = *blockFormatFromName("nvfp4"),
                            .isRotated = true,
                            .rounding = Rounding::Stochastic,
                            .seed = 3},
         {values(Dtype::BF16, 1), Bytes(kElements), Bytes(quantScaleBytes(0)), scalars}},
        {"adamw",
         AdamWDesc{.count = kElements},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), stored(Dtype::F32, squares), scalars}},
        {"adamw, stochastic",
         AdamWDesc{.count = kElements, .storage = stochastic},
         {values(Dtype::BF16, 1), values(Dtype::BF16, 2), values(Dtype::BF16, 3), stored(Dtype::BF16, squares), scalars}},
        {"softmax", SoftmaxDesc{kRows, kCols, Dtype::BF16, Dtype::F32}, {values(Dtype::BF16, 1), values(Dtype::F32, 9)}},
        {"layer norm gradient",
         LayerNormGradDesc{.rows = kRows, .cols = kCols},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), values(Dtype::F32, 4), values(Dtype::F32, 6),
          values(Dtype::F32, 9), values(Dtype::F32, 9), values(Dtype::F32, 9)}},
        {"batch norm",
         BatchNormDesc{.rows = kRows, .channels = kCols},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), values(Dtype::F32, 4), stored(Dtype::F32, squares),
          values(Dtype::F32, 9), values(Dtype::F32, 9), values(Dtype::F32, 9)}},
        {"batch norm gradient",
         BatchNormGradDesc{.rows = kRows, .channels = kCols},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), values(Dtype::F32, 4), values(Dtype::F32, 6),
          values(Dtype::F32, 9), values(Dtype::F32, 9), values(Dtype::F32, 9)}},
        {"batched matmul",
         BatchedMatmulDesc{.outer = 4,
                           .inner = 6,
                           .m = 64,
                           .n = 64,
                           .k = 33,
                           .aStrides = {33, 12672, 2112},
                           .bStrides = {64, 12672, 2112},
                           .outStrides = {64, 8192, 4096},
                           .outDivisor = 3},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 9)}},
        {"attention gradient",
         FusedAttentionGradDesc{{.outer = 3,
                                 .heads = 4,
                                 .keyHeads = 2,
                                 .length = 70,
                                 .headDim = 16,
                                 .scale = 0.25f,
                                 .q = {64, 4480, 16},
                                 .k = {32, 2240, 16},
                                 .v = {32, 2240, 16},
                                 .out = {64, 4480, 16}}},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), values(Dtype::F32, 4), values(Dtype::F32, 6),
          values(Dtype::F32, 7), values(Dtype::F32, 9), values(Dtype::F32, 9), values(Dtype::F32, 9)}},
        {"convolution", kConvolution, {values(Dtype::F16, 1), values(Dtype::F16, 2), values(Dtype::F16, 3), values(Dtype::F16, 9)}},
        {"convolution input gradient",
         Convolution2dInputGradDesc{kConvolution, Dtype::F16, Dtype::F32},
         {values(Dtype::F16, 1), values(Dtype::F16, 2), values(Dtype::F32, 9)}},
        {"convolution weight gradient",
         Convolution2dWeightGradDesc{kConvolution, Dtype::F16, Dtype::F32},
         {values(Dtype::F16, 1), values(Dtype::F16, 2), values(Dtype::F32, 9)}},
        {"max pool", kPool, {values(Dtype::F32, 1), values(Dtype::F32, 9), values(Dtype::F32, 9)}},
        {"max pool gradient", PoolGradDesc{kPool}, {values(Dtype::F32, 1), Bytes(kElements * sizeof(std::int32_t)), values(Dtype::F32, 9)}},
        {"dropout",
         DropoutDesc{.count = kElements, .seed = 3, .dtype = Dtype::F16},
         {values(Dtype::F16, 1), scalars, values(Dtype::F16, 9)}},
        {"lion", LionDesc{.count = kElements}, {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), scalars}},
        {"sgd with momentum",
         SgdDesc{.count = kElements, .momentum = 0.9},
         {values(Dtype::F32, 1), values(Dtype::F32, 2), values(Dtype::F32, 3), scalars}},
    };
}

std::vector<Bytes> resultOf(const ThreadCase& test, int threads) {
    omp_set_num_threads(threads);
    const auto backend = createCpuBackend();  // takes its threads when it is made
    std::vector<std::unique_ptr<GuardedBuffer>> buffers;
    std::vector<void*> memory;
    for (const Bytes& operand : test.operands)
        memory.push_back(buffers.emplace_back(std::make_unique<GuardedBuffer>(*backend, operand))->data());
    const bool isOptimizer = std::holds_alternative<AdamWDesc>(test.desc) || std::holds_alternative<SgdDesc>(test.desc) ||
                             std::holds_alternative<LionDesc>(test.desc);
    if (isOptimizer) memory.push_back(nullptr);
    const GuardedBuffer workspace(*backend, backend->workspaceBytes(test.desc));
    const auto queue = backend->createQueue();
    backend->prepare(test.desc)->enqueue(
        *queue, conformance::withWorkspace(test.desc, memory, backend->workspaceBytes(test.desc), workspace.data()));
    queue->wait();
    std::vector<Bytes> after;
    for (const auto& buffer : buffers) {
        EXPECT_TRUE(buffer->isIntact()) << test.name;
        after.push_back(buffer->read<std::byte>());
    }
    return after;
}

TEST(ThreadCount, ChangesNoBit) {
    const int before = omp_get_max_threads();
    for (const ThreadCase& test : threadCases()) {
        const std::vector<Bytes> alone = resultOf(test, 1);
        EXPECT_NE(alone, test.operands) << test.name << " did something";
        for (const int threads : {2, 3}) EXPECT_TRUE(resultOf(test, threads) == alone) << test.name << " with " << threads << " threads";
    }
    omp_set_num_threads(before);
}

// From 1 down by a quarter of an ulp: about one weight in four moves, as its random number has it.
TEST(ThreadCount, EveryPieceDrawsNumbersOfItsOwn) {
    constexpr auto kPiece = static_cast<std::size_t>(cpu::WorkPool::kPiece);
    const auto backend = createCpuBackend();
    const GuardedBuffer weights(*backend, stored(Dtype::BF16, std::vector<float>(2 * kPiece, 1))),
        gradients(*backend, stored(Dtype::BF16, std::vector<float>(2 * kPiece, 0x1p-10f))),
        scalars(*backend, std::vector{StepScalars{.lr = 1}});
    const ParameterStorage storage{Dtype::BF16, WeightUpdate::Stochastic, 42};
    runOperation(*backend, SgdDesc{.count = 2 * cpu::WorkPool::kPiece, .storage = storage},
                 {&weights, &gradients, nullptr, &scalars, nullptr});
    const std::vector<double> after = valuesOf(Dtype::BF16, weights);
    const auto middle = after.begin() + static_cast<std::ptrdiff_t>(kPiece);
    EXPECT_NEAR(static_cast<double>(std::count(after.begin(), middle, 1.0)), 0.75 * kPiece, 5 * std::sqrt(kPiece * 3.0 / 16));
    EXPECT_FALSE(std::equal(after.begin(), middle, middle));
}

}  // namespace
}  // namespace mantissa::test
