// SPDX-License-Identifier: Apache-2.0
// Losses and their gradients. Cross-entropy subtracts the largest logit first, so finite logits never overflow fp32; a NaN or +Inf logit
// makes its row's loss NaN. With log-probabilities in the format of the logits it reads a row once more. Losses of rows or blocks are
// stored in the operation's memory; the last block to finish sums them in a fixed order.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"
#include "kernels/log_probabilities.h"

namespace mantissa::cuda {
namespace {

struct RowLoss {
    float loss;
    std::int32_t isCorrect;
};

/// Run by the last block: the mean of the rows' losses, and the number of correct rows.
__device__ void meanOfRows(std::int64_t rows, const RowLoss* losses, float* loss, std::int32_t* correct) {
    float sum = 0;
    std::int32_t count = 0;
    for (std::int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
        sum += losses[row].loss;
        count += losses[row].isCorrect;
    }
    sum = sumBlock(sum);
    count = sumBlock(count);
    if (threadIdx.x != 0) return;
    *loss = sum / static_cast<float>(rows);
    *correct = count;
}

/// The next smaller number; NaN for -Inf.
__device__ float nextBelow(float value) {
    const std::uint32_t bits = floatBits(value);
    return floatFromBits(value > 0 ? bits - 1 : value < 0 ? bits + 1 : kFloatSign | 1u);
}

template <typename Plan, typename Access>
__global__ void __launch_bounds__(Plan::kThreads)
    crossEntropyRows(std::int64_t rows, std::int64_t classes, float smoothing, Dtype dtype, Dtype compute, const void* logits,
                     const std::int32_t* labels, RowLoss* losses, unsigned* arrived, float* loss, std::int32_t* correct) {
    using Crew = typename Plan::Crew;
    for (std::int64_t row = Crew::firstRow(); row < rows; row += Crew::rowStep()) {
        const RowChunks chunks(dtype, logits, row * classes, classes);
        Row<Plan, Access> x(dtype, logits, chunks);
        const std::int64_t label = labels[row];
        const float ofLabel = loadElement(dtype, logits, row * classes + label);
        // The largest logit is not known yet, so differences are relative to the label's logit if finite. This avoids earlier overflow.
        const float belowLabel = nextBelow(ofLabel), base = fabsf(ofLabel) < floatFromBits(kFloatInf) ? ofLabel : 0.0f;
        float differences = 0;
        std::int32_t spoilers = 0;  // NaN, larger, or equal and before the label: the first of equal logits counts
        const RowPowers powers = powersOfRow(x, chunks, [&](const Chunk& chunk, std::int64_t column, int n) {
            if (smoothing != 0) forElements(n, [&](int i) { differences += chunk.x[i] - base; });
            if (column <= label && label < column + n) {
                forElements(n, [&](int i) { spoilers |= chunk.x[i] <= (column + i < label ? belowLabel : ofLabel) ? 0 : 1; });
            } else {
                const float most = column < label ? belowLabel : ofLabel;
                forElements(n, [&](int i) { spoilers |= chunk.x[i] <= most ? 0 : 1; });
            }
        });
        spoilers = Crew::fold(spoilers, 0, [](std::int32_t a, std::int32_t b) { return a | b; });
        const float atLabel = ofLabel - powers.largest, logOfSum = logf(powers.sum);
        float own = 0;
        if (compute != Dtype::F32) {
            float all = 0;
            if (smoothing != 0) {
                forRowChunks<Plan>(chunks, [&](int, std::int64_t column, int n) {
                    const Chunk chunk = loadChunk(dtype, logits, chunks.first + column, n);
                    MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) all +=
                        i < n ? storedValue(compute, chunk.x[i] - powers.largest - logOfSum) : 0.0f;
                });
                all = smoothing / static_cast<float>(classes) * sumOfRow<Plan>(all);
            }
            own = -((1 - smoothing) * storedValue(compute, atLabel - logOfSum) + all);
        } else {
            own = logOfSum - (smoothing == 0 ? atLabel : (1 - smoothing) * atLabel);
            if (smoothing != 0) own -= smoothing * (sumOfRow<Plan>(differences) / static_cast<float>(classes) + (base - powers.largest));
        }
        if (Crew::lane() != 0) continue;
        losses[row] = {own, spoilers == 0 ? 1 : 0};
    }
    if (isLastBlock(arrived, gridDim.x)) meanOfRows(rows, losses, loss, correct);
}

/// Gradient of a row: g - exp(log-probability) * sum of g, with log-probabilities and g in the format of the logits.
/// isKept: shared memory holds a row in its format, so that it is read once.
template <typename Plan, typename Access, bool isKept>
__global__ void __launch_bounds__(Plan::kThreads)
    narrowCrossEntropyGradRows(std::int64_t rows, std::int64_t classes, float smoothing, Dtype dtype, const void* logits,
                               const std::int32_t* labels, const StepScalars* scalars, void* gradLogits) {
    const LogProbabilityGradient g = logProbabilityGradient(dtype, scalars->lossGrad, rows, classes, smoothing);
    void* const kept = isKept ? dynamicShared<Chunk>() : nullptr;
    for (std::int64_t row = Plan::Crew::firstRow(); row < rows; row += Plan::Crew::rowStep()) {
        const RowChunks chunks(dtype, logits, row * classes, classes);
        Row<Plan, Access> x(dtype, logits, chunks);
        const std::int64_t label = labels[row];
        const RowPowers powers = powersOfRow(x, chunks, [&](const Chunk& chunk, std::int64_t column, int n) {
            if constexpr (isKept) Access::store(dtype, kept, column, n, chunk);  // only this thread reads it again
        });
        const float logOfSum = logf(powers.sum);
        x.store(dtype, gradLogits, [&](int, std::int64_t column, int n) {
            Chunk chunk = isKept ? Access::load(dtype, kept, column, n) : Access::load(dtype, logits, chunks.first + column, n);
            const auto labelAt = static_cast<int>(label >= column && label < column + kChunk ? label - column : kChunk);
            for (int i = 0; i < kChunk; ++i) {
                const float probability = expf(Access::stored(dtype, chunk.x[i] - powers.largest - logOfSum));
                chunk.x[i] = (i == labelAt ? g.atLabel : g.elsewhere) - probability * g.sum;
            }
            return chunk;
        });
        if constexpr (isKept) __syncthreads();  // the next row may divide differently among the threads
    }
}

/// Gradient of a row: (softmax - even) * factor, minus (1 - smoothing) * factor at the label. even: label smoothing's share of each class.
template <typename Plan>
__global__ void __launch_bounds__(Plan::kThreads)
    crossEntropyGradRows(std::int64_t rows, std::int64_t classes, float smoothing, Dtype dtype, const void* logits,
                         const std::int32_t* labels, const StepScalars* scalars, float* gradLogits) {
    // Divides by the rows first, as PyTorch's mean does backward: a large loss scale then overflows as late as possible.
    const float factor = scalars->lossGrad / static_cast<float>(rows), even = smoothing / static_cast<float>(classes);
    for (std::int64_t row = Plan::Crew::firstRow(); row < rows; row += Plan::Crew::rowStep()) {
        const RowChunks chunks(dtype, logits, row * classes, classes);
        Row<Plan> x(dtype, logits, chunks);
        const std::int64_t label = labels[row];
        const RowPowers powers = powersOfRow(x, chunks);
        x.store(Dtype::F32, gradLogits, [&](int slot, std::int64_t column, int n) {
            Chunk chunk = x.get(slot, column, n);
            for (int i = 0; i < kChunk; ++i) {
                const float power = Row<Plan>::kIsHeld ? chunk.x[i] : expf(chunk.x[i] - powers.largest);
                const float target = column + i == label ? 1 - smoothing : 0.0f;
                chunk.x[i] = (power / powers.sum - even - target) * factor;
            }
            return chunk;
        });
    }
}

__global__ void squaredError(std::int64_t count, const float* prediction, const float* target, float* sums, unsigned* arrived,
                             float* loss) {
    float own = 0;
    forChunks(count, [&](std::int64_t first, int n) {
        const Chunk p = loadChunk(Dtype::F32, prediction, first, n), t = loadChunk(Dtype::F32, target, first, n);
        for (int i = 0; i < kChunk; ++i) {
            const float difference = p.x[i] - t.x[i];
            own += difference * difference;
        }
    });
    own = sumBlock(own);
    if (threadIdx.x == 0) sums[blockIdx.x] = own;
    if (!isLastBlock(arrived, gridDim.x)) return;
    float sum = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) sum += sums[block];
    sum = sumBlock(sum);
    if (threadIdx.x == 0) *loss = sum / static_cast<float>(count);
}

