// SPDX-License-Identifier: Apache-2.0
// What kernels share: stored elements as fp32 and back, eight at a time where they lie for it, sums over warps and blocks in an order that
// the block's size alone decides, and the last block of a grid, which finishes what the others left. Rounding is kernels/dtype's, the same source as the host's. For .cu files alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cuda/launch.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding.h"

/// Before a loop of few steps over registers: arrays that are indexed in it stay registers.
#if defined(__CUDACC__)
#define MANTISSA_UNROLL _Pragma("unroll")
#else
#define MANTISSA_UNROLL
#endif

namespace mantissa::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;
/// Elements that a thread works on at a time: 16 bytes of a 16-bit format.
inline constexpr int kChunk = 8;

struct alignas(16) Chunk {
    float x[kChunk];
};

#if !defined(MANTISSA_CUDA_EMULATION)
/// The block's memory of Grid::sharedBytes, aligned to 16 bytes.
template <typename T>
__device__ inline T* dynamicShared() {
    extern __shared__ __align__(16) unsigned char mantissaShared[];
    return reinterpret_cast<T*>(mantissaShared);
}

/// The card's own clock, the same for all its blocks, in nanoseconds. How often it moves is the card's and its driver's affair: every 32 ns
/// on some, every microsecond on many, every millisecond on a few. (PTX ISA, special registers, %globaltimer.)
__device__ inline std::int64_t clockNs() {
    std::int64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#endif

__device__ inline std::int64_t globalThread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t allThreads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// ---- Elements ----

__device__ inline float loadElement(Dtype dtype, const void* array, std::int64_t index) {
    switch (dtype) {
        case Dtype::F32:
            return static_cast<const float*>(array)[index];
        case Dtype::F16:
            return F16Format::decode(static_cast<const std::uint16_t*>(array)[index]);
        case Dtype::BF16:
            return Bf16Format::decode(static_cast<const std::uint16_t*>(array)[index]);
        case Dtype::E4M3:
            return E4m3Format::decode(static_cast<const std::uint8_t*>(array)[index]);
        default:
            return E5m2Format::decode(static_cast<const std::uint8_t*>(array)[index]);
    }
}

__device__ inline void storeElement(Dtype dtype, void* array, std::int64_t index, float value) {
    switch (dtype) {
        case Dtype::F32:
            static_cast<float*>(array)[index] = value;
            break;
        case Dtype::F16:
            static_cast<std::uint16_t*>(array)[index] = static_cast<std::uint16_t>(F16Format::encode(value));
            break;
        case Dtype::BF16:
            static_cast<std::uint16_t*>(array)[index] = static_cast<std::uint16_t>(Bf16Format::encode(value));
            break;
        case Dtype::E4M3:
            static_cast<std::uint8_t*>(array)[index] = static_cast<std::uint8_t>(E4m3Format::encode(value));
            break;
        default:
            static_cast<std::uint8_t*>(array)[index] = static_cast<std::uint8_t>(E5m2Format::encode(value));
            break;
    }
}

/// What becomes of a value that is stored and read again.
template <Rounding rounding = Rounding::NearestEven>
__device__ inline float storedValue(Dtype dtype, float value, std::uint32_t random = 0) {
    switch (dtype) {
        case Dtype::F32:
            return value;
        case Dtype::F16:
            return F16Format::round<rounding>(value, random);
        case Dtype::BF16:
            return Bf16Format::round<rounding>(value, random);
        case Dtype::E4M3:
            return E4m3Format::round<rounding>(value, random);
        default:
            return E5m2Format::round<rounding>(value, random);
    }
}

/// use(tag) with the dtype as tag.value, a constant: one switch for many elements, in loops that stay small enough to be unrolled. Where
/// one is not, what it works on leaves the registers.
template <typename Use>
__device__ inline auto withConstant(Dtype dtype, Use use) {
    switch (dtype) {
        case Dtype::F32:
            return use(std::integral_constant<Dtype, Dtype::F32>{});
        case Dtype::F16:
            return use(std::integral_constant<Dtype, Dtype::F16>{});
        case Dtype::BF16:
            return use(std::integral_constant<Dtype, Dtype::BF16>{});
        case Dtype::E4M3:
            return use(std::integral_constant<Dtype, Dtype::E4M3>{});
        default:
            return use(std::integral_constant<Dtype, Dtype::E5M2>{});
    }
}

/// An element's bits as they are stored, whatever they mean: for moves.
__device__ inline void copyElement(int bytes, const void* from, std::int64_t fromIndex, void* to, std::int64_t toIndex) {
    if (bytes == 4) static_cast<std::uint32_t*>(to)[toIndex] = static_cast<const std::uint32_t*>(from)[fromIndex];
    if (bytes == 2) static_cast<std::uint16_t*>(to)[toIndex] = static_cast<const std::uint16_t*>(from)[fromIndex];
    if (bytes == 1) static_cast<std::uint8_t*>(to)[toIndex] = static_cast<const std::uint8_t*>(from)[fromIndex];
}

__device__ inline int bytesOf(Dtype dtype) {
    return dtype == Dtype::F32 ? 4 : dtype == Dtype::F16 || dtype == Dtype::BF16 ? 2 : 1;
}

/// Whether kChunk elements from `first` on can be moved in one or two wide accesses.
__device__ inline bool isWhole(Dtype dtype, const void* array, std::int64_t first, int count) {
    const auto address = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(first * bytesOf(dtype));
    return count == kChunk && address % (dtype == Dtype::F32 ? 16u : static_cast<unsigned>(kChunk * bytesOf(dtype))) == 0;
}

/// kChunk elements of a format narrower than fp32 as one access moves them.
template <Dtype dtype>
using WideOf = std::conditional_t<dtype == Dtype::F16 || dtype == Dtype::BF16, uint4, uint2>;

template <Dtype dtype>
__device__ inline Chunk loadChunkOf(const void* array, std::int64_t first, int count) {
    Chunk chunk;
    if (!isWhole(dtype, array, first, count)) {
        for (int i = 0; i < kChunk; ++i) chunk.x[i] = i < count ? loadElement(dtype, array, first + i) : 0.0f;
    } else if constexpr (dtype == Dtype::F32) {
        const auto* from = reinterpret_cast<const float4*>(static_cast<const float*>(array) + first);
        const float4 low = from[0], high = from[1];
        chunk = {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
    } else {
        const auto wide = *reinterpret_cast<const WideOf<dtype>*>(static_cast<const unsigned char*>(array) + first * bytesOf(dtype));
        alignas(16) unsigned char stored[sizeof wide];
        std::memcpy(stored, &wide, sizeof wide);
        for (int i = 0; i < kChunk; ++i) chunk.x[i] = loadElement(dtype, stored, i);
    }
    return chunk;
}

template <Dtype dtype>
__device__ inline void storeChunkOf(void* array, std::int64_t first, int count, const Chunk& chunk) {
    if (!isWhole(dtype, array, first, count)) {
        for (int i = 0; i < kChunk; ++i) {
            if (i < count) storeElement(dtype, array, first + i, chunk.x[i]);
        }
    } else if constexpr (dtype == Dtype::F32) {
        auto* to = reinterpret_cast<float4*>(static_cast<float*>(array) + first);
        to[0] = {chunk.x[0], chunk.x[1], chunk.x[2], chunk.x[3]};
        to[1] = {chunk.x[4], chunk.x[5], chunk.x[6], chunk.x[7]};
    } else {
        WideOf<dtype> wide;
        alignas(16) unsigned char stored[sizeof wide];
        for (int i = 0; i < kChunk; ++i) storeElement(dtype, stored, i, chunk.x[i]);
        std::memcpy(&wide, stored, sizeof wide);
        *reinterpret_cast<WideOf<dtype>*>(static_cast<unsigned char*>(array) + first * bytesOf(dtype)) = wide;
    }
}

/// `count` elements, kChunk at most, from `first` on; the others are 0.
__device__ inline Chunk loadChunk(Dtype dtype, const void* array, std::int64_t first, int count) {
    return withConstant(dtype, [&](auto tag) { return loadChunkOf<decltype(tag)::value>(array, first, count); });
}
__device__ inline void storeChunk(Dtype dtype, void* array, std::int64_t first, int count, const Chunk& chunk) {
    withConstant(dtype, [&](auto tag) { storeChunkOf<decltype(tag)::value>(array, first, count, chunk); });
}

/// work(first, count) for the chunks of [0, count) that are this thread's.
template <typename Work>
__device__ inline void forChunks(std::int64_t count, Work work) {
    for (std::int64_t first = globalThread() * kChunk; first < count; first += allThreads() * kChunk) {
        work(first, count - first < kChunk ? static_cast<int>(count - first) : kChunk);
    }
}
/// The launch that fits it.
inline Grid gridOfChunks(std::int64_t count) {
    return gridFor(count, 256 * kChunk);
}

// ---- Folds: every thread of the warp or block gets the result ----

template <typename T, typename Fold>
__device__ inline T foldWarp(T value, Fold fold) {
    for (int apart = kWarp / 2; apart > 0; apart /= 2) value = fold(value, __shfl_xor_sync(kAllLanes, value, apart));
    return value;
}

/// `neutral` changes nothing in a fold. All threads of the block call it, whole warps of them.
template <typename T, typename Fold>
__device__ inline T foldBlock(T value, T neutral, Fold fold) {
    __shared__ T ofWarps[kWarp];
    value = foldWarp(value, fold);
    __syncthreads();  // what an earlier call left is no longer read
    if (threadIdx.x % kWarp == 0) ofWarps[threadIdx.x / kWarp] = value;
    __syncthreads();
    const unsigned warps = blockDim.x / kWarp, lane = threadIdx.x % kWarp;
    return foldWarp(lane < warps ? ofWarps[lane] : neutral, fold);
}

template <typename T>
__device__ inline T sumBlock(T value) {
    return foldBlock(value, T(0), [](T a, T b) { return a + b; });
}
/// NaN is passed over.
__device__ inline float largestOfBlock(float value) {
    return foldBlock(value, floatFromBits(kFloatSign | kFloatInf), [](float a, float b) { return b > a ? b : a; });
}

// ---- The last block ----

/// Whether this block is the last of `blocks` to come here; it sees what all of them wrote before. `arrived` is 0 before and after. All
/// threads of the block call it. (CUDA C++ Programming Guide, memory fence functions.)
__device__ inline bool isLastBlock(unsigned* arrived, std::int64_t blocks) {
    __shared__ bool isLast;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        isLast = atomicAdd(arrived, 1u) == static_cast<unsigned>(blocks - 1);
        if (isLast) *arrived = 0;
    }
    __syncthreads();
    __threadfence();
    return isLast;
}

}  // namespace mantissa::cuda
