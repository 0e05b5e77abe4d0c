// SPDX-License-Identifier: Apache-2.0
// Rows of block formats: quantising a matrix, exact in codes and scales, and products of quantised matrices.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/block_scaling.h"
#include "kernels/dtype/hadamard.h"

namespace mantissa::conformance {
namespace {

constexpr std::int64_t kDropoutStep = 5;  // the stream of stochastic rounding
constexpr std::uint64_t kSeed = 11;
constexpr std::int64_t kFirstElement = 1000;

/// A matrix in a block format, number by number from block_scaling.h.
struct Quantized {
    QuantizeBlocksDesc desc;
    Floats numbers;  // that are quantised: rounded to bf16, rotated
    float tensorScale = 1;
    std::vector<std::uint32_t> codes, scales;
    Floats factors;  // of the blocks, with fp32 scales

    Quantized(const QuantizeBlocksDesc& given, const Floats& values) : desc(given), numbers(values) {
        const std::int64_t rows = desc.shape.rows, cols = desc.shape.cols;
        for (float& x : numbers) x = roundTo(Dtype::BF16, x);
        for (std::int64_t row = 0; desc.isRotated && row + kHadamardSize <= rows; row += kHadamardSize) {
            for (std::int64_t col = 0; col < cols; ++col) rotate(row, col);
        }
        float largest = 0;
        for (const float x : numbers) largest = std::fabs(x) > largest ? std::fabs(x) : largest;
        const BlockFormat& format = desc.format;
        if (format.hasTensorScale())
            tensorScale = withDialect(format.dialect, [=](auto dialect) { return decltype(dialect)::tensorScale(largest); });
        const MatrixShape grid = format.scales(desc.shape);
        scales.assign(at(grid.count()), 0);
        factors.assign(at(grid.count()), 0);
        for (std::int64_t row = 0; row < grid.rows; ++row) {
            for (std::int64_t col = 0; col < grid.cols; ++col) setScale(row, col);
        }
        for (std::int64_t i = 0; i < desc.shape.count(); ++i) codes.push_back(codeOf(i));
    }

    std::size_t blockOf(std::int64_t i) const {
        const std::int64_t row = i / desc.shape.cols, col = i % desc.shape.cols;
        return at(row / desc.format.block.rows * desc.format.scales(desc.shape).cols + col / desc.format.block.cols);
    }
    std::uint32_t scaleAt(std::int64_t i) const { return scales[blockOf(i)]; }
    /// Element times scale, without the tensor's factor.
    float number(std::int64_t i) const { return decodeBits(desc.format.element, codes[at(i)]) * decodeBits(desc.format.scale, scaleAt(i)); }
    QuantScale state() const {
        QuantScale state{.scale = tensorScale, .inverse = 1 / tensorScale};
        if (desc.format.dialect == Nvfp4Dialect::TorchaoInference) std::swap(state.scale, state.inverse);
        return state;
    }
    /// Packed codes, lowest bits first, then scales.
    Bytes stored() const {
        const auto bits = at(facts(desc.format.element).storageBits), packed = (codes.size() * bits + 7) / 8;
        const std::size_t bytesOfScale = facts(desc.format.scale).storageBytes();
        Bytes bytes(packed + scales.size() * bytesOfScale);
        for (std::size_t i = 0; i < codes.size() * bits; ++i)
            bytes[i / 8] |= static_cast<std::byte>((codes[i / bits] >> i % bits & 1u) << i % 8);
        for (std::size_t i = 0; i < scales.size() * bytesOfScale; ++i)
            bytes[packed + i] = static_cast<std::byte>(scales[i / bytesOfScale] >> i % bytesOfScale * 8);
        return bytes;
    }

private:
    void rotate(std::int64_t row, std::int64_t col) {
        float v[kHadamardSize];
        for (int k = 0; k < kHadamardSize; ++k) v[k] = numbers[at((row + k) * desc.shape.cols + col)];
        rotateSixteen(v);
        for (int k = 0; k < kHadamardSize; ++k) numbers[at((row + k) * desc.shape.cols + col)] = roundTo(Dtype::BF16, v[k]);
    }

    void setScale(std::int64_t blockRow, std::int64_t blockCol) {
        const std::uint32_t magnitude = magnitudeOf(blockRow, blockCol);
        const std::size_t block = at(blockRow * desc.format.scales(desc.shape).cols + blockCol);
        if (desc.format.hasFp32Scales()) {
            factors[block] = fp32Factor(mxElementOf(desc.format.element), magnitude);
            scales[block] = floatBits(fp32Scale(factors[block]));
        } else {
            scales[block] = scaleCodeOf(magnitude);
        }
    }

