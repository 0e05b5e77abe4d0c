// SPDX-License-Identifier: Apache-2.0
// Launches kernels by one function, which a test replaces where there is no GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "kernels/cuda/runtime.h"

namespace mantissa::cuda {

/// Blocks and threads of a launch, and the bytes that `dynamicShared` of device.h gives each block.
struct Grid {
    unsigned blocks = 1, threads = 256;
    std::size_t sharedBytes = 0;
    unsigned blocksY = 1;
};

/// A block for each `perBlock` of `count` items, at most as many as fill any GPU: kernels loop over the rest ("grid stride").
inline Grid gridFor(std::int64_t count, std::int64_t perBlock, unsigned threads = 256) {
    constexpr std::int64_t kMostBlocks = 4096;
    return {.blocks = static_cast<unsigned>(std::clamp<std::int64_t>((count + perBlock - 1) / perBlock, 1, kMostBlocks)),
            .threads = threads};
}

#if !defined(MANTISSA_CUDA_EMULATION)  // which has its own
/// Whether blocks of this kernel may use `bytes` of dynamic shared memory on the thread's GPU, which may exceed the default limit of 48
/// KiB. The limit is set for the kernel and also affects captured graphs: always pass the same number for a kernel.
template <typename... Parameters>
bool mayShare(void (*kernel)(Parameters...), std::size_t bytes) {
    const bool may = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(bytes)) == cudaSuccess;
    if (!may) cudaGetLastError();
    return may;
}

/// Enqueues kernel<<<grid>>>(arguments...).
template <typename... Parameters, typename... Arguments>
void launch(const Grid& grid, cudaStream_t stream, void (*kernel)(Parameters...), const Arguments&... arguments) {
    std::tuple<Parameters...> values(arguments...);
    std::apply(
        [&](auto&... value) {
            void* pointers[] = {static_cast<void*>(&value)...};
            check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks, grid.blocksY), dim3(grid.threads), pointers,
                                   grid.sharedBytes, stream),
                  "a kernel's launch");
        },
        values);
}
#endif

}  // namespace mantissa::cuda
