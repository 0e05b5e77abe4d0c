// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime.h"

#include <new>
#include <string>

namespace mantissa::cuda {
namespace {

class GraphRecording final : public Recording {
public:
    explicit GraphRecording(cudaGraph_t graph) {
        const cudaError_t status = cudaGraphInstantiate(&m_graph, graph, 0);
        cudaGraphDestroy(graph);
        check(status, "cudaGraphInstantiate");
    }
    ~GraphRecording() override { cudaGraphExecDestroy(m_graph); }
    GraphRecording(const GraphRecording&) = delete;
    GraphRecording& operator=(const GraphRecording&) = delete;

    void launch(Queue& queue) override { check(cudaGraphLaunch(m_graph, streamOf(queue)), "cudaGraphLaunch"); }

private:
    cudaGraphExec_t m_graph = nullptr;
};

}  // namespace

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // which is not sticky: the others go on
        throw std::bad_alloc();
    }
    throw DeviceError(std::string(call) + ": " + cudaGetErrorString(status));
}

CudaQueue::CudaQueue() {
    check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreate");
}
CudaQueue::~CudaQueue() {
    cudaStreamDestroy(m_stream);
}

void CudaQueue::wait() {
    check(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize");
}

void CudaQueue::beginRecording() {
    check(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

std::unique_ptr<Recording> CudaQueue::endRecording() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(m_stream, &graph), "cudaStreamEndCapture");
    return std::make_unique<GraphRecording>(graph);
}

Scratch::Scratch(std::size_t bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    m_memory.reset(memory);
    check(cudaMemset(memory, 0, bytes), "cudaMemset");
}

void Scratch::fill(const void* table, std::size_t bytes) {
    if (bytes > 0) check(cudaMemcpy(m_memory.get(), table, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

}  // namespace mantissa::cuda
