// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's calls that kernels/cuda makes, on the host: streams do their work when they are waited for, as late as a card may, so
// a host that reads too early reads what was there before, and one that writes too early has changed what is read; or one piece of it, a
// graph as a whole, each time that they are asked whether they are done. Graphs record work; what is called is counted.
#include "tests/support/cuda_emulation/runtime.h"

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cuda_emulation/emulation.h"

using Work = std::vector<std::function<void()>>;

struct CUstream_st {
    int device = 0;
    Work pending, recorded;
    bool isRecording = false, isInvalid = false;  // a capture in which something was asked that cannot be captured
};
struct CUgraph_st {
    Work work;
};
struct CUgraphExec_st {
    std::shared_ptr<const Work> work;
};

namespace mantissa::emulation {
namespace {

Counts theCounts;
Card theCard;
thread_local int theDevice = 0;  // as a thread begins with the first one

}  // namespace

Counts& counts() {
    return theCounts;
}
Card& card() {
    return theCard;
}

int currentDevice() {
    return theDevice;
}

int deviceOf(const void* memory) {
    int device = 0;
    std::memcpy(&device, static_cast<const char*>(memory) - sizeof device, sizeof device);
    return device;
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
    if (stream->device != theDevice) throw std::logic_error("work for another device's stream");
    ++(stream->isRecording ? theCounts.recorded : theCounts.enqueued);
    (stream->isRecording ? stream->recorded : stream->pending).push_back(std::move(work));
}

}  // namespace mantissa::emulation

namespace emulation = mantissa::emulation;

namespace {

void finish(cudaStream_t stream) {
    const Work work = std::exchange(stream->pending, {});
    for (const auto& each : work) each(), ++emulation::counts().done;
}

std::size_t& allocated() {
    static std::size_t bytes = 0;
    return bytes;
}

constexpr std::size_t kHeader = 256;  // cudaMalloc's alignment; holds the size and, at its end, the device

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (allocated() + bytes > emulation::card().memoryBytes) return cudaErrorMemoryAllocation;
    auto* base = static_cast<char*>(std::aligned_alloc(kHeader, kHeader + (bytes + kHeader - 1) / kHeader * kHeader));
    std::memcpy(base, &bytes, sizeof bytes);
    std::memcpy(base + kHeader - sizeof(int), &emulation::theDevice, sizeof(int));
    std::memset(base + kHeader, 0xFF, bytes);
    allocated() += bytes;
    *memory = base + kHeader;
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    std::size_t bytes = 0;
    std::memcpy(&bytes, static_cast<char*>(memory) - kHeader, sizeof bytes);
    allocated() -= bytes;
    std::free(static_cast<char*>(memory) - kHeader);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    *memory = std::calloc(1, bytes);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    *memory = std::aligned_alloc(kHeader, (bytes + kHeader - 1) / kHeader * kHeader);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    if (!emulation::card().tellsMemory) return cudaErrorMemoryAllocation;
    *total = emulation::card().memoryBytes;
    *free = *total - allocated();
    return cudaSuccess;
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
    if (emulation::deviceOf(memory) != emulation::theDevice) return cudaErrorInvalidValue;  // whose stream does not do it
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
    emulation::enqueue(stream, [=] { std::memset(memory, value, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    emulation::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = new CUstream_st{.device = emulation::theDevice, .pending = {}, .recorded = {}};
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    emulation::counts().strays += stream->device != emulation::theDevice ? 1 : 0;
    finish(stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream == cudaStreamLegacy) return cudaSuccess;
    if (stream->isRecording) {
        stream->isInvalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    ++emulation::counts().synchronisations;
    if (emulation::card().failure != cudaSuccess) return emulation::card().failure;
    finish(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (emulation::card().failure != cudaSuccess) return emulation::card().failure;
    if (stream->pending.empty()) return cudaSuccess;
    const auto next = std::move(stream->pending.front());
    stream->pending.erase(stream->pending.begin());
    next(), ++emulation::counts().done;
    return cudaErrorNotReady;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (stream->isRecording) return cudaErrorIllegalState;
    stream->isRecording = true;
    stream->recorded.clear();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    if (!stream->isRecording) return cudaErrorIllegalState;
    stream->isRecording = false;
    *graph = nullptr;
    Work recorded = std::exchange(stream->recorded, {});
    if (std::exchange(stream->isInvalid, false)) return cudaErrorStreamCaptureInvalidated;
    *graph = new CUgraph_st{std::move(recorded)};
    ++emulation::counts().graphs;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    *executable = new CUgraphExec_st{std::make_shared<const Work>(graph->work)};
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    --emulation::counts().graphs;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    if (stream->device != emulation::theDevice) return cudaErrorInvalidResourceHandle;
    ++emulation::counts().graphLaunches;
    stream->pending.push_back([work = graph->work] {
        for (const auto& each : *work) each(), ++emulation::counts().done;
    });
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = emulation::card().count;
    return emulation::card().probe;
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= emulation::card().count) return cudaErrorInvalidDevice;
    emulation::theDevice = device;
    ++emulation::counts().devicesSet;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = emulation::card().driver;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strncpy(properties->name, "emulated card", sizeof properties->name - 1);
    properties->major = emulation::card().capability / 10;
    properties->minor = emulation::card().capability % 10;
    properties->pciBusID = 0xC1;
    properties->multiProcessorCount = 2;
    properties->totalGlobalMem = emulation::card().memoryBytes;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t status) {
    static std::string text;
    text = "CUDA error " + std::to_string(static_cast<int>(status));
    return text.c_str();
}

}  // extern "C"
