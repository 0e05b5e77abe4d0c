// SPDX-License-Identifier: Apache-2.0
// Pooling over windows and its gradients: a thread computes kChunk channels of one position. Gradients are gathered: each position sums
// over its windows in order, so no two threads add to one element.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

/// Rows or columns [first, end).
struct Range {
    std::int64_t first, end;
};
__device__ Range within(std::int64_t first, std::int64_t end, std::int64_t size) {
    return {first < 0 ? 0 : first, end < size ? end : size};
}
/// The positions of the plane that a window covers, without padding.
__device__ Range placesOf(std::int64_t window, std::int64_t stride, std::int64_t pad, std::int64_t size, std::int64_t plane) {
    const std::int64_t first = window * stride - pad;
    return within(first, first + size, plane);
}
/// The windows that cover a position.
__device__ Range windowsOf(std::int64_t place, std::int64_t stride, std::int64_t pad, std::int64_t size, std::int64_t windows) {
    const std::int64_t last = place + pad;
    return within(last < size ? 0 : (last - size) / stride + 1, last / stride + 1, windows);
}

/// A thread's chunk of channels in a plane of [samples, height, width, channels].
struct ChunkPlace {
    std::int64_t sample, row, col;
    std::int64_t channel;
    int count;
};

/// Calls work(place) for this thread's chunks.
template <typename Work>
__device__ void forPlaces(std::int64_t samples, std::int64_t height, std::int64_t width, std::int64_t channels, Work work) {
    const auto chunks = static_cast<std::uint64_t>((channels + kChunk - 1) / kChunk), w = static_cast<std::uint64_t>(width),
               h = static_cast<std::uint64_t>(height), all = static_cast<std::uint64_t>(samples) * h * w * chunks;
    for (auto i = static_cast<std::uint64_t>(globalThread()); i < all; i += static_cast<std::uint64_t>(allThreads())) {
        const std::uint64_t place = i / chunks, line = place / w;
        const auto channel = static_cast<std::int64_t>(i % chunks * kChunk);
        work(ChunkPlace{static_cast<std::int64_t>(line / h), static_cast<std::int64_t>(line % h), static_cast<std::int64_t>(place % w),
                        channel, channels - channel < kChunk ? static_cast<int>(channels - channel) : kChunk});
    }
}

/// Index of a chunk's first element.
__device__ std::int64_t elementOf(const ChunkPlace& p, std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t row,
                                  std::int64_t col) {
    return ((p.sample * height + row) * width + col) * channels + p.channel;
}

/// Sizes derived from a description.
struct Sizes {
    explicit Sizes(const PoolDesc& d)
        : height(d.window.outHeight(d.height)),
          width(d.window.outWidth(d.width)),
          elements(static_cast<float>(d.window.height * d.window.width)) {}
    std::int64_t height, width;  // of the result
    float elements;              // of a window
};

// Indices are copied as fp32 bits.

__global__ void pool(PoolDesc d, Sizes out, const void* x, void* y, void* indices) {
    const Window& w = d.window;
    forPlaces(d.samples, out.height, out.width, d.channels, [&](const ChunkPlace& p) {
        const Range rows = placesOf(p.row, w.strideHeight, w.padHeight, w.height, d.height),
                    cols = placesOf(p.col, w.strideWidth, w.padWidth, w.width, d.width);
        Chunk own{}, places{};
        bool isFirst = true;
        for (std::int64_t row = rows.first; row < rows.end; ++row) {
            for (std::int64_t col = cols.first; col < cols.end; ++col) {
                const Chunk seen = loadChunk(d.dtype, x, elementOf(p, d.height, d.width, d.channels, row, col), p.count);
                const float place = floatFromBits(static_cast<std::uint32_t>(row * d.width + col));
                for (int i = 0; i < kChunk; ++i) {
                    const float v = seen.x[i];
                    if (d.kind == Pooling::Average) {
                        own.x[i] += v;
                    } else if (isFirst || v > own.x[i] || v != v) {  // NaN wins
                        own.x[i] = v;
                        places.x[i] = place;
                    }
                }
                isFirst = false;
            }
        }
        const std::int64_t to = elementOf(p, out.height, out.width, d.channels, p.row, p.col);
        if (d.kind == Pooling::Average) {
            for (float& sum : own.x) sum /= out.elements;
        } else {
            storeChunk(Dtype::F32, indices, to, p.count, places);
        }
        storeChunk(d.dtype, y, to, p.count, own);
    });
}

__global__ void poolGrad(PoolDesc d, Sizes out, const void* gradOutput, const void* indices, void* gradInput) {
    const Window& w = d.window;
    forPlaces(d.samples, d.height, d.width, d.channels, [&](const ChunkPlace& p) {
        const Range rows = windowsOf(p.row, w.strideHeight, w.padHeight, w.height, out.height),
                    cols = windowsOf(p.col, w.strideWidth, w.padWidth, w.width, out.width);
        const auto place = static_cast<std::uint32_t>(p.row * d.width + p.col);
        Chunk sum{};
        for (std::int64_t row = rows.first; row < rows.end; ++row) {
            for (std::int64_t col = cols.first; col < cols.end; ++col) {
                const std::int64_t from = elementOf(p, out.height, out.width, d.channels, row, col);
                const Chunk g = loadChunk(d.dtype, gradOutput, from, p.count);
                if (d.kind == Pooling::Average) {
                    for (int i = 0; i < kChunk; ++i) sum.x[i] += g.x[i] / out.elements;
                } else {
                    const Chunk places = loadChunk(Dtype::F32, indices, from, p.count);
                    for (int i = 0; i < kChunk; ++i) {
                        if (floatBits(places.x[i]) == place) sum.x[i] += g.x[i];
                    }
                }
            }
        }
        storeChunk(d.dtype, gradInput, elementOf(p, d.height, d.width, d.channels, p.row, p.col), p.count, sum);
    });
}

Grid gridOfPlaces(std::int64_t places, std::int64_t channels) {
    return gridFor(places * ((channels + kChunk - 1) / kChunk), 256);
}

}  // namespace

std::unique_ptr<Operation> makePool(const PoolDesc& desc) {
    return makeFunction([d = desc, sizes = Sizes(desc)](cudaStream_t stream, Operands operands) {
        launch(gridOfPlaces(d.samples * sizes.height * sizes.width, d.channels), stream, pool, d, sizes, operands[0], operands[1],
               operands[2]);
    });
}

std::unique_ptr<Operation> makePoolGrad(const PoolGradDesc& desc) {
    return makeFunction([d = desc.forward, sizes = Sizes(desc.forward)](cudaStream_t stream, Operands operands) {
        launch(gridOfPlaces(d.samples * d.height * d.width, d.channels), stream, poolGrad, d, sizes, operands[0], operands[1], operands[2]);
    });
}

}  // namespace mantissa::cuda
