// SPDX-License-Identifier: Apache-2.0
// Counts the elements of one tensor: classes, extremes and magnitude cells, as kernels/cpu/census.cpp does. Compiled at run time by native.py
// where a C compiler is found; torch_counting.py says the same in torch operations. kPartStarts and kParts come from cells.py. Works on bits
// alone, so that a thread which flushes subnormal numbers counts the same.
#include <stdint.h>
#include <string.h>

enum { kF32 = 0, kF16 = 1, kBF16 = 2 };
enum { kBlock = 2048, kRow = 16, kTables = 8 };
enum { kNegativeInf, kNegative, kZero, kPositive, kPositiveInf, kNan };
static const uint32_t kSign = 0x80000000u, kInf = 0x7F800000u, kImplicit = 0x00800000u;

// The columns of a record in the caller's table, each 8 bytes.
typedef struct {
    int64_t classes[6];
    int64_t firstNonFinite;
    double absMax, smallest;
} Record;

static void widenBf16(const uint16_t* restrict from, uint32_t* restrict to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = (uint32_t)from[i] << 16;
}

// fp16 to fp32 without arithmetic on subnormal floats.
static void widenF16(const uint16_t* restrict from, uint32_t* restrict to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t half = from[i], magnitude = (half & 0x7FFF) << 13, exponent = magnitude & 0x0F800000u;
        const uint32_t shift = exponent == 0x0F800000u ? (uint32_t)224 << 23 : (uint32_t)112 << 23;
        const uint32_t lifted = magnitude + ((uint32_t)113 << 23), base = (uint32_t)113 << 23;
        float a, b;
        memcpy(&a, &lifted, 4);
        memcpy(&b, &base, 4);
        const float difference = a - b;  // of subnormal halves: exact, and a normal float
        uint32_t small;
        memcpy(&small, &difference, 4);
        to[i] = (half & 0x8000) << 16 | (exponent == 0 ? small : magnitude + shift);
    }
}

// Up to kBlock elements as the bits of fp32.
static const uint32_t* widened(const void* x, int kind, int64_t first, int64_t n, uint32_t* room) {
    if (kind == kF32) return (const uint32_t*)x + first;
    if (kind == kBF16) widenBf16((const uint16_t*)x + first, room, n);
    else widenF16((const uint16_t*)x + first, room, n);
    return room;
}

// The largest magnitude as the tensor's own bits; Inf and NaN are the largest of all.
uint32_t mp_magnitude(const void* x, int64_t n, int kind) {
    if (kind == kF32) {
        const uint32_t* v = x;
        uint32_t most = 0;
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t m = v[i] & 0x7FFFFFFFu;
            most = m > most ? m : most;
        }
        return most;
    }
    const uint16_t* v = x;
    uint16_t most = 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint16_t m = v[i] & 0x7FFFu;
        most = m > most ? m : most;
    }
    return most;
}

// The sum of squares, in double.
double mp_square_sum(const void* x, int64_t n, int kind) {
    uint32_t room[kBlock];
    double lanes[16] = {0};
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t m = n - first < kBlock ? n - first : kBlock;
        const uint32_t* bits = widened(x, kind, first, m, room);
        int64_t i = 0;
        for (; i + 16 <= m; i += 16) {
            for (int k = 0; k < 16; ++k) {
                float f;
                memcpy(&f, bits + i + k, 4);
                lanes[k] += (double)f * f;
            }
        }
        for (; i < m; ++i) {
            float f;
            memcpy(&f, bits + i, 4);
            lanes[0] += (double)f * f;
        }
    }
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += lanes[k];
    return sum;
}

// The same of many tensors of one dtype.
double mp_square_sums(const void* const* x, const int64_t* n, int64_t count, int kind) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += mp_square_sum(x[i], n[i], kind);
    return sum;
}

static uint64_t hashed(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

// The 64 sums of sketches.py.
void mp_sketch(const void* x, int64_t n, int kind, float* sketch) {
    uint32_t room[kBlock];
    double sums[64] = {0};
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t m = n - first < kBlock ? n - first : kBlock;
        const uint32_t* bits = widened(x, kind, first, m, room);
        for (int64_t i = 0; i < m; i += 64) {
            const uint64_t row = (uint64_t)(first + i) / 64, signs = hashed(2 * row), turn = hashed(2 * row + 1) % 64;
            for (int64_t c = 0; c < 64 && i + c < m; ++c) {
                const uint32_t magnitude = bits[i + c] & 0x7FFFFFFFu, sign = (uint32_t)(signs >> c) << 31;
                const uint32_t element = magnitude >= kInf ? 0 : bits[i + c] ^ sign;
                float f;
                memcpy(&f, &element, 4);
                sums[(uint64_t)c ^ turn] += f;
            }
        }
    }
    for (int k = 0; k < 64; ++k) sketch[k] = (float)sums[k];
}

static double asDouble(uint32_t magnitude) {
    if (magnitude >= kImplicit) {
        float f;
        memcpy(&f, &magnitude, 4);
        return f;
    }
    return (double)magnitude * 0x1p-149;
}

static uint32_t partOf(uint32_t fraction) {
    uint32_t part = 0;
    for (int p = 0; p < kParts - 1; ++p) part += (fraction + (kSign - kPartStarts[p])) >> 31;
    return part;
}

// The place of each element's first counter.
static void keysOf(const uint32_t* restrict bits, uint16_t* restrict keys, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t magnitude = bits[i] & 0x7FFFFFFFu;
        keys[i] = (uint16_t)(((magnitude >> 23) * kRow + partOf(magnitude & (kImplicit - 1))) * kTables);
    }
}

