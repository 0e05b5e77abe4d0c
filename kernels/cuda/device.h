// SPDX-License-Identifier: Apache-2.0
// Device functions for kernels: stored elements to fp32 and back, eight at a time if aligned, sums over warps and blocks in an order that
// depends only on the block's size, and the last block of a grid, which combines the results of the others. Rounding is kernels/dtype's,
// the host's source. For .cu files only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "kernels/cuda/launch.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding.h"

/// Before a short loop over registers: keeps the arrays that it indexes in registers.
#if defined(__CUDACC__)
#define MANTISSA_UNROLL _Pragma("unroll")
#else
#define MANTISSA_UNROLL
#endif

namespace mantissa::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;
/// Elements per thread and access: 16 bytes of a 16-bit format.
inline constexpr int kChunk = 8;

struct alignas(16) Chunk {
    float x[kChunk];
};

#if !defined(MANTISSA_CUDA_EMULATION)
/// The block's shared memory of Grid::sharedBytes, aligned to 16 bytes.
template <typename T>
__device__ inline T* dynamicShared() {
    extern __shared__ __align__(16) unsigned char mantissaShared[];
    return reinterpret_cast<T*>(mantissaShared);
}

/// The GPU's clock, common to all its blocks, in nanoseconds. Its resolution depends on GPU and driver: 32 ns on some, a microsecond on
/// many, a millisecond on a few. (PTX ISA, special registers, %globaltimer.)
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

/// Quotient and remainder of non-negative numbers: by a 32-bit division if possible, which takes a third of the time.
struct Quotient {
    std::int64_t whole, rest;

    __device__ Quotient(std::int64_t dividend, std::int64_t divisor) {
        if ((dividend | divisor) >> 32 == 0) {
            const auto d = static_cast<std::uint32_t>(dividend), by = static_cast<std::uint32_t>(divisor);
            whole = d / by;
            rest = d % by;
        } else {
            whole = dividend / divisor;
            rest = dividend % divisor;
        }
    }
};

// ---- Conversions ----
// To nearest even, and back: the GPU's own instructions, one each, which give kernels/dtype's bits for every number (PTX ISA, cvt). NaN
// payloads are lost.

#if defined(__CUDA_ARCH__)
/// The reciprocal, within 1 ulp for magnitudes up to 2^126.
__device__ inline float reciprocal(float value) {
    return __fdividef(1.0f, value);
}
__device__ inline std::uint16_t f16CodeOf(float value) {
    std::uint16_t code = 0;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(code) : "f"(value));
    return code;
}
__device__ inline float f16Value(std::uint16_t code) {
    float value = 0;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(code));
    return value;
}
__device__ inline std::uint16_t bf16CodeOf(float value) {
    std::uint16_t code = 0;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(code) : "f"(value));
    return code;
}
/// The codes of two values, the first in the lower half.
template <Dtype dtype>
__device__ inline std::uint32_t twoCodesOf(float low, float high) {
    std::uint32_t codes = 0;
    if constexpr (dtype == Dtype::F16) asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(high), "f"(low));
    if constexpr (dtype == Dtype::BF16) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(high), "f"(low));
    return codes;
}
#else
inline float reciprocal(float value) {
    return 1 / value;
}
inline std::uint16_t f16CodeOf(float value) {
    return static_cast<std::uint16_t>(F16Format::encode(value));
}
inline float f16Value(std::uint16_t code) {
    return F16Format::decode(code);
}
inline std::uint16_t bf16CodeOf(float value) {
    return static_cast<std::uint16_t>(Bf16Format::encode(value));
}
template <Dtype dtype>
inline std::uint32_t twoCodesOf(float low, float high) {
    const auto code = [](float value) { return std::uint32_t{dtype == Dtype::F16 ? f16CodeOf(value) : bf16CodeOf(value)}; };
    return code(low) | code(high) << 16;
}
#endif

// ---- Elements ----
// The switches over formats end in E5M2, the last format of tensors (kStorageDtypes of kernels/conformance).
static_assert(kAllDtypes.size() == 10, "a new format needs its case in the switches, bytesOf and WideOf of this file");

/// The magnitude's bits, or 0 for NaN.
__device__ inline std::uint32_t magnitudeBits(float value) {
    const std::uint32_t magnitude = floatBits(value) & ~kFloatSign;
    return magnitude > kFloatInf ? 0 : magnitude;
}

__device__ inline float loadElement(Dtype dtype, const void* array, std::int64_t index) {
    switch (dtype) {
        case Dtype::F32:
            return static_cast<const float*>(array)[index];
        case Dtype::F16:
            return f16Value(static_cast<const std::uint16_t*>(array)[index]);
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
            static_cast<std::uint16_t*>(array)[index] = f16CodeOf(value);
            break;
        case Dtype::BF16:
            static_cast<std::uint16_t*>(array)[index] = bf16CodeOf(value);
            break;
        case Dtype::E4M3:
            static_cast<std::uint8_t*>(array)[index] = static_cast<std::uint8_t>(E4m3Format::encode(value));
            break;
        default:
            static_cast<std::uint8_t*>(array)[index] = static_cast<std::uint8_t>(E5m2Format::encode(value));
            break;
    }
}

