// SPDX-License-Identifier: Apache-2.0
// Compiles loops once per instruction set under separate names, so that a test can run each one that the processor supports. (With
// MANTISSA_LOOP of vector_loop.h the loader chooses.) Its rule applies: no path may change a bit.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mantissa::cpu {

enum class VectorPath : std::uint8_t { Portable, Avx2, Avx512 };

#if defined(__x86_64__)
inline bool hasF16c() {  // clang's __builtin_cpu_supports does not know it
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
inline bool canRun(VectorPath path) {
    switch (path) {
        case VectorPath::Avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && canRun(VectorPath::Avx2);
        case VectorPath::Avx2:
            return __builtin_cpu_supports("avx2") && hasF16c();
        case VectorPath::Portable:
            break;
    }
    return true;
}
#define MANTISSA_AVX2 __attribute__((target("avx2,f16c")))
#if defined(__clang__)  // has no prefer-vector-width for single functions
#define MANTISSA_AVX512 __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define MANTISSA_AVX512 __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#else
inline bool canRun(VectorPath path) {
    return path == VectorPath::Portable;
}
#define MANTISSA_AVX2
#define MANTISSA_AVX512
#endif

/// Number of elements before the first one on a cache line: vectors that cross lines cost a tenth of the memory speed.
template <typename Element>
std::size_t elementsToLine(const Element* array, std::size_t count) {
    const std::size_t bytes = (64 - reinterpret_cast<std::uintptr_t>(array) % 64) % 64;
    return std::min(count, bytes / sizeof(Element));
}

/// run(first, end, body): calls body(i) for each i in [first, end), possibly in parallel: what body(i) reads, no other i may write.
/// (ivdep: an array may be rounded in place, elementwise, which the vectoriser would otherwise treat as a hazard.)
template <VectorPath path>
struct VectorLoop;

template <>
struct VectorLoop<VectorPath::Portable> {
    template <typename Body>
    static void run(std::size_t first, std::size_t end, Body body) {
#pragma GCC ivdep
        for (std::size_t i = first; i < end; ++i) body(i);
    }
};
template <>
struct VectorLoop<VectorPath::Avx2> {
    template <typename Body>
    MANTISSA_AVX2 static void run(std::size_t first, std::size_t end, Body body) {
#pragma GCC ivdep
        for (std::size_t i = first; i < end; ++i) body(i);
    }
};
template <>
struct VectorLoop<VectorPath::Avx512> {
    template <typename Body>
    MANTISSA_AVX512 static void run(std::size_t first, std::size_t end, Body body) {
#pragma GCC ivdep
        for (std::size_t i = first; i < end; ++i) body(i);
    }
};

}  // namespace mantissa::cpu
