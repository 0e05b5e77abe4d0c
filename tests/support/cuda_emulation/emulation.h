// SPDX-License-Identifier: Apache-2.0
// An emulated GPU: kernels of kernels/cuda compiled for the host and run block by block, each thread of a block as a fiber that switches at
// barriers and shuffles. It tests the arithmetic, the indexing and the barriers of every kernel without a GPU, but not speed, memory models
// and races between warps. Included before each file of kernels/cuda in this build. One OS thread at a time.
#pragma once

#define MANTISSA_CUDA_EMULATION 1

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __launch_bounds__
#undef __align__
#define __global__
#define __device__
#define __host__
// Blocks run one after another, so one copy for all of them suffices.
#define __shared__ static
#define __constant__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

inline dim3 gridDim, blockDim;
inline uint3 threadIdx, blockIdx;

namespace mantissa::emulation {

/// Runs `thread` for each thread of each block, with the four variables above set for it. Throws std::logic_error if threads wait at a
/// barrier that others of their block or warp never reach, or if a launch exceeds a GPU's limits (1024 threads, 227 KiB).
void runGrid(dim3 grid, dim3 block, std::size_t sharedBytes, const std::function<void()>& thread);

/// Enqueues work on a stream: it runs when the stream is waited for, or is recorded.
void enqueue(cudaStream_t stream, std::function<void()> work);

/// Returns the emulated GPU's clock.
std::int64_t clockNs();

void* dynamicShared();
void blockBarrier();
void warpBarrier();

inline std::uint64_t laneSlots[1024];

/// Returns a lane's value, after all live lanes of the warp have written theirs.
template <typename T>
T fromLane(T value, unsigned lane) {
    static_assert(sizeof(T) <= 8);
    const unsigned warp = threadIdx.x / 32 * 32;
    std::memcpy(&laneSlots[threadIdx.x], &value, sizeof value);
    warpBarrier();
    T other;
    std::memcpy(&other, &laneSlots[warp + lane], sizeof other);
    warpBarrier();
    return other;
}

}  // namespace mantissa::emulation

inline void __syncthreads() {
    mantissa::emulation::blockBarrier();
}
inline void __syncwarp(unsigned = ~0u) {
    mantissa::emulation::warpBarrier();
}
inline void __threadfence() {}
inline void __threadfence_system() {}
template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask) {
    return mantissa::emulation::fromLane(value, (threadIdx.x ^ static_cast<unsigned>(mask)) % 32);
}
template <typename T>
T __shfl_down_sync(unsigned, T value, unsigned delta) {
    const unsigned lane = threadIdx.x % 32;
    return mantissa::emulation::fromLane(value, lane + delta < 32 ? lane + delta : lane);
}
template <typename T>
T __shfl_sync(unsigned, T value, int lane) {
    return mantissa::emulation::fromLane(value, static_cast<unsigned>(lane) % 32);
}
unsigned __ballot_sync(unsigned mask, int predicate);
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
/// Returns the mask of lanes that have this thread's value.
template <typename T>
unsigned __match_any_sync(unsigned, T value) {
    using mantissa::emulation::laneSlots;
    const unsigned warp = threadIdx.x / 32 * 32;
    laneSlots[threadIdx.x] = static_cast<std::uint64_t>(value);
    mantissa::emulation::warpBarrier();
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; ++lane) same |= laneSlots[warp + lane] == laneSlots[threadIdx.x] ? 1u << lane : 0;
    mantissa::emulation::warpBarrier();
    return same;
}

// Atomics: nothing runs between two statements of a fiber.
template <typename T>
T atomicAdd(T* to, T value) {
    const T before = *to;
    *to = before + value;
    return before;
}
template <typename T>
T atomicMax(T* to, T value) {
    const T before = *to;
    if (value > before) *to = value;
    return before;
}
template <typename T>
T atomicMin(T* to, T value) {
    const T before = *to;
    if (value < before) *to = value;
    return before;
}
template <typename T>
T atomicOr(T* to, T value) {
    const T before = *to;
    *to = before | value;
    return before;
}
template <typename T>
T atomicExch(T* to, T value) {
    const T before = *to;
    *to = value;
    return before;
}

inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
inline int __clz(int bits) {
    return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}
inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}
inline float rsqrtf(float x) {
    return 1.0f / std::sqrt(x);
}

namespace mantissa::cuda {

template <typename T>
T* dynamicShared() {
    return static_cast<T*>(emulation::dynamicShared());
}

inline std::int64_t clockNs() {
    return emulation::clockNs();
}

inline constexpr std::size_t kMostSharedBytes = std::size_t{227} << 10;  // per block on an H200
template <typename... Parameters>
bool mayShare(void (*)(Parameters...), std::size_t bytes) {
    return bytes <= kMostSharedBytes;
}

struct Grid;
template <typename AnyGrid, typename... Parameters, typename... Arguments>
void launch(const AnyGrid& grid, cudaStream_t stream, void (*kernel)(Parameters...), const Arguments&... arguments) {
    emulation::enqueue(stream, [grid, kernel, ... values = static_cast<Parameters>(arguments)] {
        emulation::runGrid(dim3(grid.blocks, grid.blocksY), dim3(grid.threads), grid.sharedBytes, [&] { kernel(values...); });
    });
}

}  // namespace mantissa::cuda
