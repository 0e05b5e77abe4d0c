// SPDX-License-Identifier: Apache-2.0
// Looking at tensors: classes, counts by magnitude, lost updates. Blocks go through one vector loop that finds everything but the counts,
// and leaves each element's cell in a list; plain code then counts the list, in several tables by turns, so that a number which comes twice
// in a row does not wait for its own last store.
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

/// What one pass over some elements finds, in fp32's own bits. Pieces can be merged in any order.
struct Extremes {
    std::uint32_t largest = 0;              // magnitude, Inf and NaN included
    std::uint32_t smallest = kNone;         // magnitude - 1, so that 0 wraps around to the top
    std::int64_t zeros = 0, belowZero = 0;  // -0 is not below
};

MANTISSA_LOOP Extremes extremesOf(const float* x, std::int64_t count) {
    Extremes found;
    std::uint32_t largest = 0, smallest = kNone, zeros = 0, belowZero = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = floatBits(x[i]), magnitude = bits & ~kFloatSign;
        largest = magnitude > largest ? magnitude : largest;
        smallest = magnitude - 1 < smallest ? magnitude - 1 : smallest;
        zeros += magnitude == 0 ? 1u : 0u;
        belowZero += bits > kFloatSign ? 1u : 0u;
    }
    found.largest = largest, found.smallest = smallest, found.zeros = zeros, found.belowZero = belowZero;
    return found;
}

/// For the few blocks that hold what is not finite.
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

/// Classes of a piece of a tensor; `smallest`: bits of the smallest magnitude other than 0, or kNone.
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

    void merge(const Classes& other) {
        const ElementClasses& o = other.classes;
        classes.negativeInf += o.negativeInf, classes.negative += o.negative, classes.zero += o.zero;
        classes.positive += o.positive, classes.positiveInf += o.positiveInf, classes.nan += o.nan;
        classes.absMax = std::max(classes.absMax, o.absMax);
        smallest = std::min(smallest, other.smallest);
        if (o.firstNonFinite >= 0 && (classes.firstNonFinite < 0 || o.firstNonFinite < classes.firstNonFinite))
            classes.firstNonFinite = o.firstNonFinite;
    }
};

// A key is fp32's exponent field and a part: rows of 16, of which kPartCount are used.
constexpr int kRow = 16, kKeys = 256 * kRow, kTables = 4;
static_assert(kPartCount <= kRow);

using Keys = std::array<std::uint16_t, kBlock>;

/// Comparisons as the carry of an addition: gcc makes a ladder of branches of nine ordered ones.
MANTISSA_LOOP void keysOf(const float* x, std::uint16_t* __restrict keys, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t magnitude = floatBits(x[i]) & ~kFloatSign, fraction = magnitude & (kFloatImplicitBit - 1);
        std::uint32_t part = 0;
        for (std::size_t p = 0; p < kPartStarts.size(); ++p) part += (fraction + (kFloatSign - kPartStarts[p])) >> 31;
        keys[i] = static_cast<std::uint16_t>((magnitude >> kFloatMantissaBits) * kRow + part);
    }
}

/// A thread's counters, all 0 between two uses; the tables' counters of one key stand side by side, on the same cache line. 16 bits:
/// whoever counts, counts no more than a piece.
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
    /// `found`: of these elements.
    void add(const float* x, std::int64_t count, const Extremes& found) {
        m_counted += count;
        if (found.largest == 0) return;
        m_lowest = std::min(m_lowest, found.smallest == kNone ? 0u : (found.smallest + 1) >> kFloatMantissaBits);
        m_highest = std::max(m_highest, std::min(found.largest >> kFloatMantissaBits, 254u));
        if (found.zeros > 0) m_lowest = 0;  // zeros are counted too, in a cell that nobody reads
        if ((found.smallest + 1) >> kFloatMantissaBits == 0) addSubnormals(x, count);
        Keys keys;
        keysOf(x, keys.data(), count);
        countKeys(keys.data(), count, m_tables);
    }

    /// Adds what was counted, and leaves the tables as they are found.
    void moveInto(ElementCensus& census) {
        census.counted += m_counted;
        if (!m_subnormals.empty()) addSubnormalsTo(census);
        const std::uint32_t lowest = std::max(m_lowest, 1u);  // zeros and subnormals have the exponent field 0: the latter have been added
        if (lowest <= m_highest) widen(census, static_cast<int>(lowest) - kFloatBias, static_cast<int>(m_highest) - kFloatBias + 1);
        for (std::uint32_t exponent = m_lowest; exponent <= m_highest; ++exponent) {
            std::uint16_t* const row = m_tables.data() + exponent * kRow * kTables;
            std::array<std::uint64_t, kRow> fours;  // all of it at once: it was written in small pieces a moment ago
            static_assert(sizeof fours == kRow * kTables * sizeof *row);
            std::memcpy(fours.data(), row, sizeof fours);
            std::memset(row, 0, sizeof fours);
            if (exponent < lowest) continue;
            std::uint32_t* const cells = census.cells.data() + cellIndex(static_cast<int>(exponent) - kFloatBias, 0);
            for (std::size_t part = 0; part < kPartCount; ++part)  // the sum of all four, in the place of the top one
                cells[part] += static_cast<std::uint32_t>(fours[part] * 0x0001000100010001u >> 48);
        }
        std::fill(m_tables.end() - kRow * kTables, m_tables.end(), std::uint16_t{0});  // Inf and NaN
    }