__global__ void squaredErrorGrad(std::int64_t count, const float* prediction, const float* target, const StepScalars* scalars,
                                 float* gradPrediction) {
    const float factor = 2 * (scalars->lossGrad / static_cast<float>(count));
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk p = loadChunk(Dtype::F32, prediction, first, n);
        const Chunk t = loadChunk(Dtype::F32, target, first, n);
        for (int i = 0; i < kChunk; ++i) p.x[i] = (p.x[i] - t.x[i]) * factor;
        storeChunk(Dtype::F32, gradPrediction, first, n, p);
    });
}

}  // namespace

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc) {
    const auto smoothing = static_cast<float>(desc.labelSmoothing);
    return makeFunction([desc, smoothing, losses = Scratch(static_cast<std::size_t>(desc.rows) * sizeof(RowLoss)),
                         arrived = Scratch(sizeof(unsigned))](cudaStream_t stream, Operands operands) {
        withRowPlan(desc.classes, [&](auto plan) {
            using Plan = decltype(plan);
            const auto start = [&](auto access) {
                launch(Plan::Crew::grid(desc.rows), stream, crossEntropyRows<Plan, decltype(access)>, desc.rows, desc.classes, smoothing,
                       desc.logits, desc.compute, static_cast<const void*>(operands[0]), static_cast<const std::int32_t*>(operands[1]),
                       losses.template as<RowLoss>(), arrived.template as<unsigned>(), static_cast<float*>(operands[2]),
                       static_cast<std::int32_t*>(operands[3]));
            };
            if constexpr (Plan::kHeld > 0) {
                start(AnyAccess{});
            } else {
                withAccess({desc.logits}, {operands[0]}, desc.classes, start);
            }
        });
    });
}

