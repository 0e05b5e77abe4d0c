// SPDX-License-Identifier: Apache-2.0
// Steps without the host, one block each: a thread judges or advances, then all of them fetch the next step's indices.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

__global__ void judge(StepLoop* loop, const float* loss, StepScalars* scalars) {
    judgeStep(*loop, *loss, *scalars);
}

__global__ void advance(AdvanceStepDesc desc, StepLoop* loop, const float* loss, StepScalars* scalars, const double* rates,
                        const std::int32_t* batches, StepOutcome* outcomes, std::int32_t* indices) {
    __shared__ int next;  // the step that comes, or -1
    if (threadIdx.x == 0) next = advanceStep(desc, *loop, *loss, *scalars, rates, outcomes) ? loop->done : -1;
    __syncthreads();
    if (next < 0) return;
    for (std::int64_t i = threadIdx.x; i < desc.indices; i += blockDim.x) indices[i] = batches[next * desc.indices + i];
}

}  // namespace

std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc&) {
    return makeFunction([](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 1}, stream, judge, static_cast<StepLoop*>(operands[0]), static_cast<const float*>(operands[1]),
               static_cast<StepScalars*>(operands[2]));
    });
}

std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(Grid{.blocks = 1, .threads = 128}, stream, advance, desc, static_cast<StepLoop*>(operands[0]),
               static_cast<const float*>(operands[1]), static_cast<StepScalars*>(operands[2]), static_cast<const double*>(operands[3]),
               static_cast<const std::int32_t*>(operands[4]), static_cast<StepOutcome*>(operands[5]),
               static_cast<std::int32_t*>(operands[6]));
    });
}

}  // namespace mantissa::cuda
