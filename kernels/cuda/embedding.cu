// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their indices, and the sums of their gradients. For the sums a counting sort builds for each row of the table the list
// of its uses in ascending order. Indices are divided into parts, a warp each; each part counts its own; prefix sums of the counts give the
// part's offset in each list; parts write their entries, 32 indices at a time. The result does not depend on scheduling.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/row_copy.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

__global__ void lookUp(EmbeddingDesc d, unsigned lanes, const void* table, const std::int32_t* indices, void* dst) {
    const std::int64_t chunks = (d.cols + kChunk - 1) / kChunk;
    forRowItems(d.rows, chunks, lanes, [&](std::int64_t row, std::int64_t item) {
        const std::int64_t column = item * kChunk;
        const int n = static_cast<int>(d.cols - column < kChunk ? d.cols - column : kChunk);
        storeChunk(d.out, dst, row * d.cols + column, n, loadChunk(d.table, table, indices[row] * d.cols + column, n));
    });
}

constexpr unsigned kEmbeddingThreads = 256, kEmbeddingWarps = kEmbeddingThreads / kWarp;

/// Workspace: the lists' begins and the end; the lists, one after the other; counts [parts, tableRows].
struct Lists {
    std::int64_t rows, tableRows, parts, rowsOfPart;

    explicit Lists(const EmbeddingGradDesc& d) : rows(d.rows), tableRows(d.tableRows) {
        constexpr std::int64_t kRowsOfPart = 256, kMostParts = 128;
        parts = std::clamp<std::int64_t>((rows + kRowsOfPart - 1) / kRowsOfPart, 1, kMostParts);
        rowsOfPart = (rows + parts - 1) / parts;
    }
    __host__ __device__ std::int64_t countsSize() const { return parts * tableRows; }
    std::int64_t size() const { return tableRows + 1 + rows + countsSize(); }
    __device__ std::int32_t* begins(std::int32_t* workspace) const { return workspace; }
    __device__ std::int32_t* order(std::int32_t* workspace) const { return workspace + tableRows + 1; }
    __host__ __device__ std::int32_t* counts(std::int32_t* workspace) const { return workspace + tableRows + 1 + rows; }
};

__device__ void countIndices(const Lists& lists, const std::int32_t* indices, std::int32_t* workspace) {
    for (std::int64_t row = globalThread(); row < lists.rows; row += allThreads())
        atomicAdd(&lists.counts(workspace)[row / lists.rowsOfPart * lists.tableRows + indices[row]], 1);
}

/// Replaces each count by the sum over the parts before it; stores the list's length at its begin.
__device__ void sumCounts(const Lists& lists, std::int32_t* workspace) {
    for (std::int64_t list = globalThread(); list < lists.tableRows; list += allThreads()) {
        std::int32_t* count = lists.counts(workspace) + list;
        std::int32_t before = 0;
        for (std::int64_t part = 0; part < lists.parts; ++part, count += lists.tableRows) {
            const std::int32_t own = *count;
            *count = before;
            before += own;
        }
        lists.begins(workspace)[list] = before;
    }
}

/// The sum over the preceding lanes.
__device__ std::int32_t sumBefore(std::int32_t own, std::int32_t& ofAll) {
    std::int32_t sum = own;
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    for (int apart = 1; apart < kWarp; apart *= 2) {
        const std::int32_t other = __shfl_sync(kAllLanes, sum, lane >= apart ? lane - apart : lane);
        if (lane >= apart) sum += other;
    }
    ofAll = __shfl_sync(kAllLanes, sum, kWarp - 1);
    return sum - own;
}

