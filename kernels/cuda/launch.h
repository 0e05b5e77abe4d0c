// SPDX-License-Identifier: Apache-2.0
// How kernels are launched: one function, so that another can stand in for it where there is no card.
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

/// A block for each `perBlock` of `count` items, as many as fill any card at most: kernels loop over what is left ("grid stride").
inline Grid gridFor(std::int64_t count, std::int64_t perBlock, unsigned threads = 256) {
    constexpr std::int64_t kMostBlocks = 4096;
    return {.blocks = static_cast<unsigned>(std::clamp<std::int64_t>((count + perBlock - 1) / perBlock, 1, kMostBlocks)),
            .threads = threads};
}

#if !defined(MANTISSA_CUDA_EMULATION)  // which brings its own
/// Whether blocks of this kernel may have `bytes` of dynamic shared memory, which may be more than the 48 KiB of any kernel's, on the
/// thread's card. The limit is the kernel's, for graphs that hold it too: always asked for with the same number.
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
