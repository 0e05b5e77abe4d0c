// SPDX-License-Identifier: Apache-2.0
// Rows of operations that move values. All exact.
#include <algorithm>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

/// Casts to `to` from every storage format: the source's own numbers, and those around the target's rounding boundaries.
void castCases(Dtype to, Extent extent, const CaseSink& sink) {
    for (const Dtype from : kStorageDtypes) {
        forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
            Floats values = aroundBoundaries(inputs, to, static_cast<std::size_t>(count), 21);
            const Floats own = elements(inputs, from, values.size(), 22);
            Values rounded;
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = roundTo(from, i % 4 == 3 ? own[i] : values[i]);
                rounded.push_back(static_cast<double>(values[i]));
            }
            CompareOptions options = optionsFor(values.size());
            options.signOfZeroCounts = true;
            options.maxZeroShare = 1;  // subnormals of one format may all be 0 in another
            options.mayBeConstant = options.mayBeConstant || inputs == Inputs::Overflow;
            sink(arrayCase(CastDesc{count, from, to}, inputs, count, "from " + formatName(from),
                           {reads(from, values), writes(to, exactly(to, rounded, options))}));
        });
    }
}

void accumulateCases(Dtype from, Extent extent, const CaseSink& sink) {
    forElementCases(extent, [&](std::int64_t count, Inputs inputs) {
        const Floats src = elements(inputs, from, static_cast<std::size_t>(count), 23);
        for (const Dtype to : {Dtype::F32, from}) {
            const Floats before = elements(inputs, to, src.size(), 24);
            Values sums;  // of two fp32 numbers: exact in double, or the error is negligible; then rounded to fp32 and to the format
            for (std::size_t i = 0; i < src.size(); ++i) sums.push_back(static_cast<double>(before[i]) + static_cast<double>(src[i]));
            CompareOptions options = optionsFor(src.size());
            options.mayBeConstant = options.mayBeConstant || inputs == Inputs::Overflow;
            const bool isOffLine = to == Dtype::F32;  // as gradients of parameters are stored
            sink({.desc = AccumulateDesc{count, from, to},
                  .inputs = inputs,
                  .shape = std::to_string(count),
                  .layout = std::string("to ") + formatName(to) + (isOffLine ? " off-line" : ""),
                  .operands = {reads(from, src), updates(to, before, exactly(to, sums, options))},
                  .isOffLine = isOffLine});
            if (to == from) break;
        }
    });
}

/// Labels are gathered as columns too, so their bits may be those of signalling NaNs: words are compared bit for bit, as numbers.
void gatherCases(Extent extent, const CaseSink& sink) {
    std::vector<std::int64_t> widths{1, 3, 64};
    if (extent == Extent::Full) widths.insert(widths.end(), {17, 1024, 3001});
    for (const std::int64_t cols : widths) {
        constexpr std::uint32_t kSignallingNan = 0x7F800001u, kRows = 20;
        std::vector<std::uint32_t> table(static_cast<std::size_t>(kRows * cols));
        for (std::size_t i = 0; i < table.size(); ++i) table[i] = kSignallingNan + static_cast<std::uint32_t>(i) * 40503u;
        const std::vector<std::int32_t> indices{19, 0, 7, 7, 3};
        for (const std::int64_t stride : {cols, std::int64_t{1}}) {
            Values expected;
            for (const std::int32_t index : indices) {
                const auto from = table.begin() + index * stride;
                expected.insert(expected.end(), from, from + cols);
            }
            const CompareOptions options = optionsFor(expected.size());
            sink({.desc = GatherRowsDesc{static_cast<std::int64_t>(indices.size()), cols, stride == cols ? 0 : stride},
                  .inputs = Inputs::NonFinite,
                  .shape = "5x" + std::to_string(cols),
                  .layout = stride == cols ? "" : "windows",
                  .operands = {{.before = bytesOf(table), .decode = wholeNumbers<std::uint32_t>},
                               readsLabels(indices),
                               {.role = Role::Written,
                                .before = Bytes(expected.size() * sizeof(float)),
                                .decode = wholeNumbers<std::uint32_t>,
                                .after = {.values = expected, .limits = {0}, .options = options}}}});
            if (cols == 1) break;
        }
    }
}

void copyColumnsCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    struct Shape {
        std::int64_t rows, cols, srcWidth, srcFirst, dstWidth, dstFirst;
    };
    std::vector<Shape> shapes{{3, 1, 1, 0, 2, 1}, {5, 7, 21, 14, 7, 0}, {5, 7, 7, 0, 21, 7}, {4, 64, 192, 64, 65, 1}};
    if (extent == Extent::Full) shapes.insert(shapes.end(), {{301, 128, 384, 256, 128, 0}, {17, 1000, 1003, 2, 3001, 2001}});
    for (const Shape& s : shapes) {
        const Floats src = elements(Inputs::NonFinite, dtype, static_cast<std::size_t>(s.rows * s.srcWidth), 26);
        Floats after = elements(Inputs::Normal, dtype, static_cast<std::size_t>(s.rows * s.dstWidth), 27);
        const Floats before = after;
        for (std::int64_t row = 0; row < s.rows; ++row) {
            const auto from = src.begin() + row * s.srcWidth + s.srcFirst;
            std::copy(from, from + s.cols, after.begin() + row * s.dstWidth + s.dstFirst);
        }
        CompareOptions options = optionsFor(after.size());
        options.signOfZeroCounts = true;
        sink({.desc = CopyColumnsDesc{s.rows, s.cols, s.srcWidth, s.srcFirst, s.dstWidth, s.dstFirst, dtype},
              .inputs = Inputs::NonFinite,
              .shape = std::to_string(s.rows) + "x" + std::to_string(s.cols),
              .layout = "from " + std::to_string(s.srcFirst) + "/" + std::to_string(s.srcWidth) + " to " + std::to_string(s.dstFirst) +
                        "/" + std::to_string(s.dstWidth),
              .operands = {reads(dtype, src), updates(dtype, before, exactly(dtype, Values(after.begin(), after.end()), options))}});
    }
}

}  // namespace

void addMovement(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        const std::string format = formatName(dtype);
        checks.push_back({"cast to", dtype, format, std::bind_front(castCases, dtype)});
        checks.push_back({"accumulate", dtype, format, std::bind_front(accumulateCases, dtype)});
        checks.push_back({"copy columns", dtype, format, std::bind_front(copyColumnsCases, dtype)});
    }
    checks.push_back({"gather", Dtype::F32, "fp32", gatherCases});
}

}  // namespace mantissa::conformance