/// Converts lengths to begins. One block: each thread has consecutive lists.
__device__ void findBegins(const Lists& lists, std::int32_t* workspace) {
    __shared__ std::int32_t ofWarps[kWarp];
    std::int32_t* const begins = lists.begins(workspace);
    const std::int64_t each = (lists.tableRows + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
    const std::int64_t end = first + each < lists.tableRows ? first + each : lists.tableRows;
    std::int32_t own = 0, ofAll = 0;
    for (std::int64_t list = first; list < end; ++list) own += begins[list];
    std::int32_t at = sumBefore(own, ofAll);
    if (threadIdx.x % kWarp == 0) ofWarps[threadIdx.x / kWarp] = ofAll;
    __syncthreads();
    const unsigned lane = threadIdx.x % kWarp;
    const std::int32_t before = sumBefore(lane < blockDim.x / kWarp ? ofWarps[lane] : 0, ofAll);
    at += __shfl_sync(kAllLanes, before, static_cast<int>(threadIdx.x / kWarp));
    for (std::int64_t list = first; list < end; ++list) {
        const std::int32_t length = begins[list];
        begins[list] = at;
        at += length;
    }
    if (threadIdx.x == 0) begins[lists.tableRows] = ofAll;
}

/// A warp per part. Lanes with equal indices append in lane order; the first of them advances the list's count.
__device__ void fillLists(const Lists& lists, const std::int32_t* indices, std::int32_t* workspace) {
    const std::int64_t part = globalThread() / kWarp, first = part * lists.rowsOfPart;
    const unsigned lane = threadIdx.x % kWarp;
    if (part >= lists.parts) return;
    const std::int32_t* const begins = lists.begins(workspace);
    std::int32_t* const counts = lists.counts(workspace) + part * lists.tableRows;
    const std::int64_t end = first + lists.rowsOfPart < lists.rows ? first + lists.rowsOfPart : lists.rows;
    for (std::int64_t step = first; step < end; step += kWarp) {
        const std::int64_t row = step + lane;
        const std::int32_t index = row < end ? indices[row] : -1;
        const unsigned same = __match_any_sync(kAllLanes, index), before = same & ((1u << lane) - 1);
        const std::int32_t filled = index >= 0 ? counts[index] : 0;
        __syncwarp();
        if (index >= 0) {
            lists.order(workspace)[begins[index] + filled + __popc(before)] = static_cast<std::int32_t>(row);
            if (before == 0) counts[index] = filled + __popc(same);
        }
        __syncwarp();
    }
}

__global__ void countIndicesInBlocks(Lists lists, const std::int32_t* indices, std::int32_t* workspace) {
    countIndices(lists, indices, workspace);
}
__global__ void sumCountsInBlocks(Lists lists, std::int32_t* workspace) {
    sumCounts(lists, workspace);
}
__global__ void __launch_bounds__(1024) findBeginsInBlock(Lists lists, std::int32_t* workspace) {
    findBegins(lists, workspace);
}
__global__ void fillListsInBlocks(Lists lists, const std::int32_t* indices, std::int32_t* workspace) {
    fillLists(lists, indices, workspace);
}
/// Builds small lists in one block: one launch instead of five.
__global__ void __launch_bounds__(1024) listAlone(Lists lists, const std::int32_t* indices, std::int32_t* workspace) {
    for (std::int64_t i = threadIdx.x; i < lists.countsSize(); i += blockDim.x) lists.counts(workspace)[i] = 0;
    __syncthreads();
    countIndices(lists, indices, workspace);
    __syncthreads();
    sumCounts(lists, workspace);
    __syncthreads();
    findBegins(lists, workspace);
    __syncthreads();
    fillLists(lists, indices, workspace);
}

void enqueueLists(cudaStream_t stream, const Lists& lists, const std::int32_t* indices, std::int32_t* workspace) {
    constexpr std::int64_t kRowsAlone = 4096, kCountsAlone = 16384;
    if (lists.rows <= kRowsAlone && lists.countsSize() <= kCountsAlone) {
        const unsigned threads = wholeWarps(std::max(lists.rows, lists.tableRows));  // at least a warp per part
        launch(Grid{.blocks = 1, .threads = threads}, stream, listAlone, lists, indices, workspace);
        return;
    }
    const auto countBytes = static_cast<std::size_t>(lists.countsSize()) * sizeof(std::int32_t);
    check(cudaMemsetAsync(lists.counts(workspace), 0, countBytes, stream), "cudaMemsetAsync");
    launch(gridFor(lists.rows, kEmbeddingThreads), stream, countIndicesInBlocks, lists, indices, workspace);
    launch(gridFor(lists.tableRows, kEmbeddingThreads), stream, sumCountsInBlocks, lists, workspace);
    launch(Grid{.blocks = 1, .threads = wholeWarps(lists.tableRows)}, stream, findBeginsInBlock, lists, workspace);
    launch(Grid{.blocks = static_cast<unsigned>((lists.parts + kEmbeddingWarps - 1) / kEmbeddingWarps)}, stream, fillListsInBlocks, lists, indices,
           workspace);
}

/// sum += gradOutput's rows order[0] to order[kRows - 1], in order. All loads are issued before the first addition.
template <Dtype dtype, int kRows>
__device__ void addRows(const void* gradOutput, std::int64_t cols, const std::int32_t* order, std::int64_t column, float& sum) {
    float values[kRows];
    for (int i = 0; i < kRows; ++i) values[i] = loadElement(dtype, gradOutput, order[i] * cols + column);
    for (int i = 0; i < kRows; ++i) sum += values[i];
}

/// A thread sums one column, with as many concurrent loads as possible.
__global__ void sumLists(EmbeddingGradDesc d, unsigned lanes, const void* gradOutput, const std::int32_t* begins, const std::int32_t* order,
                         void* gradTable) {
    forRowItems(d.tableRows, d.cols, lanes, [&](std::int64_t row, std::int64_t column) {
        const std::int32_t begin = begins[row], end = begins[row + 1];
        float sum = 0;
        withConstant(d.dtype, [&](auto tag) {
            constexpr Dtype kDtype = decltype(tag)::value;
            std::int32_t at = begin;
            for (; at + 32 <= end; at += 32) addRows<kDtype, 32>(gradOutput, d.cols, order + at, column, sum);
            for (; at + 4 <= end; at += 4) addRows<kDtype, 4>(gradOutput, d.cols, order + at, column, sum);
            for (; at < end; ++at) addRows<kDtype, 1>(gradOutput, d.cols, order + at, column, sum);
        });
        storeElement(d.out, gradTable, row * d.cols + column, sum);
    });
}

}  // namespace

