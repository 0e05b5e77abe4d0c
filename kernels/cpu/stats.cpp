// SPDX-License-Identifier: Apache-2.0
// Tensor statistics: classes, counts by magnitude, lost updates. One vector loop over blocks computes everything except the counts, and
// writes each element's cell to a list. Scalar code counts the list in several tables by turns, so that a repeated number does not wait for
// its previous store. Another thread counts copies of small tensors, so that a step does not wait for them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Results of one pass over some elements, as fp32 bits. Pieces can be merged in any order.
struct Extremes {
    std::uint32_t largest = 0;              // magnitude, Inf and NaN included
    std::uint32_t smallest = kNone;         // magnitude - 1, so that 0 wraps around to the maximum
    std::int64_t zeros = 0, belowZero = 0;  // -0 does not count as below zero
};

MANTISSA_LOOP Extremes extremesOf(const float* x, std::int64_t count) {
    std::uint32_t largest = 0, smallest = kNone, zeros = 0, belowZero = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = floatBits(x[i]), magnitude = bits & ~kFloatSign;
        largest = magnitude > largest ? magnitude : largest;
        smallest = magnitude - 1 < smallest ? magnitude - 1 : smallest;
        zeros += magnitude == 0 ? 1u : 0u;
        belowZero += bits > kFloatSign ? 1u : 0u;
    }
    return {largest, smallest, zeros, belowZero};
}

/// For the few blocks with non-finite values.
void classifySlowly(const float* x, std::int64_t first, std::int64_t count, ElementClasses& classes, std::uint32_t& smallest) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = floatBits(x[i]), magnitude = bits & ~kFloatSign;
        const bool isNegative = (bits & kFloatSign) != 0;
        if (magnitude >= kFloatInf) {
            if (classes.firstNonFinite < 0) classes.firstNonFinite = first + i;
            ++(magnitude > kFloatInf ? classes.nan : isNegative ? classes.negativeInf : classes.positiveInf);
        } else {
            ++(magnitude == 0 ? classes.zero : isNegative ? classes.negative : classes.positive);
            classes.absMax = std::max(classes.absMax, static_cast<double>(floatFromBits(magnitude)));
            if (magnitude != 0) smallest = std::min(smallest, magnitude);
        }
    }
}

/// Classes of a piece of a tensor. `smallest`: bits of the smallest non-zero magnitude, or kNone.
struct Classes {
    ElementClasses classes;
    std::uint32_t smallest = kNone;

    Extremes add(const float* x, std::int64_t first, std::int64_t count) {
        const Extremes found = extremesOf(x, count);
        if (found.largest >= kFloatInf) {
            classifySlowly(x, first, count, classes, smallest);
            return found;
        }
        classes.zero += found.zeros;
        classes.negative += found.belowZero;
        classes.positive += count - found.zeros - found.belowZero;
        classes.absMax = std::max(classes.absMax, static_cast<double>(floatFromBits(found.largest)));
        if (found.zeros < count) smallest = std::min(smallest, found.smallest + 1);
        return found;
    }

    void mergeInto(ElementStats& stats) const {
        ElementClasses& all = stats.classes;
        all.negativeInf += classes.negativeInf, all.negative += classes.negative, all.zero += classes.zero;
        all.positive += classes.positive, all.positiveInf += classes.positiveInf, all.nan += classes.nan;
        all.absMax = std::max(all.absMax, classes.absMax);
        if (classes.firstNonFinite >= 0 && (all.firstNonFinite < 0 || classes.firstNonFinite < all.firstNonFinite))
            all.firstNonFinite = classes.firstNonFinite;
        if (smallest == kNone) return;
        const auto least = static_cast<double>(floatFromBits(smallest));
        if (stats.smallest == 0 || least < stats.smallest) stats.smallest = least;
    }
};

// A key is fp32's exponent field and a part: rows of 16, of which kPartCount are used.
constexpr int kRow = 16, kKeys = 256 * kRow, kTables = 4;
static_assert(kPartCount <= kRow);

using Keys = std::array<std::uint16_t, kBlock>;

/// Compares by the carry of an addition: gcc compiles nine ordered comparisons to branches.
MANTISSA_LOOP void keysOf(const float* x, std::uint16_t* __restrict keys, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t magnitude = floatBits(x[i]) & ~kFloatSign, fraction = magnitude & (kFloatImplicitBit - 1);
        std::uint32_t part = 0;
        for (std::size_t p = 0; p < kPartStarts.size(); ++p) part += (fraction + (kFloatSign - kPartStarts[p])) >> 31;
        keys[i] = static_cast<std::uint16_t>((magnitude >> kFloatMantissaBits) * kRow + part);
    }
}