private:
    static constexpr int kLeastNormalCell = cellIndex(1 - kFloatBias, 0);

    /// Makes [first, end) part of the cells that hold something.
    static void widen(ElementCensus& census, int first, int end) {
        const auto clear = [&](int from, int to) {
            std::fill(census.cells.begin() + cellIndex(from, 0), census.cells.begin() + cellIndex(to, 0), 0u);
        };
        if (census.firstExponent == census.endExponent) {
            census.firstExponent = first, census.endExponent = end;
            return clear(first, end);
        }
        if (first < census.firstExponent) clear(first, std::exchange(census.firstExponent, first));
        if (end > census.endExponent) {
            clear(census.endExponent, end);
            census.endExponent = end;
        }
    }

    void addSubnormalsTo(ElementCensus& census) const {
        widen(census, kLeastExponent, 1 - kFloatBias);
        for (std::size_t cell = 0; cell < m_subnormals.size(); ++cell) census.cells[cell] += m_subnormals[cell];
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
    std::int64_t m_counted = 0;
    std::vector<std::uint32_t> m_subnormals;  // by cell; seldom any
};

/// A whole tensor's, that pieces are merged into by whoever made them.
class Whole {
public:
    void add(const Classes& classes, Counts& counts) {
        const std::lock_guard lock(m_mutex);
        m_classes.merge(classes);
        counts.moveInto(m_census);
    }
    const ElementCensus& census() {
        m_census.classes = m_classes.classes;
        m_census.smallest = m_classes.smallest == kNone ? 0 : static_cast<double>(floatFromBits(m_classes.smallest));
        return m_census;
    }
    explicit Whole(ElementCensus& into) : m_census(into) {
        m_census.counted = 0;
        m_census.firstExponent = m_census.endExponent = 0;
    }

private:
    std::mutex m_mutex;
    Classes m_classes;
    ElementCensus& m_census;
};

/// Looks at elements from `first` on, as fp32.
void look(const float* x, std::int64_t first, std::int64_t count, std::int64_t blockStride, Classes& classes, Counts& counts) {
    for (std::int64_t at = 0; at < count; at += kCensusBlock) {
        const std::int64_t n = std::min(kCensusBlock, count - at);
        const Extremes found = classes.add(x + at, first + at, n);
        if ((first + at) / kCensusBlock % blockStride == 0) counts.add(x + at, n, found);
    }
}
static_assert(WorkPool::kPiece % kCensusBlock == 0 && kBlock % kCensusBlock == 0);

MANTISSA_LOOP void subtract(const float* after, const float* before, float* moved, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) moved[i] = after[i] - before[i];
}

/// Counts elements that a step meant to move, and those of them that are as they were.
MANTISSA_LOOP void countLost(const float* before, const float* after, const float* gradients, const float* moments, bool decays,
                             std::int64_t count, std::int64_t& meant, std::int64_t& swallowed) {
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
    swallowed += lost;
}

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

std::unique_ptr<Operation> makeCensus(const CensusDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        Whole whole(*static_cast<ElementCensus*>(operands[1]));
        pool.runPieces(desc.count, [&](std::int64_t begin, std::int64_t pieceCount) {
            Classes classes;
            Counts counts;
            forBlocks(begin, pieceCount, [&](std::int64_t first, std::int64_t count) {
                Block block;
                look(loadBlock(desc.dtype, operands[0], first, count, block), first, count, desc.blockStride, classes, counts);
            });
            whole.add(classes, counts);
        });
        whole.census();
    });
}

std::unique_ptr<Operation> makeUpdateCensus(const UpdateCensusDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto& scalars = *static_cast<const StepScalars*>(operands[4]);
        auto& result = *static_cast<UpdateCensus*>(operands[5]);
        const bool moves = scalars.skipped == 0 && scalars.lr != 0;
        Whole whole(result.moved);
        std::mutex mutex;
        result.meant = result.swallowed = 0;
        pool.runPieces(desc.count, [&](std::int64_t begin, std::int64_t pieceCount) {
            Classes classes;
            Counts counts;
            std::int64_t meant = 0, swallowed = 0;
            forBlocks(begin, pieceCount, [&](std::int64_t first, std::int64_t count) {
                Block a, b, g, m, moved;
                const float* before = loadBlock(desc.dtype, operands[0], first, count, b);
                const float* after = loadBlock(desc.dtype, operands[1], first, count, a);
                subtract(after, before, moved.data(), count);
                look(moved.data(), first, count, desc.blockStride, classes, counts);
                if (!moves) return;
                const float* gradients = loadBlock(desc.dtype, operands[2], first, count, g);
                const float* moments = operands[3] == nullptr ? gradients : loadBlock(desc.dtype, operands[3], first, count, m);
                countLost(before, after, gradients, moments, desc.decays, count, meant, swallowed);
            });
            whole.add(classes, counts);
            const std::lock_guard lock(mutex);
            result.meant += meant;
            result.swallowed += swallowed;
        });
        whole.census();
    });
}

}  // namespace mantissa::cpu