std::unique_ptr<Operation> makeEmbedding(const EmbeddingDesc& desc) {
    const std::int64_t rowBytes = desc.cols * static_cast<std::int64_t>(facts(desc.table).storageBytes());
    const RowCopy copy{.rows = desc.rows, .rowBytes = rowBytes, .srcStride = rowBytes, .dstStride = rowBytes};
    return makeFunction([desc, copy](cudaStream_t stream, Operands operands) {
        const auto* const indices = static_cast<const std::int32_t*>(operands[1]);
        if (desc.table == desc.out) return enqueueRowCopy(stream, copy, operands[0], indices, operands[2]);
        const std::int64_t chunks = (desc.cols + kChunk - 1) / kChunk;
        const unsigned lanes = lanesFor(chunks);
        launch(gridOfRows(desc.rows, chunks, lanes), stream, lookUp, desc, lanes, operands[0], indices, operands[2]);
    });
}

std::unique_ptr<Operation> makeEmbeddingGrad(const EmbeddingGradDesc& desc) {
    return makeFunction([desc, lists = Lists(desc)](cudaStream_t stream, Operands operands) {
        const auto* const indices = static_cast<const std::int32_t*>(operands[1]);
        auto* const workspace = static_cast<std::int32_t*>(operands[3]);
        enqueueLists(stream, lists, indices, workspace);
        const unsigned lanes = lanesFor(desc.cols);
        launch(gridOfRows(desc.tableRows, desc.cols, lanes), stream, sumLists, desc, lanes, operands[0], workspace,
               workspace + lists.tableRows + 1, operands[2]);
    });
}

std::size_t embeddingGradWorkspaceBytes(const EmbeddingGradDesc& desc) {
    return static_cast<std::size_t>(Lists(desc).size()) * sizeof(std::int32_t);
}

}  // namespace mantissa::cuda