/// A thread's counters, all 0 between uses. The tables' counters of one key are adjacent, on the same cache line. 16 bits suffice for a
/// piece.
using Tables = std::array<std::uint16_t, kKeys * kTables>;
static_assert(WorkPool::kPiece < 65536);
Tables& tables() {
    thread_local Tables own{};
    return own;
}

void countKeys(const std::uint16_t* keys, std::int64_t count, Tables& t) {
    std::int64_t i = 0;
    for (; i + kTables <= count; i += kTables) {
        std::uint64_t four;
        std::memcpy(&four, keys + i, sizeof four);
        ++t[(four & 0xFFFF) * kTables], ++t[(four >> 16 & 0xFFFF) * kTables + 1];
        ++t[(four >> 32 & 0xFFFF) * kTables + 2], ++t[(four >> 48) * kTables + 3];
    }
    for (; i < count; ++i) ++t[static_cast<std::size_t>(keys[i]) * kTables];
}

/// Counts of a piece of a tensor.
class Counts {
public:
    /// `found`: extremes of these elements.
    void add(const float* x, std::int64_t count, const Extremes& found) {
        if (found.largest == 0) return;
        const std::uint32_t lowest = (found.smallest + 1) >> kFloatMantissaBits;  // of the non-zero elements; at least one exists
        m_lowest = std::min(m_lowest, std::max(lowest, 1u));
        m_highest = std::max(m_highest, std::min(found.largest >> kFloatMantissaBits, 254u));
        if (lowest == 0) addSubnormals(x, count);
        Keys keys;
        keysOf(x, keys.data(), count);
        countKeys(keys.data(), count, m_tables);
    }

    /// Adds the counts to `stats` and clears the tables.
    void moveInto(ElementStats& stats) {
        if (!m_subnormals.empty()) addSubnormalsTo(stats);
        if (m_lowest <= m_highest) widen(stats, static_cast<int>(m_lowest) - kFloatBias, static_cast<int>(m_highest) - kFloatBias + 1);
        for (std::uint32_t exponent = m_lowest; exponent <= m_highest; ++exponent) {
            std::uint16_t* const row = rowOf(exponent);
            std::array<std::uint64_t, kRow> fours;  // one copy: the row was just written in small pieces
            static_assert(sizeof fours == kRowCounters * sizeof *row);
            std::memcpy(fours.data(), row, sizeof fours);
            std::memset(row, 0, sizeof fours);
            std::uint32_t* const cells = stats.cells.data() + cellIndex(static_cast<int>(exponent) - kFloatBias, 0);
            for (std::size_t part = 0; part < kPartCount; ++part)  // the multiplication sums all four counters in the top one
                cells[part] += static_cast<std::uint32_t>(fours[part] * 0x0001000100010001u >> 48);
        }
        for (const std::uint32_t unread : {0u, 255u}) std::fill_n(rowOf(unread), kRowCounters, std::uint16_t{0});
    }

private:
    static constexpr int kLeastNormalCell = cellIndex(1 - kFloatBias, 0);
    static constexpr std::size_t kRowCounters = kRow * kTables;

    /// The row of an exponent field. Rows 0 (zeros and subnormals, counted separately) and 255 (Inf and NaN) are never read.
    std::uint16_t* rowOf(std::uint32_t exponent) { return m_tables.data() + exponent * kRowCounters; }

    /// Extends the range of used cells by [first, end).
    static void widen(ElementStats& stats, int first, int end) {
        const auto clear = [&](int from, int to) {
            std::fill(stats.cells.begin() + cellIndex(from, 0), stats.cells.begin() + cellIndex(to, 0), 0u);
        };
        if (stats.firstExponent == stats.endExponent) {
            stats.firstExponent = first, stats.endExponent = end;
            return clear(first, end);
        }
        if (first < stats.firstExponent) clear(first, std::exchange(stats.firstExponent, first));
        if (end > stats.endExponent) {
            clear(stats.endExponent, end);
            stats.endExponent = end;
        }
    }

    void addSubnormalsTo(ElementStats& stats) const {
        widen(stats, kLeastExponent, 1 - kFloatBias);
        for (std::size_t cell = 0; cell < m_subnormals.size(); ++cell) stats.cells[cell] += m_subnormals[cell];
    }

    void addSubnormals(const float* x, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint32_t magnitude = floatBits(x[i]) & ~kFloatSign;
            if (magnitude == 0 || magnitude >= kFloatImplicitBit) continue;
            if (m_subnormals.empty()) m_subnormals.resize(kLeastNormalCell);
            ++m_subnormals[static_cast<std::size_t>(cellOf(x[i]))];
        }
    }

    Tables& m_tables = tables();
    std::uint32_t m_lowest = 255, m_highest = 0;
    std::vector<std::uint32_t> m_subnormals;  // by cell; rarely any
};