/// Rounds a value as if it were stored and loaded.
template <Rounding rounding = Rounding::NearestEven>
__device__ inline float storedValue(Dtype dtype, float value, std::uint32_t random = 0) {
    switch (dtype) {
        case Dtype::F32:
            return value;
        case Dtype::F16:
            if constexpr (rounding == Rounding::NearestEven) return f16Value(f16CodeOf(value));
            return F16Format::round<rounding>(value, random);
        case Dtype::BF16:
            if constexpr (rounding == Rounding::NearestEven) return Bf16Format::decode(bf16CodeOf(value));
            return Bf16Format::round<rounding>(value, random);
        case Dtype::E4M3:
            return E4m3Format::round<rounding>(value, random);
        default:
            return E5m2Format::round<rounding>(value, random);
    }
}

/// Calls use(tag) with the dtype as tag.value, a constant: one switch for many elements, so that loops are small enough to be unrolled.
/// Otherwise their arrays leave the registers.
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

/// Copies an element's stored bits.
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

/// kChunk elements of a format narrower than fp32, as one access moves them.
template <Dtype dtype>
using WideOf = std::conditional_t<dtype == Dtype::F16 || dtype == Dtype::BF16, uint4, uint2>;

/// Loads kChunk elements that are aligned for wide accesses.
template <Dtype dtype>
__device__ inline Chunk loadWide(const void* array, std::int64_t first) {
    Chunk chunk;
    if constexpr (dtype == Dtype::F32) {
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
__device__ inline void storeWide(void* array, std::int64_t first, const Chunk& chunk) {
    const float* const x = chunk.x;
    if constexpr (dtype == Dtype::F32) {
        auto* to = reinterpret_cast<float4*>(static_cast<float*>(array) + first);
        to[0] = {x[0], x[1], x[2], x[3]};
        to[1] = {x[4], x[5], x[6], x[7]};
    } else if constexpr (dtype == Dtype::F16 || dtype == Dtype::BF16) {
        *reinterpret_cast<uint4*>(static_cast<std::uint16_t*>(array) + first) = {
            twoCodesOf<dtype>(x[0], x[1]), twoCodesOf<dtype>(x[2], x[3]), twoCodesOf<dtype>(x[4], x[5]), twoCodesOf<dtype>(x[6], x[7])};
    } else {
        WideOf<dtype> wide;
        alignas(16) unsigned char stored[sizeof wide];
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) storeElement(dtype, stored, i, x[i]);
        std::memcpy(&wide, stored, sizeof wide);
        *reinterpret_cast<WideOf<dtype>*>(static_cast<unsigned char*>(array) + first * bytesOf(dtype)) = wide;
    }
}

/// kChunk aligned elements in F32, F16 or BF16, as stored. `valuesOf` converts them later, so that several loads are in flight at a time.
struct RawChunk {
    uint4 low{}, high{};
};
__device__ inline RawChunk loadRaw(Dtype dtype, const void* array, std::int64_t first) {
    if (dtype != Dtype::F32) return {*reinterpret_cast<const uint4*>(static_cast<const std::uint16_t*>(array) + first), {}};
    const auto* const from = reinterpret_cast<const uint4*>(static_cast<const float*>(array) + first);
    return {from[0], from[1]};
}
__device__ inline Chunk valuesOf(Dtype dtype, const RawChunk& raw) {
    const std::uint32_t words[kChunk] = {raw.low.x, raw.low.y, raw.low.z, raw.low.w, raw.high.x, raw.high.y, raw.high.z, raw.high.w};
    Chunk chunk;
    for (int i = 0; i < kChunk; ++i) {
        const auto code = static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16));
        chunk.x[i] = dtype == Dtype::F32 ? floatFromBits(words[i]) : dtype == Dtype::F16 ? f16Value(code) : Bf16Format::decode(code);
    }
    return chunk;
}

template <Dtype dtype>
__device__ inline Chunk loadChunkOf(const void* array, std::int64_t first, int count) {
    if (isWhole(dtype, array, first, count)) return loadWide<dtype>(array, first);
    Chunk chunk;
    for (int i = 0; i < kChunk; ++i) chunk.x[i] = i < count ? loadElement(dtype, array, first + i) : 0.0f;
    return chunk;
}

template <Dtype dtype>
__device__ inline void storeChunkOf(void* array, std::int64_t first, int count, const Chunk& chunk) {
    if (isWhole(dtype, array, first, count)) return storeWide<dtype>(array, first, chunk);
    for (int i = 0; i < kChunk; ++i) {
        if (i < count) storeElement(dtype, array, first + i, chunk.x[i]);
    }
}

/// Loads `count` elements, kChunk at most, from `first` on; the others are 0.
__device__ inline Chunk loadChunk(Dtype dtype, const void* array, std::int64_t first, int count) {
    return withConstant(dtype, [&](auto tag) { return loadChunkOf<decltype(tag)::value>(array, first, count); });
}
__device__ inline void storeChunk(Dtype dtype, void* array, std::int64_t first, int count, const Chunk& chunk) {
    withConstant(dtype, [&](auto tag) { storeChunkOf<decltype(tag)::value>(array, first, count, chunk); });
}