    std::uint32_t magnitudeOf(std::int64_t blockRow, std::int64_t blockCol) const {
        const BlockFormat& format = desc.format;
        std::uint32_t magnitude = 0;
        for (std::int64_t r = 0; r < format.block.rows; ++r) {
            for (std::int64_t c = 0; c < format.block.cols; ++c) {
                const std::int64_t row = blockRow * format.block.rows + r, col = blockCol * format.block.cols + c;
                if (row < desc.shape.rows && col < desc.shape.cols)
                    magnitude = std::max(magnitude, floatBits(numbers[at(row * desc.shape.cols + col)]) & ~kFloatSign);
            }
        }
        return magnitude;
    }

    std::uint32_t scaleCodeOf(std::uint32_t magnitude) const {
        const BlockFormat& format = desc.format;
        if (format.isMx())
            return withScaleRule(format.rule,
                                 [&](auto tag) { return mxScaleCode<decltype(tag)::kValue>(mxElementOf(format.element), magnitude); });
        return withDialect(format.dialect, [&](auto dialect) { return decltype(dialect)::scaleCode(magnitude, tensorScale); });
    }

    std::uint32_t codeOf(std::int64_t i) const {
        const BlockFormat& format = desc.format;
        const float x = numbers[at(i)], s = decodeBits(format.scale, scaleAt(i));
        const auto byDialect = [&](auto dialect) {
            using Dialect = decltype(dialect);
            return Dialect::scaled(x, Dialect::blockFactor(s, tensorScale), tensorScale);
        };
        const float scaled = format.hasFp32Scales() ? x * factors[blockOf(i)]
                             : format.isMx()        ? x * mxFactor(scaleAt(i))
                                                    : withDialect(format.dialect, byDialect);
        const RoundingMode mode{desc.rounding, true, static_cast<std::uint32_t>(kDropoutStep), desc.seed};
        return encodeBits(format.element, std::isnan(scaled) ? kNan : scaled, mode, static_cast<std::uint64_t>(desc.firstElement + i));
    }
};

Values factorsOf(std::span<const std::byte> bytes) {
    const auto state = valueIn<QuantScale>(bytes);
    return {static_cast<double>(state.scale), static_cast<double>(state.inverse)};
}

std::string ruleNameOf(const BlockFormat& format) {
    return std::string(format.isNvfp4() ? nvfp4DialectName(format.dialect) : scaleRuleName(format.rule));
}

void quantizeCase(const QuantizeBlocksDesc& desc, Inputs inputs, const CaseSink& sink) {
    Floats values = elements(inputs, desc.source ? Dtype::BF16 : desc.from, at(desc.shape.count()), 61);
    Operand source = reads(desc.from, values);
    if (desc.source) {
        const Quantized first({.shape = desc.shape, .from = Dtype::BF16, .format = *desc.source}, values);
        source = {.before = first.stored()};
        for (std::int64_t i = 0; i < desc.shape.count(); ++i) values[at(i)] = first.number(i);
    }
    const Quantized expected(desc, values);
    const auto exact = [](Values numbers) { return Expected{.values = std::move(numbers), .limits = {0}, .options = kAnything}; };
    constexpr auto kBytesAsNumbers = wholeNumbers<std::uint8_t>;
    const Bytes stored = expected.stored();
    const QuantScale state = expected.state();
    const bool isStochastic = desc.rounding == Rounding::Stochastic;
    sink({.desc = desc,
          .inputs = inputs,
          .shape = std::to_string(desc.shape.rows) + "x" + std::to_string(desc.shape.cols),
          .layout = "from " + (desc.source ? blockShapeName(desc.source->block) : formatName(desc.from)) + " in " +
                    blockShapeName(desc.format.block) + ", " + ruleNameOf(desc.format) + (desc.isRotated ? ", rotated" : "") +
                    (isStochastic ? ", stochastic" : ""),
          .operands = {
              source,
              {.role = Role::Written, .before = Bytes(stored.size()), .decode = kBytesAsNumbers, .after = exact(kBytesAsNumbers(stored))},
              {.role = Role::Written, .before = bytesOf(state), .decode = factorsOf, .after = exact(factorsOf(bytesOf(state)))},
              isStochastic ? Operand{.before = bytesOf(StepScalars{.dropoutStep = kDropoutStep})} : absent()}});
}

/// The shapes of a format's blocks, and a whole row or column.
std::vector<MatrixShape> blocksFor(const BlockFormat& format, MatrixShape shape) {
    const auto usual = blockShapes(format);
    std::vector<MatrixShape> all(usual.begin(), usual.end());
    all.insert(all.end(), {{1, shape.cols}, {shape.rows, 1}});
    return all;
}

/// A format with each rule of its scales, or each dialect whose elements are rounded.
std::vector<BlockFormat> everyRule(BlockFormat format) {
    std::vector<BlockFormat> all;
    for (const ScaleRule rule : scaleRules(format)) all.push_back(withRule(format, rule));
    for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) {
        format.dialect = dialect;
        if (format.isNvfp4() && !format.isSearched()) all.push_back(format);
    }
    return all;
}

/// A format with each storage of its scales.
std::vector<BlockFormat> everyStorage(const BlockFormat& format) {
    std::vector<BlockFormat> all{format};
    const auto rules = scaleRules(format);
    if (std::find(rules.begin(), rules.end(), ScaleRule::Fp32) != rules.end()) all.push_back(withRule(format, ScaleRule::Fp32));
    return all;
}

/// Each shape of block from rows of the same format.
void requantizeCases(const BlockFormat& format, MatrixShape shape, Inputs inputs, const CaseSink& sink) {
    if (format.hasTensorScale()) return;
    for (const MatrixShape block : blocksFor(format, shape)) {
        QuantizeBlocksDesc desc{.shape = shape, .from = format.numbers(), .format = format, .source = format};
        desc.format.block = block;
        quantizeCase(desc, inputs, sink);
        desc.isRotated = true;
        quantizeCase(desc, inputs, sink);
    }
}

void quantizeCases(const BlockFormat& format, Extent extent, const CaseSink& sink) {
    for (const BlockFormat& each : everyRule(format)) {
        for (const Inputs inputs : kElementInputs) quantizeCase({.shape = {33, 70}, .format = each}, inputs, sink);
    }
    std::vector<MatrixShape> shapes{{1, 1}, {5, 33}, {32, 64}, {49, 130}};
    if (extent == Extent::Full) shapes.insert(shapes.end(), {{130, 257}, {3, 1500}, {16, 2048}});
    for (const MatrixShape shape : shapes) {
        for (const Inputs inputs : kElementInputs) {
            const bool isOfAll = extent == Extent::Full || (shape == MatrixShape{49, 130} && inputs == Inputs::Normal);
            const std::vector<BlockFormat> storages = isOfAll ? everyStorage(format) : std::vector<BlockFormat>{format};
            for (const BlockFormat& each : storages) {
                if (isOfAll) requantizeCases(each, shape, inputs, sink);
            }
            for (const Dtype from : {Dtype::BF16, Dtype::F32}) {
                for (const BlockFormat& each : storages) {
                    for (const MatrixShape block : blocksFor(format, shape)) {
                        QuantizeBlocksDesc desc{.shape = shape, .from = from, .format = each};
                        desc.format.block = block;
                        quantizeCase(desc, inputs, sink);
                        desc.isRotated = true;
                        quantizeCase(desc, inputs, sink);
                        desc.rounding = Rounding::Stochastic, desc.seed = kSeed, desc.firstElement = kFirstElement;
                        quantizeCase(desc, inputs, sink);
                    }
                }
            }
        }
    }
}

enum class LayerProduct : std::uint8_t { Forward, InputGrad, WeightGrad };

/// y = x w^T with both operands in blocks along the sum, dx = dy w or dw = dy^T x. `a`, `b`: formats with blocks along rows.
struct ProductCase {
    LayerProduct which = LayerProduct::Forward;
    MatrixShape result;
    std::int64_t k = 1;
    BlockFormat a{}, b{};
    bool hasSquareWeights = false;
    Dtype out = Dtype::BF16;
    Inputs inputs = Inputs::Normal;