void beginAgain(ElementStats& stats) {
    stats.classes = {};
    stats.smallest = 0;
    stats.firstExponent = stats.endExponent = 0;
}

/// Calls work(first, count, element) for contiguous stretches of the tensor: `count` seen elements from `first` on begin at `element`.
/// `begin` starts a block.
template <typename Work>
void forStretches(const SeenPart& part, std::int64_t begin, std::int64_t count, Work&& work) {
    const std::int64_t most = part.period == 1 ? count : kStatsBlock;
    for (std::int64_t done = 0; done < count; done += most) work(begin + done, std::min(most, count - done), part.elementAt(begin + done));
}

/// Adds the fp32 values `x` of the seen elements from `first` on to classes and counts.
void measure(const SeenPart& part, const float* x, std::int64_t first, std::int64_t count, Classes& classes, Counts& counts) {
    for (std::int64_t at = 0; at < count; at += kStatsBlock) {
        const std::int64_t n = std::min(kStatsBlock, count - at);
        counts.add(x + at, n, classes.add(x + at, part.elementAt(first + at), n));
    }
}
static_assert(WorkPool::kPiece % kStatsBlock == 0 && kBlock % kStatsBlock == 0);

MANTISSA_LOOP void subtract(const float* after, const float* before, float* moved, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) moved[i] = after[i] - before[i];
}

/// Counts elements that a step should have updated, and those among them that did not change.
MANTISSA_LOOP void countLost(const float* before, const float* after, const float* gradients, const float* moments, bool decays,
                             std::int64_t count, std::int64_t& meant, std::int64_t& lostInAll) {
    std::uint32_t wanted = 0, lost = 0;
    const std::uint32_t weightMask = decays ? ~kFloatSign : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t reasons =
            ((floatBits(gradients[i]) | floatBits(moments[i])) & ~kFloatSign) | (floatBits(before[i]) & weightMask);
        const std::uint32_t wants = reasons != 0 ? 1u : 0u;
        wanted += wants;
        lost += floatBits(before[i]) == floatBits(after[i]) ? wants : 0u;
    }
    meant += wanted;
    lostInAll += lost;
}

/// Tensor statistics, counted on another thread if its queue has space for a copy of the elements. Otherwise, and always for partial
/// statistics, which take less time than the hand-over, they are counted at once. Pieces can be merged in any order.
template <typename Desc>
class StatisticsOperation : public Operation {
public:
    StatisticsOperation(const Desc& desc, WorkPool& pool, SideQueue& side) : m_desc(desc), m_pool(pool), m_side(side) {}
    ~StatisticsOperation() override { m_side.finish(); }

protected:
    SeenPart partAt(const void* scalars) const {
        return seenPart(m_desc.count, m_desc.isPartial, m_desc.isPartial ? static_cast<const StepScalars*>(scalars)->step : 0);
    }

    /// `fill(first, count, to)`: copies these seen elements in `dtype`.
    template <typename Fill>
    void measurePart(const SeenPart& part, Dtype dtype, ElementStats& stats, Fill&& fill) {
        if (m_desc.count == 0) return beginAgain(stats);
        const bool isOnePiece = part.size() <= WorkPool::kPiece;
        if (!isOnePiece) {
            m_side.waitFor(&stats, sizeof stats);
            beginAgain(stats);
        }
        m_pool.runPieces(part.size(), [&](std::int64_t first, std::int64_t count) {
            const std::size_t bytes = static_cast<std::size_t>(count) * facts(dtype).storageBytes();
            const bool isPosted = !m_desc.isPartial && m_side.tryPost(
                                                           bytes, [&](std::byte* data) { fill(first, count, data); }, &stats, sizeof stats,
                                                           [this, part, dtype, first, count, &stats](const std::byte* data) {
                                                               measurePiece(part, dtype, data, first, count, stats);
                                                           });
            if (isPosted) return;
            if (isOnePiece) m_side.waitFor(&stats, sizeof stats);  // until the previous step's job is done
            thread_local std::vector<std::byte> here;
            here.resize(bytes);
            fill(first, count, here.data());
            measurePiece(part, dtype, here.data(), first, count, stats);
        });
    }

    const Desc m_desc;
    std::mutex m_mutex;  // guards results

private:
    void measurePiece(const SeenPart& part, Dtype dtype, const void* data, std::int64_t begin, std::int64_t pieceCount,
                      ElementStats& stats) {
        Classes classes;
        Counts counts;
        forBlocks(0, pieceCount, [&](std::int64_t first, std::int64_t count) {
            Block block;
            measure(part, loadBlock(dtype, data, first, count, block), begin + first, count, classes, counts);
        });
        const std::lock_guard lock(m_mutex);
        if (part.size() <= WorkPool::kPiece) beginAgain(stats);
        classes.mergeInto(stats);
        counts.moveInto(stats);
    }

