// SPDX-License-Identifier: Apache-2.0
// Tensor statistics: classes, counts by magnitude, lost updates. Each block counts in its shared memory. Blocks are added on the GPU as
// integers, so in any order; the last block to finish writes the result.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

constexpr int kStatsThreads = 256;
using Count = unsigned long long;  // the type of atomicAdd

/// Counters. Positive numbers are the rest and need none.
enum Kind { kNegativeInf, kNegative, kZero, kPositiveInf, kNan, kMeant, kLostUpdates, kKinds };

/// Results so far. All 0 means none yet, so minima are stored as complements.
struct Totals {
    Count of[kKinds];
    Count firstNonFinite;  // complement of an index
    unsigned largest;      // bits of a finite magnitude
    unsigned smallest;     // complement of the bits of a non-zero magnitude
};

/// Shared by the blocks; all 0 before and after.
struct Meeting {
    Totals totals;
    unsigned arrived;
    unsigned cells[kCellCount];
};

/// The elements to count.
struct Measured {
    std::int64_t count;
    bool isPartial;
    const StepScalars* scalars;  // read only if isPartial

    __device__ SeenPart part() const { return seenPart(count, isPartial, isPartial ? scalars->step : 0); }
};

/// Results of a thread.
struct Found {
    unsigned of[kKinds] = {};
    std::int64_t firstNonFinite = -1;
    unsigned largest = 0, smallest = 0;  // as in Totals

    __device__ void see(float x, std::int64_t index) {
        const std::uint32_t bits = floatBits(x), magnitude = bits & ~kFloatSign;
        const bool isNegative = (bits & kFloatSign) != 0;
        if (magnitude < kFloatInf) {
            of[kZero] += magnitude == 0 ? 1u : 0u;
            of[kNegative] += isNegative && magnitude != 0 ? 1u : 0u;
            largest = magnitude > largest ? magnitude : largest;
            smallest = magnitude != 0 && ~magnitude > smallest ? ~magnitude : smallest;
            return;
        }
        of[kNan] += magnitude > kFloatInf ? 1u : 0u;
        of[kPositiveInf] += bits == kFloatInf ? 1u : 0u;
        of[kNegativeInf] += bits == (kFloatInf | kFloatSign) ? 1u : 0u;
        if (firstNonFinite < 0) firstNonFinite = index;  // indices ascend
    }

    __device__ void addTo(Totals& totals) const {
        const auto sum = [](unsigned a, unsigned b) { return a + b; };
        const auto larger = [](auto a, auto b) { return a > b ? a : b; };
        const bool isFirst = threadIdx.x % kWarp == 0;
        unsigned seen = 0;  // bit mask of the kinds found: most are rare
        for (int kind = 0; kind < kKinds; ++kind) seen |= (of[kind] != 0 ? 1u : 0u) << kind;
        seen = foldWarp(seen, [](unsigned a, unsigned b) { return a | b; });
        for (int kind = 0; kind < kKinds; ++kind) {
            if ((seen >> kind & 1u) == 0) continue;
            const unsigned all = foldWarp(of[kind], sum);
            if (isFirst) atomicAdd(&totals.of[kind], static_cast<Count>(all));
        }
        const unsigned most = foldWarp(largest, larger), least = foldWarp(smallest, larger);
        if (isFirst) {
            atomicMax(&totals.largest, most);
            atomicMax(&totals.smallest, least);
        }
        constexpr unsigned kNonFinite = 1u << kNegativeInf | 1u << kPositiveInf | 1u << kNan;
        if ((seen & kNonFinite) == 0) return;
        const Count first = foldWarp(firstNonFinite < 0 ? Count{0} : ~static_cast<Count>(firstNonFinite), larger);
        if (isFirst) atomicMax(&totals.firstNonFinite, first);
    }
};

// ---- Sources ----

struct Stored {
    Dtype dtype;
    const void* src;
    __device__ Chunk operator()(std::int64_t first, int count, Found&) const { return loadChunk(dtype, src, first, count); }
};

/// The change by an update. Counts elements that the step should have updated, and those among them that did not change.
struct Moved {
    Dtype dtype, momentDtype;
    bool decays;
    const void *before, *after, *gradients, *moment;  // the last one may be null
    const StepScalars* scalars;

    __device__ Chunk operator()(std::int64_t first, int count, Found& found) const {
        const Chunk b = loadChunk(dtype, before, first, count), a = loadChunk(dtype, after, first, count);
        Chunk moved;
        for (int i = 0; i < kChunk; ++i) moved.x[i] = a.x[i] - b.x[i];
        if (scalars->skipped != 0 || scalars->lr == 0) return moved;
        const Chunk g = loadChunk(dtype, gradients, first, count), m = moment == nullptr ? g : loadChunk(momentDtype, moment, first, count);
        const std::uint32_t weightMask = decays ? ~kFloatSign : 0;
        for (int i = 0; i < kChunk; ++i) {  // elements beyond `count` are 0 and count as not updated
            const std::uint32_t reasons = ((floatBits(g.x[i]) | floatBits(m.x[i])) & ~kFloatSign) | (floatBits(b.x[i]) & weightMask);
            found.of[kMeant] += reasons != 0 ? 1u : 0u;
            found.of[kLostUpdates] += reasons != 0 && floatBits(b.x[i]) == floatBits(a.x[i]) ? 1u : 0u;
        }
        return moved;
    }
};

