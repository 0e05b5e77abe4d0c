// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace mantissa::cuda {
namespace {

/// What a step tells the host, many times over.
constexpr std::size_t kPinnedBytes = std::size_t{64} << 10;

class Graph final : public CapturedWork {
public:
    explicit Graph(cudaGraph_t graph) {
        const cudaError_t status = cudaGraphInstantiate(&m_graph, graph, 0);
        cudaGraphDestroy(graph);
        check(status, "cudaGraphInstantiate");
    }
    ~Graph() override { cudaGraphExecDestroy(m_graph); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

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
    throw DeviceError{std::string(call) + ": " + cudaGetErrorString(status)};
}

CudaQueue::CudaQueue() {
    check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t& mark : m_marks) check(cudaEventCreate(&mark), "cudaEventCreate");
    void* pinned = nullptr;
    if (cudaMallocHost(&pinned, kPinnedBytes) == cudaSuccess) m_pinned = static_cast<std::byte*>(pinned);  // else copies wait
}
CudaQueue::~CudaQueue() {
    cudaStreamDestroy(m_stream);
    for (const cudaEvent_t mark : m_marks) cudaEventDestroy(mark);
    cudaFreeHost(m_pinned);
}

void CudaQueue::copyOut(void* toHost, const void* from, std::size_t bytes) {
    constexpr std::size_t kCacheLine = 64;
    const bool fits = m_pinned != nullptr && m_pinnedUsed + bytes <= kPinnedBytes;
    void* const to = fits ? m_pinned + m_pinnedUsed : toHost;
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, m_stream), "cudaMemcpyAsync");
    if (!fits) return;
    m_deliveries.push_back({toHost, m_pinnedUsed, bytes});
    m_pinnedUsed += (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

void CudaQueue::wait() {
    check(cudaStreamSynchronize(m_stream), "cudaStreamSynchronize");
    for (const Delivery& d : m_deliveries) std::memcpy(d.to, m_pinned + d.at, d.bytes);
    m_deliveries.clear();
    m_pinnedUsed = 0;
}

void CudaQueue::mark(Mark place) {
    check(cudaEventRecord(m_marks[static_cast<std::size_t>(place)], m_stream), "cudaEventRecord");
}

double CudaQueue::secondsBetweenMarks() {
    constexpr double kResolution = 0.5e-6;  // of events, as the runtime's manual has it: no time is none
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, m_marks[0], m_marks[1]), "cudaEventElapsedTime");
    return std::max(static_cast<double>(milliseconds) * 1e-3, kResolution);
}

void CudaQueue::beginCapture() {
    check(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

std::unique_ptr<CapturedWork> CudaQueue::endCapture() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(m_stream, &graph), "cudaStreamEndCapture");
    return std::make_unique<Graph>(graph);
}

void clear(void* memory, std::size_t bytes) {
    check(cudaMemset(memory, 0, bytes), "cudaMemset");
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

Scratch::Scratch(std::size_t bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    m_memory.reset(memory);
    clear(memory, bytes);
}

void Scratch::fill(const void* table, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpy(m_memory.get(), table, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

}  // namespace mantissa::cuda