std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc) {
    const auto smoothing = static_cast<float>(desc.labelSmoothing);
    return makeFunction([desc, smoothing](cudaStream_t stream, Operands operands) {
        withRowPlan(desc.classes, [&](auto plan) {
            using Plan = decltype(plan);
            Grid grid = Plan::Crew::grid(desc.rows);
            const auto start = [&](auto kernel, auto* gradLogits) {
                launch(grid, stream, kernel, desc.rows, desc.classes, smoothing, desc.logits, static_cast<const void*>(operands[0]),
                       static_cast<const std::int32_t*>(operands[1]), static_cast<const StepScalars*>(operands[2]), gradLogits);
            };
            if (desc.compute == Dtype::F32) return start(crossEntropyGradRows<Plan>, static_cast<float*>(operands[3]));
            if constexpr (Plan::kHeld > 0) {
                start(narrowCrossEntropyGradRows<Plan, AnyAccess, false>, operands[3]);
            } else {
                withAccess({desc.logits}, {operands[0], operands[3]}, desc.classes, [&](auto access) {
                    using Access = decltype(access);
                    const std::size_t bytes = static_cast<std::size_t>(desc.classes) * facts(desc.logits).storageBytes();
                    constexpr std::size_t kMostOfBlock = std::size_t{112} << 10;  // two blocks at a time on a multiprocessor of 228 KiB
                    const auto keeping = narrowCrossEntropyGradRows<Plan, Access, true>;
                    if (bytes > kMostOfBlock || !mayShare(keeping, kMostOfBlock))
                        return start(narrowCrossEntropyGradRows<Plan, Access, false>, operands[3]);
                    grid.sharedBytes = bytes;
                    start(keeping, operands[3]);
                });
            }
        });
    });
}

std::unique_ptr<Operation> makeMeanSquaredError(const MeanSquaredErrorDesc& desc) {
    const Grid grid = gridOfChunks(desc.count);
    return makeFunction([desc, grid, sums = Scratch(grid.blocks * sizeof(float)), arrived = Scratch(sizeof(unsigned))](cudaStream_t stream,
                                                                                                                       Operands operands) {
        launch(grid, stream, squaredError, desc.count, static_cast<const float*>(operands[0]), static_cast<const float*>(operands[1]),
               sums.as<float>(), arrived.as<unsigned>(), static_cast<float*>(operands[2]));
    });
}

std::unique_ptr<Operation> makeMeanSquaredErrorGrad(const MeanSquaredErrorGradDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, squaredErrorGrad, desc.count, static_cast<const float*>(operands[0]),
               static_cast<const float*>(operands[1]), static_cast<const StepScalars*>(operands[2]), static_cast<float*>(operands[3]));
    });
}

}  // namespace mantissa::cuda