// ---- Results ----

__device__ void write(ElementClasses& classes, const Totals& totals, std::int64_t count) {
    const auto of = [&](Kind kind) { return static_cast<std::int64_t>(totals.of[kind]); };
    classes.negativeInf = of(kNegativeInf);
    classes.negative = of(kNegative);
    classes.zero = of(kZero);
    classes.positiveInf = of(kPositiveInf);
    classes.nan = of(kNan);
    classes.positive = count - classes.negativeInf - classes.negative - classes.zero - classes.positiveInf - classes.nan;
    classes.firstNonFinite = totals.firstNonFinite == 0 ? -1 : static_cast<std::int64_t>(~totals.firstNonFinite);
    classes.absMax = static_cast<double>(floatFromBits(totals.largest));
}

__device__ int exponentOf(unsigned magnitude) {
    return cellOf(floatFromBits(magnitude)) / kPartCount + kLeastExponent;
}

/// Called by all threads of the block.
__device__ void write(ElementStats& stats, const Totals& totals, std::int64_t count, const unsigned* cells) {
    const bool isNothing = totals.smallest == 0;
    const int first = isNothing ? 0 : exponentOf(~totals.smallest), end = isNothing ? 0 : exponentOf(totals.largest) + 1;
    for (int i = static_cast<int>(threadIdx.x); i < (end - first) * kPartCount; i += kStatsThreads) {
        const int cell = (first - kLeastExponent) * kPartCount + i;
        stats.cells.data()[cell] = cells[cell];
    }
    if (threadIdx.x != 0) return;
    write(stats.classes, totals, count);
    stats.smallest = isNothing ? 0 : static_cast<double>(floatFromBits(~totals.smallest));
    stats.firstExponent = first;
    stats.endExponent = end;
}

/// Number of counter tables that neighbouring threads use alternately: similar elements would serialise additions to one address.
constexpr int kCopies = 2;

template <typename Source, typename Result>
__global__ void measure(Source source, Measured measured, Result* result, Meeting* meeting) {
    constexpr bool kCounts = !std::is_same_v<Result, ElementClasses>;
    __shared__ Totals totals;
    __shared__ unsigned tables[kCounts ? kCellCount * kCopies : 1];
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread == 0) totals = {};
    if constexpr (kCounts) {
        for (int i = thread; i < kCellCount * kCopies; i += kStatsThreads) tables[i] = 0;
    }
    __syncthreads();
    Found found;
    const SeenPart part = measured.part();
    static_assert(kStatsBlock % kChunk == 0);
    forChunks(part.size(), [&](std::int64_t seen, int n) {
        const std::int64_t first = part.elementAt(seen);
        const Chunk chunk = source(first, n, found);
        for (int i = 0; i < kChunk; ++i) {
            if (i < n) found.see(chunk.x[i], first + i);
        }
        if constexpr (kCounts) {
            for (const float x : chunk.x) {
                const std::uint32_t magnitude = floatBits(x) & ~kFloatSign;
                if (magnitude - 1 < kFloatInf - 1) atomicAdd(&tables[thread % kCopies * kCellCount + cellOf(x)], 1u);
            }
        }
    });
    found.addTo(totals);
    __syncthreads();
    unsigned* const cells = tables;
    if constexpr (kCounts) {
        for (int i = thread; i < kCellCount; i += kStatsThreads) {
            for (int copy = 1; copy < kCopies; ++copy) cells[i] += tables[copy * kCellCount + i];
        }
        __syncthreads();
    }
    if (gridDim.x > 1) {
        if constexpr (kCounts) {
            for (int i = thread; i < kCellCount; i += kStatsThreads) {
                if (cells[i] != 0) atomicAdd(&meeting->cells[i], cells[i]);
            }
        }
        if (thread < kKinds && totals.of[thread] != 0) atomicAdd(&meeting->totals.of[thread], totals.of[thread]);
        if (thread == 0) {
            atomicMax(&meeting->totals.firstNonFinite, totals.firstNonFinite);
            atomicMax(&meeting->totals.largest, totals.largest);
            atomicMax(&meeting->totals.smallest, totals.smallest);
        }
        if (!isLastBlock(&meeting->arrived, gridDim.x)) return;
        if constexpr (kCounts) {
            for (int i = thread; i < kCellCount; i += kStatsThreads) {
                cells[i] = meeting->cells[i];
                meeting->cells[i] = 0;
            }
        }
        if (thread == 0) {
            totals = meeting->totals;
            meeting->totals = {};
        }
        __syncthreads();
    }
    if constexpr (std::is_same_v<Result, UpdateStats>) {
        write(result->moved, totals, part.size(), cells);
        if (thread == 0) {
            result->meant = static_cast<std::int64_t>(totals.of[kMeant]);
            result->lost = static_cast<std::int64_t>(totals.of[kLostUpdates]);
        }
    } else if constexpr (kCounts) {
        write(*result, totals, part.size(), cells);
    } else if (thread == 0) {
        write(*result, totals, part.size());
    }
}