    WorkPool& m_pool;
    SideQueue& m_side;
};

class Stats final : public StatisticsOperation<StatsDesc> {
public:
    using StatisticsOperation::StatisticsOperation;
    void enqueue(Queue&, Operands operands) override {
        const Dtype dtype = m_desc.dtype;
        const SeenPart part = partAt(operands[1]);
        measurePart(part, dtype, *static_cast<ElementStats*>(operands[2]), [&](std::int64_t begin, std::int64_t all, std::byte* to) {
            forStretches(part, begin, all, [&](std::int64_t first, std::int64_t count, std::int64_t element) {
                std::memcpy(elementAt(dtype, to, first - begin), elementAt(dtype, operands[0], element),
                            static_cast<std::size_t>(count) * facts(dtype).storageBytes());
            });
        });
    }
};

class UpdateStatistics final : public StatisticsOperation<UpdateStatsDesc> {
public:
    using StatisticsOperation::StatisticsOperation;
    void enqueue(Queue&, Operands operands) override {
        auto& result = *static_cast<UpdateStats*>(operands[5]);
        result.meant = result.lost = 0;
        const SeenPart part = partAt(operands[4]);
        measurePart(part, Dtype::F32, result.moved, [&](std::int64_t begin, std::int64_t all, std::byte* to) {
            std::int64_t meant = 0, lost = 0;
            forStretches(part, begin, all, [&](std::int64_t first, std::int64_t count, std::int64_t element) {
                subtractAll(operands, element, count, reinterpret_cast<float*>(to) + (first - begin), meant, lost);
            });
            const std::lock_guard lock(m_mutex);
            result.meant += meant;
            result.lost += lost;
        });
    }

private:
    /// Writes the updates to `moved`.
    void subtractAll(Operands operands, std::int64_t begin, std::int64_t count, float* moved, std::int64_t& meant,
                     std::int64_t& lost) const {
        const auto& scalars = *static_cast<const StepScalars*>(operands[4]);
        const bool moves = scalars.skipped == 0 && scalars.lr != 0;
        const Dtype dtype = m_desc.dtype;
        forBlocks(begin, count, [&](std::int64_t first, std::int64_t n) {
            Block a, b, g, m;
            const float* before = loadBlock(dtype, operands[0], first, n, b);
            const float* after = loadBlock(dtype, operands[1], first, n, a);
            subtract(after, before, moved + (first - begin), n);
            if (!moves) return;
            const float* gradients = loadBlock(dtype, operands[2], first, n, g);
            const float* moments = operands[3] == nullptr ? gradients : loadBlock(m_desc.moment.value_or(dtype), operands[3], first, n, m);
            countLost(before, after, gradients, moments, m_desc.decays, n, meant, lost);
        });
    }
};

}  // namespace

std::unique_ptr<Operation> makeClassify(const ClassifyDesc& desc) {
    return makeFunction([desc](Operands operands) {
        Classes found;
        forBlocks(desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block;
            found.add(loadBlock(desc.dtype, operands[0], first, count, block), first, count);
        });
        *static_cast<ElementClasses*>(operands[1]) = found.classes;
    });
}

std::unique_ptr<Operation> makeStats(const StatsDesc& desc, WorkPool& pool, SideQueue& side) {
    return std::make_unique<Stats>(desc, pool, side);
}

std::unique_ptr<Operation> makeUpdateStats(const UpdateStatsDesc& desc, WorkPool& pool, SideQueue& side) {
    return std::make_unique<UpdateStatistics>(desc, pool, side);
}

std::unique_ptr<Operation> makeKeepSeen(const KeepSeenDesc& desc) {
    return makeFunction([desc](Operands operands) {
        for (std::size_t i = 0; i + 1 < desc.segments.size(); ++i) {
            const std::int64_t begin = desc.segments[i];
            const SeenPart part = seenPart(desc.segments[i + 1] - begin, true, static_cast<const StepScalars*>(operands[1])->step);
            forStretches(part, 0, part.size(), [&](std::int64_t, std::int64_t count, std::int64_t element) {
                std::memcpy(elementAt(desc.dtype, operands[2], begin + element), elementAt(desc.dtype, operands[0], begin + element),
                            static_cast<std::size_t>(count) * facts(desc.dtype).storageBytes());
            });
        }
    });
}

}  // namespace mantissa::cpu