    MatmulDesc desc() const {
        return {.m = result.rows,
                .n = result.cols,
                .k = k,
                .transposeA = which == LayerProduct::WeightGrad,
                .transposeB = which == LayerProduct::Forward,
                .hasBias = which == LayerProduct::Forward,
                .a = a.numbers(),
                .b = b.numbers(),
                .out = out,
                .compute = Dtype::BF16,
                .isScaled = true};
    }
    std::string layout() const {
        const char* const name = which == LayerProduct::Forward     ? "forward"
                                 : which == LayerProduct::InputGrad ? "input gradient"
                                                                    : "weight gradient";
        return name + std::string(hasSquareWeights ? ", square weights" : "") + (a.name == b.name ? "" : ", by " + std::string(b.name)) +
               (a.hasFp32Scales() ? ", fp32 scales" : "") + (out == Dtype::BF16 ? "" : " > " + formatName(out));
    }
};

void productCase(const ProductCase& c, const CaseSink& sink) {
    MatmulDesc d = c.desc();
    const std::int64_t k = c.k;
    const auto quantized = [&](const BlockFormat& format, std::int64_t rows, bool isTransposed, bool isSquare, unsigned seed) {
        const MatrixShape shape = isTransposed ? MatrixShape{k, rows} : MatrixShape{rows, k};
        QuantizeBlocksDesc desc{.shape = shape, .from = Dtype::BF16, .format = format};
        if (isTransposed) std::swap(desc.format.block.rows, desc.format.block.cols);
        if (isSquare) desc.format.block = {format.blockSize(), format.blockSize()};
        return Quantized(desc, elements(c.inputs, Dtype::BF16, at(shape.count()), seed));
    };
    const Quantized a = quantized(c.a, d.m, d.transposeA, false, 62), b = quantized(c.b, d.n, !d.transposeB, c.hasSquareWeights, 63);
    d.aBlocks = a.desc.format, d.bBlocks = b.desc.format;
    const Floats bias = elements(Inputs::Normal, d.out, at(d.n), 64);
    const float factor = a.state().inverse * b.state().inverse;
    const auto numbers = [](const Quantized& q) {
        Values all;
        for (std::int64_t i = 0; i < q.desc.shape.count(); ++i) all.push_back(wide(q.number(i)));
        return all;
    };
    const Values left = numbers(a), right = numbers(b);
    Values values, limits, narrowLimits;
    for (std::int64_t i = 0; i < d.m; ++i) {
        for (std::int64_t j = 0; j < d.n; ++j) {
            double sum = 0, magnitude = 0;
            for (std::int64_t t = 0; t < k; ++t) {
                const double term = left[at(d.transposeA ? t * d.m + i : i * k + t)] * right[at(d.transposeB ? j * k + t : t * d.n + j)];
                sum += term;
                magnitude += std::fabs(term);
            }
            const double added = d.hasBias ? wide(bias[at(j)]) : 0;
            values.push_back(sum * wide(factor) + added);
            limits.push_back(productLimit(d, magnitude * wide(factor), std::fabs(added), values.back()));
            narrowLimits.push_back(narrowSumLimit(d, magnitude * wide(factor), std::fabs(added), values.back()));
        }
    }
    const auto operand = [](const Quantized& q) { return Operand{.before = q.stored()}; };
    Case test{.desc = d,
              .inputs = c.inputs,
              .shape = std::to_string(d.m) + "x" + std::to_string(d.n) + "x" + std::to_string(k),
              .layout = c.layout(),
              .operands = {operand(a), operand(b)}};
    if (d.hasBias) test.operands.push_back(reads(d.out, bias));
    for (const Quantized* each : {&a, &b}) test.operands.push_back({.before = bytesOf(each->state())});
    CompareOptions options = optionsFor(values.size());
    if (c.inputs == Inputs::NonFinite) options.mayBeConstant = true;  // one NaN in a block takes its row or column
    Expected expected = within(d.out, std::move(values), std::move(limits), options);
    expected.nativeLimits = std::move(narrowLimits);
    test.operands.push_back(writes(d.out, std::move(expected)));
    sink(test);
}

/// Sizes of any kind; those that a GPU's own products of blocks take, with one tile of scales, and with several and incomplete ones; larger
/// ones.
constexpr std::tuple<MatrixShape, std::int64_t> kProductSizes[] = {{{1, 1}, 1},      {{17, 33}, 40},    {{32, 48}, 64},   {{144, 32}, 160},
                                                                   {{130, 70}, 257}, {{200, 300}, 160}, {{144, 160}, 672}};

void productCases(const BlockFormat& format, Extent extent, const CaseSink& sink) {
    const auto e4m3 = blockFormatFromName(std::string(format.name.substr(0, format.name.rfind('_'))) + "_e4m3");
    const auto sizes = std::span(kProductSizes).first(extent == Extent::Full ? std::size(kProductSizes) : 4);
    for (const auto& [result, k] : sizes) {
        for (const BlockFormat& stored : everyStorage(format)) {
            for (const LayerProduct which : {LayerProduct::Forward, LayerProduct::InputGrad, LayerProduct::WeightGrad}) {
                const ProductCase each{.which = which, .result = result, .k = k, .a = stored, .b = stored};
                productCase(each, sink);
                if (k != 64) continue;
                ProductCase other = each;
                other.out = Dtype::F32;
                productCase(other, sink);
                other = each;
                other.inputs = Inputs::NonFinite;
                productCase(other, sink);
            }
        }
        if (k < 64) continue;
        for (const BlockFormat& stored : everyStorage(format))
            productCase({.result = result, .k = k, .a = stored, .b = stored, .hasSquareWeights = true}, sink);
        productCase(
            {.which = LayerProduct::InputGrad, .result = result, .k = k, .a = format, .b = e4m3.value_or(format), .hasSquareWeights = true},
            sink);
    }
}

}  // namespace

void addBlockFormats(std::vector<Check>& checks) {
    for (const BlockFormat& format : blockFormats()) {
        const std::string name(format.name);
        checks.push_back(
            {"quantize to", format.element, name, [=](Extent extent, const CaseSink& sink) { quantizeCases(format, extent, sink); }});
        checks.push_back({"matmul", format.element, name, std::bind_front(productCases, format)});
    }
}

}  // namespace mantissa::conformance