/// Blocks have a high fixed cost: a few chunks per thread, and no more blocks than run at a time.
Grid gridOfStatistics(std::int64_t count) {
    Grid grid = gridFor(count, std::int64_t{4} * kStatsThreads * kChunk, kStatsThreads);
    grid.blocks = std::min(grid.blocks, 1024u);
    return grid;
}

/// `sourceOf(operands)` returns a Source. The result is operand `resultIndex`; the step's scalars, if any, precede it.
template <typename Source, typename Result, typename SourceOf>
std::unique_ptr<Operation> makeStatistics(std::int64_t count, bool isPartial, std::size_t resultIndex, SourceOf sourceOf) {
    const Grid grid = gridOfStatistics(seenPart(count, isPartial, 0).size());  // step 0 has the most elements
    return makeFunction([=, meeting = Scratch(sizeof(Meeting))](cudaStream_t stream, Operands operands) {
        const Measured measured{count, isPartial, static_cast<const StepScalars*>(operands[resultIndex - 1])};
        launch(grid, stream, measure<Source, Result>, sourceOf(operands), measured, static_cast<Result*>(operands[resultIndex]),
               meeting.as<Meeting>());
    });
}

/// kStatsPeriod blocks of a segment, of which partial statistics use one; or part of a segment that is used whole.
struct Stretch {
    std::int64_t first, count;
    bool isWhole;
};
constexpr unsigned kStretchThreads = kStatsBlock / kChunk;

/// A block of threads per stretch.
__global__ void keepSeen(const Stretch* stretches, std::int64_t stretchCount, Dtype dtype, const void* src, const StepScalars* scalars,
                         void* dst) {
    const std::int64_t passedOver = scalars->step % kStatsPeriod * kStatsBlock;
    for (std::int64_t s = blockIdx.x; s < stretchCount; s += gridDim.x) {
        const Stretch stretch = stretches[s];
        const std::int64_t begin = stretch.isWhole ? 0 : passedOver,
                           end = stretch.isWhole || begin + kStatsBlock > stretch.count ? stretch.count : begin + kStatsBlock;
        for (std::int64_t i = begin + threadIdx.x * kChunk; i < end; i += kStretchThreads * kChunk) {
            const int n = end - i < kChunk ? static_cast<int>(end - i) : kChunk;
            storeChunk(dtype, dst, stretch.first + i, n, loadChunk(dtype, src, stretch.first + i, n));
        }
    }
}

std::vector<Stretch> stretchesOf(const Segments& segments) {
    constexpr std::int64_t kLong = kStatsPeriod * kStatsBlock;
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        const std::int64_t end = segments[i + 1];
        const bool isWhole = seenPart(end - segments[i], true, 0).period == 1;
        for (std::int64_t first = segments[i]; first < end; first += kLong)
            stretches.push_back({first, std::min(kLong, end - first), isWhole});
    }
    return stretches;
}

}  // namespace

std::unique_ptr<Operation> makeClassify(const ClassifyDesc& desc) {
    return makeStatistics<Stored, ElementClasses>(desc.count, false, 1, [dtype = desc.dtype](Operands operands) {
        return Stored{dtype, operands[0]};
    });
}

std::unique_ptr<Operation> makeStats(const StatsDesc& desc) {
    return makeStatistics<Stored, ElementStats>(desc.count, desc.isPartial, 2, [dtype = desc.dtype](Operands operands) {
        return Stored{dtype, operands[0]};
    });
}

std::unique_ptr<Operation> makeUpdateStats(const UpdateStatsDesc& desc) {
    return makeStatistics<Moved, UpdateStats>(desc.count, desc.isPartial, 5, [desc](Operands operands) {
        return Moved{desc.dtype,  desc.moment.value_or(desc.dtype),
                     desc.decays, operands[0],
                     operands[1], operands[2],
                     operands[3], static_cast<const StepScalars*>(operands[4])};
    });
}

std::unique_ptr<Operation> makeKeepSeen(const KeepSeenDesc& desc) {
    const std::vector<Stretch> stretches = stretchesOf(desc.segments);
    const auto count = static_cast<std::int64_t>(stretches.size());
    return makeFunction([dtype = desc.dtype, count, grid = gridFor(count, 1, kStretchThreads), table = Scratch(stretches)](
                            cudaStream_t stream, Operands operands) {
        launch(grid, stream, keepSeen, table.as<Stretch>(), count, dtype, operands[0], static_cast<const StepScalars*>(operands[1]),
               operands[2]);
    });
}

}  // namespace mantissa::cuda