/// Calls use(i) for the elements of a chunk, without a test per element if it is complete.
template <typename Use>
__device__ inline void forElements(int count, Use use) {
    if (count == kChunk) {
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) use(i);
    } else {
        for (int i = 0; i < kChunk; ++i) {
            if (i < count) use(i);
        }
    }
}

/// How a kernel loads and stores chunks. AnyAccess handles any format and length. WideAccess is chosen before the launch, if all chunks are
/// complete and in one format: without a branch between two loads, several are in flight at a time.
struct AnyAccess {
    __device__ static float stored(Dtype dtype, float value) { return storedValue(dtype, value); }
    __device__ static Chunk load(Dtype dtype, const void* array, std::int64_t first, int count) {
        return loadChunk(dtype, array, first, count);
    }
    __device__ static void store(Dtype dtype, void* array, std::int64_t first, int count, const Chunk& chunk) {
        storeChunk(dtype, array, first, count, chunk);
    }
};
template <Dtype kDtype>
struct WideAccess {
    __device__ static float stored(Dtype, float value) { return storedValue(kDtype, value); }
    __device__ static Chunk load(Dtype, const void* array, std::int64_t first, int) { return loadWide<kDtype>(array, first); }
    __device__ static void store(Dtype, void* array, std::int64_t first, int, const Chunk& chunk) {
        storeWide<kDtype>(array, first, chunk);
    }
};
/// Calls use(access) for rows of `cols` elements, all of `dtypes`, in these arrays.
template <typename Use>
void withAccess(std::initializer_list<Dtype> dtypes, std::initializer_list<const void*> arrays, std::int64_t cols, Use use) {
    const Dtype dtype = *dtypes.begin();
    const bool isOne = std::all_of(dtypes.begin(), dtypes.end(), [&](Dtype each) { return each == dtype; });
    const bool isAligned = std::all_of(arrays.begin(), arrays.end(),
                                       [](const void* each) { return reinterpret_cast<std::uintptr_t>(each) % alignof(Chunk) == 0; });
    if (!isOne || !isAligned || cols % kChunk != 0) return use(AnyAccess{});
    if (dtype == Dtype::F16) return use(WideAccess<Dtype::F16>{});
    if (dtype == Dtype::BF16) return use(WideAccess<Dtype::BF16>{});
    if (dtype == Dtype::F32) return use(WideAccess<Dtype::F32>{});
    use(AnyAccess{});
}

/// Calls work(first, count) for this thread's chunks of [0, count).
template <typename Work>
__device__ inline void forChunks(std::int64_t count, Work work) {
    for (std::int64_t first = globalThread() * kChunk; first < count; first += allThreads() * kChunk) {
        work(first, count - first < kChunk ? static_cast<int>(count - first) : kChunk);
    }
}
/// The launch for forChunks.
inline Grid gridOfChunks(std::int64_t count) {
    return gridFor(count, 256 * kChunk);
}

// ---- Folds: every thread of the warp or block gets the result ----

template <typename T, typename Fold>
__device__ inline T foldWarp(T value, Fold fold) {
    for (int apart = kWarp / 2; apart > 0; apart /= 2) value = fold(value, __shfl_xor_sync(kAllLanes, value, apart));
    return value;
}

/// Folds over the block; `neutral` is the fold's neutral element. All threads of the block must call it, in complete warps.
template <typename T, typename Fold>
__device__ inline T foldBlock(T value, T neutral, Fold fold) {
    __shared__ T ofWarps[kWarp];
    value = foldWarp(value, fold);
    __syncthreads();  // results of an earlier call are no longer read
    if (threadIdx.x % kWarp == 0) ofWarps[threadIdx.x / kWarp] = value;
    __syncthreads();
    const unsigned warps = blockDim.x / kWarp, lane = threadIdx.x % kWarp;
    return foldWarp(lane < warps ? ofWarps[lane] : neutral, fold);
}

template <typename T>
__device__ inline T sumBlock(T value) {
    return foldBlock(value, T(0), [](T a, T b) { return a + b; });
}
/// The largest of magnitudes as fp32 bits, which have the order of the numbers.
__device__ inline std::uint32_t largestBitsOfBlock(std::uint32_t bits) {
    return foldBlock(bits, 0u, [](std::uint32_t a, std::uint32_t b) { return a < b ? b : a; });
}
/// The largest value of the block; NaN is ignored.
__device__ inline float largestOfBlock(float value) {
    return foldBlock(value, floatFromBits(kFloatSign | kFloatInf), [](float a, float b) { return b > a ? b : a; });
}

// ---- The last block ----

/// Whether this block is the last of `blocks` to arrive; it then sees all writes of the others. `arrived` is 0 before and after. All
/// threads of the block must call it. (CUDA C++ Programming Guide, memory fence functions.)
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