static uint8_t* putVarint(uint8_t* to, uint64_t value) {
    for (; value > 0x7F; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

typedef struct {
    uint32_t tables[256 * kRow * kTables];  // those of one cell stand side by side: an increment waits for the one before it of the same counter
    uint32_t subnormal[24 * kRow];
    uint32_t lowest, highest, hasSubnormal;
} Counters;
static _Thread_local Counters counters;  // all 0 between two uses

static void countBlock(const uint32_t* bits, int64_t n, Counters* c, uint32_t lowest, uint32_t highest) {
    uint16_t keys[kBlock];
    keysOf(bits, keys, n);
    int64_t i = 0;
    for (; i + kTables <= n; i += kTables) {
        for (int half = 0; half < kTables; half += 4) {
            uint64_t four;
            memcpy(&four, keys + i + half, 8);
            uint32_t* const tables = c->tables + half;
            ++tables[four & 0xFFFF], ++tables[(four >> 16 & 0xFFFF) + 1];
            ++tables[(four >> 32 & 0xFFFF) + 2], ++tables[(four >> 48) + 3];
        }
    }
    for (; i < n; ++i) ++c->tables[keys[i]];
    if (lowest < c->lowest) c->lowest = lowest;
    if (highest > c->highest) c->highest = highest;
    if (lowest > 0) return;
    for (i = 0; i < n; ++i) {
        const uint32_t magnitude = bits[i] & 0x7FFFFFFFu;
        if (magnitude == 0 || magnitude >= kImplicit) continue;
        const int top = 31 - __builtin_clz(magnitude);  // 2^(top - 149)
        ++c->subnormal[top * kRow + (int)partOf((magnitude << (23 - top)) & (kImplicit - 1))];
        c->hasSubnormal = 1;
    }
}

// Fills the record; writes the cells as the wire has them (distance to the cell before, count; LEB128). Returns their bytes, at most `room`;
// a list that would be longer is cut, which `room` of 20 KiB never is.
int64_t mp_count(const void* x, int64_t n, int kind, Record* r, uint8_t* cells, int64_t room) {
    uint32_t bitsRoom[kBlock];
    Counters* c = &counters;
    c->lowest = 255, c->highest = 0, c->hasSubnormal = 0;
    memset(r, 0, sizeof *r);
    r->firstNonFinite = -1;
    uint32_t largest = 0, smallest = 0xFFFFFFFFu;
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t m = n - first < kBlock ? n - first : kBlock;
        const uint32_t* bits = widened(x, kind, first, m, bitsRoom);
        uint32_t most = 0, least = 0xFFFFFFFFu, zeros = 0, below = 0;
        for (int64_t i = 0; i < m; ++i) {
            const uint32_t magnitude = bits[i] & 0x7FFFFFFFu;
            most = magnitude > most ? magnitude : most;
            least = magnitude - 1 < least ? magnitude - 1 : least;
            zeros += magnitude == 0;
            below += bits[i] > kSign;
        }
        if (most == 0) {
            r->classes[kZero] += m;
            continue;
        }
        if (most < kInf) {
            r->classes[kZero] += zeros, r->classes[kNegative] += below, r->classes[kPositive] += m - zeros - below;
            largest = most > largest ? most : largest;
            smallest = least + 1 < smallest ? least + 1 : smallest;
        } else {
            for (int64_t i = 0; i < m; ++i) {
                const uint32_t magnitude = bits[i] & 0x7FFFFFFFu, negative = bits[i] >> 31;
                if (magnitude >= kInf) {
                    if (r->firstNonFinite < 0) r->firstNonFinite = first + i;
                    ++r->classes[magnitude > kInf ? kNan : negative ? kNegativeInf : kPositiveInf];
                } else {
                    ++r->classes[magnitude == 0 ? kZero : negative ? kNegative : kPositive];
                    largest = magnitude > largest ? magnitude : largest;
                    if (magnitude != 0 && magnitude < smallest) smallest = magnitude;
                }
            }
        }
        const uint32_t low = (least + 1) >> 23, high = most >> 23;
        countBlock(bits, m, c, low, high < 254 ? high : 254);
    }
    r->absMax = asDouble(largest);
    r->smallest = smallest == 0xFFFFFFFFu ? 0 : asDouble(smallest);

    uint8_t* to = cells;
    uint8_t* const end = cells + room - 16;
    int before = -1;
    if (c->hasSubnormal) {
        for (int top = 0; top < 23; ++top) {
            for (int part = 0; part < kParts; ++part) {
                const uint32_t count = c->subnormal[top * kRow + part];
                if (count == 0 || to > end) continue;
                const int index = top * kParts + part;
                to = putVarint(putVarint(to, (uint64_t)(index - before)), count);
                before = index;
            }
        }
        memset(c->subnormal, 0, sizeof c->subnormal);
    }
    for (uint32_t e = c->lowest > 1 ? c->lowest : 1; e <= c->highest; ++e) {
        uint32_t* row = c->tables + (size_t)e * kRow * kTables;
        for (int part = 0; part < kParts; ++part) {
            uint32_t count = 0;
            for (int t = 0; t < kTables; ++t) count += row[part * kTables + t];
            if (count == 0 || to > end) continue;
            const int index = ((int)e - 127 + 149) * kParts + part;
            to = putVarint(putVarint(to, (uint64_t)(index - before)), count);
            before = index;
        }
        memset(row, 0, sizeof(uint32_t) * kRow * kTables);
    }
    memset(c->tables, 0, sizeof(uint32_t) * kRow * kTables);
    memset(c->tables + (size_t)255 * kRow * kTables, 0, sizeof(uint32_t) * kRow * kTables);
    return to - cells;
}
