// SPDX-License-Identifier: Apache-2.0
// Steps without the host, one block each: one thread judges or advances the step, then all threads copy the next batch's indices.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

/// Called by all threads of the block.
__device__ void fetchIndices(const AdvanceBatchDesc& desc, std::int64_t batch, const std::int32_t* batches, std::int32_t* indices) {
    for (std::int64_t i = threadIdx.x; i < desc.indices; i += blockDim.x) indices[i] = batches[batch * desc.indices + i];
}

__global__ void beginSteps(StepLoop* loop) {
    loop->clockNs = clockNs();
}

__global__ void advanceBatchOnce(AdvanceBatchDesc desc, StepLoop* loop, const float* loss, StepScalars* scalars,
                                 const std::int32_t* batches, std::int32_t* indices) {
    __shared__ std::int64_t next;  // the next batch, or -1
    if (threadIdx.x == 0) next = advanceBatch(desc, *loop, *loss, *scalars) ? loop->batch : -1;
    __syncthreads();
    if (next >= 0) fetchIndices(desc, next, batches, indices);
}

__global__ void judge(StepLoop* loop, const float* loss, StepScalars* scalars) {
    judgeStep(*loop, *loss, *scalars);
}

/// The host may read the slot as soon as its number is written. A system-wide fence orders the outcome before it (CUDA C++ Programming
/// Guide, memory fence functions).
__global__ void advance(AdvanceStepDesc desc, StepLoop* loop, StepScalars* scalars, const double* rates, const std::int32_t* batches,
                        StepSlot* ring, std::int32_t* indices) {
    __shared__ std::int64_t next;
    if (threadIdx.x == 0) {
        const Advanced advanced = advanceStep(desc, *loop, *scalars, rates, ring, clockNs());
        next = advanced.hasNextBatch ? loop->batch : -1;
        if (advanced.slot != nullptr) {
            __threadfence_system();
            *static_cast<volatile std::int64_t*>(&advanced.slot->number) = advanced.number;
        }
    }
    __syncthreads();
    if (next >= 0) fetchIndices(desc.batch, next, batches, indices);
}

__global__ void copyState(CopyStateDesc desc, const StepLoop* loop, const unsigned char* from, unsigned char* to) {
    if (desc.onlyWhenHalted && loop->isHalted == 0) return;
    const std::int64_t words = desc.bytes / 4;
    for (std::int64_t i = globalThread(); i < words; i += allThreads()) copyElement(4, from, i, to, i);
    for (std::int64_t i = 4 * words + globalThread(); i < desc.bytes; i += allThreads()) copyElement(1, from, i, to, i);
}

}  // namespace

std::unique_ptr<Operation> makeBeginSteps(const BeginStepsDesc&) {
    return makeFunction([](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 1}, stream, beginSteps, static_cast<StepLoop*>(operands[0]));
    });
}

std::unique_ptr<Operation> makeAdvanceBatch(const AdvanceBatchDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 128}, stream, advanceBatchOnce, desc, static_cast<StepLoop*>(operands[0]),
               static_cast<const float*>(operands[1]), static_cast<StepScalars*>(operands[2]),
               static_cast<const std::int32_t*>(operands[3]), static_cast<std::int32_t*>(operands[4]));
    });
}

std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc&) {
    return makeFunction([](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 1}, stream, judge, static_cast<StepLoop*>(operands[0]), static_cast<const float*>(operands[1]),
               static_cast<StepScalars*>(operands[2]));
    });
}

std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 128}, stream, advance, desc, static_cast<StepLoop*>(operands[0]),
               static_cast<StepScalars*>(operands[1]), static_cast<const double*>(operands[2]),
               static_cast<const std::int32_t*>(operands[3]), static_cast<StepSlot*>(operands[4]), static_cast<std::int32_t*>(operands[5]));
    });
}

std::unique_ptr<Operation> makeCopyState(const CopyStateDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridFor(desc.bytes / 4, 256 * kChunk), stream, copyState, desc, static_cast<const StepLoop*>(operands[0]),
               static_cast<const unsigned char*>(operands[1]), static_cast<unsigned char*>(operands[2]));
    });
}

}  // namespace mantissa::cuda
