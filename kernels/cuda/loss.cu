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

/// Where the loss of each row is read from and written to.
struct LossRows {
    std::int64_t rows, classes;
    float smoothing;
    Dtype dtype, compute;
    const void* logits;
    const std::int32_t* labels;
    RowLoss* losses;
    unsigned* arrived;
    float* loss;
    std::int32_t* correct;
};

/// Writes a row's loss and returns the row's powers. keep(chunk, column, count) receives each chunk of logits.
template <typename Plan, typename Access, typename Keep>
__device__ RowPowers lossOfRow(const LossRows& o, Row<Plan, Access>& x, const RowChunks& chunks, std::int64_t row, Keep keep) {
    using Crew = typename Plan::Crew;
    const std::int64_t label = o.labels[row];
    const float ofLabel = loadElement(o.dtype, o.logits, row * o.classes + label);
    // The largest logit is not known yet, so differences are relative to the label's logit if finite. This avoids earlier overflow.
    const float belowLabel = nextBelow(ofLabel), base = fabsf(ofLabel) < floatFromBits(kFloatInf) ? ofLabel : 0.0f;
    float differences = 0;
    std::int32_t spoilers = 0;  // NaN, larger, or equal and before the label: the first of equal logits counts
    const RowPowers powers = powersOfRow(x, chunks, [&](const Chunk& chunk, std::int64_t column, int n) {
        keep(chunk, column, n);
        if (o.smoothing != 0) forElements(n, [&](int i) { differences += chunk.x[i] - base; });
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
    if (o.compute != Dtype::F32) {
        float all = 0;
        if (o.smoothing != 0) {
            forRowChunks<Plan>(chunks, [&](int, std::int64_t column, int n) {
                const Chunk chunk = loadChunk(o.dtype, o.logits, chunks.first + column, n);
                MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) all +=
                    i < n ? storedValue(o.compute, chunk.x[i] - powers.largest - logOfSum) : 0.0f;
            });
            all = o.smoothing / static_cast<float>(o.classes) * sumOfRow<Plan>(all);
        }
        own = -((1 - o.smoothing) * storedValue(o.compute, atLabel - logOfSum) + all);
    } else {
        own = logOfSum - (o.smoothing == 0 ? atLabel : (1 - o.smoothing) * atLabel);
        if (o.smoothing != 0) own -= o.smoothing * (sumOfRow<Plan>(differences) / static_cast<float>(o.classes) + (base - powers.largest));
    }
    if (Crew::lane() == 0) o.losses[row] = {own, spoilers == 0 ? 1 : 0};
    return powers;
}

template <typename Plan, typename Access>
__global__ void __launch_bounds__(Plan::kThreads) crossEntropyRows(LossRows o) {
    using Crew = typename Plan::Crew;
    for (std::int64_t row = Crew::firstRow(); row < o.rows; row += Crew::rowStep()) {
        const RowChunks chunks(o.dtype, o.logits, row * o.classes, o.classes);
        Row<Plan, Access> x(o.dtype, o.logits, chunks);
        lossOfRow(o, x, chunks, row, [](const Chunk&, std::int64_t, int) {});
    }
    if (isLastBlock(o.arrived, gridDim.x)) meanOfRows(o.rows, o.losses, o.loss, o.correct);
}

/// Gradient of a row: g - exp(log-probability) * sum of g, with log-probabilities and g in the format of the logits. load(column, count):
/// a chunk of logits.
template <typename Plan, typename Access, typename Load>
__device__ void storeNarrowGradient(Row<Plan, Access>& x, Dtype dtype, void* gradLogits, std::int64_t label,
                                    const LogProbabilityGradient& g, const RowPowers& powers, Load load) {
    const float logOfSum = logf(powers.sum);
    x.store(dtype, gradLogits, [&](int, std::int64_t column, int n) {
        Chunk chunk = load(column, n);
        const auto labelAt = static_cast<int>(label >= column && label < column + kChunk ? label - column : kChunk);
        for (int i = 0; i < kChunk; ++i) {
            const float probability = expf(Access::stored(dtype, chunk.x[i] - powers.largest - logOfSum));
            chunk.x[i] = (i == labelAt ? g.atLabel : g.elsewhere) - probability * g.sum;
        }
        return chunk;
    });
}

/// isKept: shared memory holds a row in its format, so that it is read once. writesLoss: with the loss, which `o` names.
template <typename Plan, typename Access, bool isKept, bool writesLoss>
__global__ void __launch_bounds__(Plan::kThreads) narrowCrossEntropyGradRows(LossRows o, const StepScalars* scalars, void* gradLogits) {
    const LogProbabilityGradient g = logProbabilityGradient(o.dtype, scalars->lossGrad, o.rows, o.classes, o.smoothing);
    void* const kept = isKept ? dynamicShared<Chunk>() : nullptr;
    for (std::int64_t row = Plan::Crew::firstRow(); row < o.rows; row += Plan::Crew::rowStep()) {
        const RowChunks chunks(o.dtype, o.logits, row * o.classes, o.classes);
        Row<Plan, Access> x(o.dtype, o.logits, chunks);
        const auto keep = [&](const Chunk& chunk, std::int64_t column, int n) {
            if constexpr (isKept) Access::store(o.dtype, kept, column, n, chunk);  // only this thread reads it again
        };
        RowPowers powers;
        if constexpr (writesLoss) {
            powers = lossOfRow(o, x, chunks, row, keep);
        } else {
            powers = powersOfRow(x, chunks, keep);
        }
        storeNarrowGradient(x, o.dtype, gradLogits, o.labels[row], g, powers, [&](std::int64_t column, int n) {
            return isKept ? Access::load(o.dtype, kept, column, n) : Access::load(o.dtype, o.logits, chunks.first + column, n);
        });
        if constexpr (isKept) __syncthreads();  // the next row may divide differently among the threads
    }
    if constexpr (writesLoss) {
        if (isLastBlock(o.arrived, gridDim.x)) meanOfRows(o.rows, o.losses, o.loss, o.correct);
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

namespace {

/// Memory of an operation that computes the loss.
struct LossMemory {
    Scratch losses, arrived;
    explicit LossMemory(std::int64_t rows) : losses(static_cast<std::size_t>(rows) * sizeof(RowLoss)), arrived(sizeof(unsigned)) {}
};

/// `memory` is null if only the gradient is computed.
template <typename Desc>
LossRows lossRows(const Desc& desc, Operands operands, const LossMemory* memory) {
    LossRows o{desc.rows,    desc.classes, static_cast<float>(desc.labelSmoothing),      desc.logits,
               desc.compute, operands[0],  static_cast<const std::int32_t*>(operands[1])};
    if (memory == nullptr) return o;
    o.losses = memory->losses.template as<RowLoss>();
    o.arrived = memory->arrived.template as<unsigned>();
    o.loss = static_cast<float*>(operands[2]);
    o.correct = static_cast<std::int32_t*>(operands[3]);
    return o;
}

/// The gradient with log-probabilities in the format of the logits, with or without the loss.
template <bool writesLoss>
void launchNarrowGradient(const LossRows& o, cudaStream_t stream, const void* scalars, void* gradLogits) {
    withRowPlan(o.classes, [&](auto plan) {
        using Plan = decltype(plan);
        Grid grid = Plan::Crew::grid(o.rows);
        const auto start = [&](auto kernel) { launch(grid, stream, kernel, o, static_cast<const StepScalars*>(scalars), gradLogits); };
        if constexpr (Plan::kHeld > 0) {
            start(narrowCrossEntropyGradRows<Plan, AnyAccess, false, writesLoss>);
        } else {
            withAccess({o.dtype}, {o.logits, gradLogits}, o.classes, [&](auto access) {
                using Access = decltype(access);
                const std::size_t bytes = static_cast<std::size_t>(o.classes) * facts(o.dtype).storageBytes();
                constexpr std::size_t kMostOfBlock = std::size_t{112} << 10;  // two blocks at a time on a multiprocessor of 228 KiB
                const auto keeping = narrowCrossEntropyGradRows<Plan, Access, true, writesLoss>;
                if (bytes > kMostOfBlock || !mayShare(keeping, kMostOfBlock))
                    return start(narrowCrossEntropyGradRows<Plan, Access, false, writesLoss>);
                grid.sharedBytes = bytes;
                start(keeping);
            });
        }
    });
}

}  // namespace

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc) {
    return makeFunction([desc, memory = LossMemory(desc.rows)](cudaStream_t stream, Operands operands) {
        const LossRows o = lossRows(desc, operands, &memory);
        withRowPlan(desc.classes, [&](auto plan) {
            using Plan = decltype(plan);
            const auto start = [&](auto access) {
                launch(Plan::Crew::grid(desc.rows), stream, crossEntropyRows<Plan, decltype(access)>, o);
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
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        const LossRows o = lossRows(desc, operands, nullptr);
        if (desc.compute != Dtype::F32) return launchNarrowGradient<false>(o, stream, operands[2], operands[3]);
        withRowPlan(desc.classes, [&](auto plan) {
            using Plan = decltype(plan);
            launch(Plan::Crew::grid(desc.rows), stream, crossEntropyGradRows<Plan>, desc.rows, desc.classes, o.smoothing, desc.logits,
                   o.logits, o.labels, static_cast<const StepScalars*>(operands[2]), static_cast<float*>(operands[3]));
        });
    });
}

std::unique_ptr<Operation> makeLossGrad(const SoftmaxCrossEntropyDesc& desc) {
    return makeFunction([desc, memory = LossMemory(desc.rows)](cudaStream_t stream, Operands operands) {
        launchNarrowGradient<true>(lossRows(desc, operands, &memory), stream, operands[6], operands[7]);
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
