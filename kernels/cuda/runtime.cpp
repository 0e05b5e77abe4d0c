// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "kernels/out_of_memory.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
#define nvtxRangePushA(name) static_cast<void>(name)
#define nvtxRangePop() static_cast<void>(0)
#endif

namespace mantissa::cuda {
namespace {

/// Pinned memory for copies: many times the data that a step and the host exchange.
constexpr std::size_t kPinnedBytes = std::size_t{256} << 10;

std::atomic<std::int64_t>& scratchBytes() {
    static std::atomic<std::int64_t> bytes{0};
    return bytes;
}

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

std::int64_t beyondOthers(std::size_t free) {
    constexpr std::size_t kLeftToOthers = std::size_t{256} << 20;
    return free > kLeftToOthers ? static_cast<std::int64_t>(free - kLeftToOthers) : 0;
}

/// Free memory for an out-of-memory message; 0 if the query itself fails, without a further error.
std::int64_t freeIfKnown() {
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) return beyondOthers(free);
    cudaGetLastError();
    return 0;
}

}  // namespace

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // not sticky: clear it so that later calls succeed
        throwOutOfMemory(call);
    }
    throw DeviceError{std::string(call) + ": " + cudaGetErrorString(status)};
}

bool isSet(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

std::int64_t freeBytes() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return beyondOthers(free);
}

void throwOutOfMemory(const char* call) {
    throw OutOfMemory(call, std::nullopt, freeIfKnown());
}

void useDevice(int device) {
    thread_local int used = -1;
    if (used == device) return;
    check(cudaSetDevice(device), "cudaSetDevice");
    used = device;
}

void useDeviceToRelease(int device) noexcept {
    try {
        useDevice(device);
    } catch (const DeviceError&) {
    } catch (const std::bad_alloc&) {
    }
}

CudaQueue::CudaQueue(int device) : m_device(device) {
    useDevice(device);
    check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (cudaEvent_t& mark : m_marks) check(cudaEventCreate(&mark), "cudaEventCreate");
}
CudaQueue::~CudaQueue() {
    useDeviceToRelease(m_device);
    cudaStreamDestroy(m_stream);
    for (const cudaEvent_t mark : m_marks) cudaEventDestroy(mark);
    cudaFreeHost(m_pinned);
}

/// Null if it is used up until the next wait, or could not be allocated.
std::byte* CudaQueue::takePinned(std::size_t bytes) {
    constexpr std::size_t kCacheLine = 64;
    if (m_hasNoPinned || m_pinnedUsed + bytes > kPinnedBytes) return nullptr;
    if (m_pinned == nullptr) {
        useDevice(m_device);
        void* pinned = nullptr;
        m_hasNoPinned = cudaMallocHost(&pinned, kPinnedBytes) != cudaSuccess;
        m_pinned = static_cast<std::byte*>(pinned);
        if (m_hasNoPinned) {
            cudaGetLastError();
            return nullptr;
        }
    }
    return m_pinned + std::exchange(m_pinnedUsed, m_pinnedUsed + (bytes + kCacheLine - 1) / kCacheLine * kCacheLine);
}

/// Waits if the source is not pinned, since the runtime may read it after the call returns.
void CudaQueue::copyIn(void* to, const void* fromHost, std::size_t bytes) {
    std::byte* const pinned = takePinned(bytes);
    if (pinned != nullptr) std::memcpy(pinned, fromHost, bytes);
    check(cudaMemcpyAsync(to, pinned != nullptr ? pinned : fromHost, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
    if (pinned == nullptr) wait();
}

void CudaQueue::copyOut(void* toHost, const void* from, std::size_t bytes) {
    std::byte* const pinned = takePinned(bytes);
    check(cudaMemcpyAsync(pinned != nullptr ? pinned : toHost, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
    if (pinned != nullptr) m_deliveries.push_back({toHost, pinned, bytes});
}

void CudaQueue::wait() {
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    for (const Delivery& d : m_deliveries) std::memcpy(d.to, d.from, d.bytes);
    m_deliveries.clear();
    m_pinnedUsed = 0;
}

void CudaQueue::beginRange(const char* name) {
    nvtxRangePushA(name);
}

void CudaQueue::endRange() {
    nvtxRangePop();
}

void CudaQueue::mark(Mark place) {
    check(cudaEventRecord(m_marks[static_cast<std::size_t>(place)], stream()), "cudaEventRecord");
}

double CudaQueue::secondsBetweenMarks() {
    constexpr double kResolution = 0.5e-6;  // of CUDA events (runtime manual); avoids a time of 0
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, m_marks[0], m_marks[1]), "cudaEventElapsedTime");
    return std::max(static_cast<double>(milliseconds) * 1e-3, kResolution);
}

bool CudaQueue::isIdle() {
    const cudaError_t status = cudaStreamQuery(stream());
    if (status != cudaErrorNotReady) check(status, "cudaStreamQuery");
    return status == cudaSuccess;
}

bool CudaQueue::offersCapture() const {
    static const bool isOffered = !isSet("MANTISSA_NO_GRAPHS");
    return isOffered;
}

void CudaQueue::beginCapture() {
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
}

std::unique_ptr<CapturedWork> CudaQueue::endCapture() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream(), &graph), "cudaStreamEndCapture");
    return std::make_unique<Graph>(graph);
}

void CudaQueue::discardCapture() noexcept {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(m_stream, &graph);
    cudaGetLastError();  // clears an error of the discarded capture for later calls
    if (graph != nullptr) cudaGraphDestroy(graph);
}

void clear(void* memory, std::size_t bytes) {
    check(cudaMemset(memory, 0, bytes), "cudaMemset");
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

Scratch::Scratch(std::size_t bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw OutOfMemory("what an operation keeps for itself", static_cast<std::int64_t>(bytes), freeIfKnown());
    }
    check(status, "cudaMalloc");
    m_memory = {memory, Free{static_cast<std::int64_t>(bytes)}};
    scratchBytes() += m_memory.get_deleter().bytes;
    clear(memory, bytes);
}

void Scratch::Free::operator()(void* memory) const {
    cudaFree(memory);
    scratchBytes() -= bytes;
}

std::int64_t Scratch::allBytes() {
    return scratchBytes();
}

void Scratch::fill(const void* table, std::size_t bytes) {
    if (bytes == 0) return;
    check(cudaMemcpy(m_memory.get(), table, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

}  // namespace mantissa::cuda
