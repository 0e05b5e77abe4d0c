// SPDX-License-Identifier: Apache-2.0
// Events and the clock: the libraries' own account of time, and a microsecond for each thing done, when a stream comes to them.
#include <cuda_runtime_api.h>

#include "tests/support/cuda_emulation/emulation.h"
#include "tests/support/cuda_emulation/libraries.h"
#include "tests/support/cuda_emulation/runtime.h"

struct CUevent_st {
    cudaStream_t stream = nullptr;
    double at = 0;
};

namespace mantissa::emulation {
namespace {

double milliseconds() {
    constexpr double kEach = 1e-3;
    return libraryCalls().milliseconds + kEach * static_cast<double>(counts().done);
}

}  // namespace

std::int64_t clockNs() {
    constexpr double kSinceNothing = 1e6;  // milliseconds: where a clock stands tells nothing
    const auto now = static_cast<std::int64_t>(1e6 * (kSinceNothing + milliseconds()));
    return now - now % card().clockStepNs;
}

}  // namespace mantissa::emulation

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st;
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->stream = stream;
    mantissa::emulation::enqueue(stream, [event] { event->at = mantissa::emulation::milliseconds(); });
    --mantissa::emulation::counts().enqueued;  // it does nothing
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return cudaStreamSynchronize(event->stream);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = static_cast<float>(end->at - begin->at);
    return cudaSuccess;
}

}  // extern "C"
