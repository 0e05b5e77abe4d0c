// SPDX-License-Identifier: Apache-2.0
// The three products of a linear layer under each block policy, against a scalar reference in double: y, dx and dw of the second layer of
// an MLP, from the x, w and dy that the step had. The reference follows the definitions of kernels/dtype/block_scaling.h and hadamard.h: a
// number is rounded by a search in the list of its format's numbers.
//
// Limits: codes and scales are exact, so what remains is the fp32 sum's bound, with its factors, and one rounding to bf16 (productLimit).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "engine/training/trainer.h"
#include "kernels/conformance/compare.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa {
namespace {

/// The numbers of a format that are not negative, by code.
std::vector<double> numbersOf(int exponentBits, int fractionBits, double largest) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    std::vector<double> numbers;
    for (int code = 0; numbers.empty() || numbers.back() < largest; ++code) {
        const int exponent = code >> fractionBits, fraction = code & ((1 << fractionBits) - 1);
        const double significand = std::ldexp(fraction, -fractionBits) + (exponent > 0 ? 1 : 0);
        numbers.push_back(std::ldexp(significand, std::max(exponent, 1) - bias));
    }
    return numbers;
}

/// The nearest number, of two the one with the even code; numbers above the largest become the largest.
double nearest(const std::vector<double>& numbers, double x) {
    const double magnitude = std::min(std::abs(x), numbers.back());
    const auto above = static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), magnitude) - numbers.begin());
    if (above == 0) return std::copysign(0.0, x);
    const double toLower = magnitude - numbers[above - 1], toUpper = numbers[above] - magnitude;
    const bool takesUpper = toUpper < toLower || (toUpper == toLower && above % 2 == 0);
    return std::copysign(numbers[takesUpper ? above : above - 1], x);
}

struct ElementFormat {
    int exponentBits = 4, fractionBits = 3;
    double largest = 448;
};
constexpr ElementFormat kE4m3{}, kE5m2{5, 2, 57344}, kE2m3{2, 3, 7.5}, kE3m2{3, 2, 28}, kE2m1{2, 1, 6};

struct BlockProductCase {
    const char *name, *policy;
    ElementFormat element, gradient;
    std::int64_t blockSize = 32;  // 0: whole rows and columns
    std::string scales = "round-up";
    bool hasSquareWeights = false, rotates = false;
    BlockSettings blocks = {};
};

void PrintTo(const BlockProductCase& c, std::ostream* out) {
    *out << c.name;
}

float bf16(float x) {
    return roundTo(Dtype::BF16, x);
}

/// A row-major matrix.
struct Matrix {
    std::int64_t rows = 0, cols = 0;
    std::vector<float> values;
    float& at(std::int64_t row, std::int64_t col) { return values[static_cast<std::size_t>(row * cols + col)]; }
    float at(std::int64_t row, std::int64_t col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
};

/// Each 16 rows are multiplied by diag(s) H / 4 from the left, transposed: H(i, j) = (-1)^(number of common bits of i and j). Sums of 16
/// numbers of bf16 are rounded to bf16 at once.
Matrix rotated(const Matrix& x) {
    constexpr int kSigns[16] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
    Matrix y = x;
    for (std::int64_t first = 0; first + 16 <= x.rows; first += 16) {
        for (std::int64_t col = 0; col < x.cols; ++col) {
            for (int i = 0; i < 16; ++i) {
                double sum = 0;
                for (int j = 0; j < 16; ++j)
                    sum += (__builtin_parity(static_cast<unsigned>(i & j)) != 0 ? -1 : 1) * kSigns[j] *
                           static_cast<double>(x.at(first + j, col));
                y.at(first + i, col) = bf16(static_cast<float>(sum / 4));
            }
        }
    }
    return y;
}

/// A matrix in a block format: elements times scales, and the factor of all of them.
struct Numbers {
    std::int64_t rows = 0, cols = 0;
    std::vector<double> values;
    float factor = 1;
    double at(std::int64_t row, std::int64_t col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
};

int mxExponent(const std::string& rule, const ElementFormat& element, float a) {
    const auto M = static_cast<float>(element.largest);
    if (rule == "power-of-two") return a == 0 ? 0 : -std::ilogb(std::min(M / a, std::numeric_limits<float>::max()));
    if (a == 0) return -127;
    if (rule == "round-up" || rule == "rceil") {
        const float ratio = a * (1 / M);
        const int e = std::ilogb(ratio);
        return std::max(-127, static_cast<double>(ratio) > std::ldexp(1.0, e) ? e + 1 : e);
    }
    const int emax = std::ilogb(element.largest), exponent = std::ilogb(a);
    const double significand = std::ldexp(static_cast<double>(a), -exponent);
    int e = exponent - emax;
    if (rule == "ceil" && significand > 1) ++e;
    if (rule == "even" && significand >= 2 - std::ldexp(1.0, -element.fractionBits - 1)) ++e;
    return std::max(-127, e);
}

Numbers quantized(const Matrix& x, const ElementFormat& element, const std::string& scales, std::int64_t blockRows,
                  std::int64_t blockCols) {
    const std::vector<double> elements = numbersOf(element.exponentBits, element.fractionBits, element.largest),
                              e4m3 = numbersOf(4, 3, 448);
    const bool isNvfp4 = scales == "te" || scales == "exact" || scales == "torchao-inference";
    Numbers result{x.rows, x.cols, std::vector<double>(x.values.size())};
    float A = 0;
    for (const float v : x.values) A = std::max(A, std::abs(v));
    float S = std::min(2688 / A, std::numeric_limits<float>::max());
    if (A == 0) S = 1;
    if (scales == "torchao-inference") S = A / 2688;
    if (isNvfp4) result.factor = scales == "torchao-inference" ? S : 1 / S;
    for (std::int64_t top = 0; top < x.rows; top += blockRows) {
        for (std::int64_t left = 0; left < x.cols; left += blockCols) {
            const std::int64_t bottom = std::min(x.rows, top + blockRows), right = std::min(x.cols, left + blockCols);
            float a = 0;
            for (std::int64_t row = top; row < bottom; ++row) {
                for (std::int64_t col = left; col < right; ++col) a = std::max(a, std::abs(x.at(row, col)));
            }
            float s = 1;
            if (scales == "te") s = std::min(a * (S * (1 / 6.0f)), 448.0f);
            if (scales == "exact") s = std::min(a * S / 6, 448.0f);
            if (scales == "torchao-inference") s = std::clamp(a / 6 / S, 0x1p-6f, 448.0f);
            s = static_cast<float>(nearest(e4m3, static_cast<double>(s)));
            const float factor = a == 0 ? 1 : static_cast<float>(element.largest) / a, inverse = 1 / factor;  // of fp32 scales
            const double X = isNvfp4            ? static_cast<double>(s)
                             : scales == "fp32" ? static_cast<double>(inverse)
                                                : std::ldexp(1.0, mxExponent(scales, element, a));
            for (std::int64_t row = top; row < bottom; ++row) {
                for (std::int64_t col = left; col < right; ++col) {
                    const float v = x.at(row, col);
                    double scaled = static_cast<double>(v) / X;
                    if (scales == "te") scaled = static_cast<double>(v * std::min(1 / (s * (1 / S)), std::numeric_limits<float>::max()));
                    if (scales == "exact") scaled = s == 0 ? 0 : static_cast<double>(v * S / s);
                    if (scales == "torchao-inference") scaled = static_cast<double>(v * (1 / S / s));
                    if (scales == "fp32") scaled = static_cast<double>(v * factor);
                    const double number = nearest(elements, scaled) * X;
                    result.values[static_cast<std::size_t>(row * x.cols + col)] =
                        scales == "fp32" ? static_cast<double>(static_cast<float>(number)) : number;
                }
            }
        }
    }
    return result;
}

/// The numbers as a bf16 tensor.
Matrix inBf16(const Numbers& x) {
    Matrix result{x.rows, x.cols, {}};
    for (const double v : x.values) result.values.push_back(bf16(static_cast<float>(v)));
    return result;
}

/// Which operand of which product, in blocks along the product's sum.
struct Operands {
    const BlockProductCase& c;

    Numbers along(const Matrix& x, bool sumsRows, const ElementFormat& element) const {
        const std::int64_t length = c.blockSize > 0 ? c.blockSize : sumsRows ? x.rows : x.cols;
        return sumsRows ? quantized(x, element, c.scales, length, 1) : quantized(x, element, c.scales, 1, length);
    }
    Numbers weight(const Matrix& w, bool sumsRows) const {
        return c.hasSquareWeights ? quantized(w, c.element, c.scales, c.blockSize, c.blockSize) : along(w, sumsRows, c.element);
    }
};

struct Product {
    std::vector<double> values, limits;
};

/// Sums over the columns of `a`, or over its rows, and the same of `b`.
Product product(const Numbers& a, bool sumsRowsOfA, const Numbers& b, bool sumsRowsOfB, const std::vector<float>& bias = {}) {
    const std::int64_t m = sumsRowsOfA ? a.cols : a.rows, k = sumsRowsOfA ? a.rows : a.cols, n = sumsRowsOfB ? b.cols : b.rows;
    const MatmulDesc desc{.m = m, .n = n, .k = k, .hasBias = !bias.empty(), .out = Dtype::BF16, .isScaled = true};
    const auto factor = static_cast<double>(a.factor * b.factor);
    Product result;
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0, magnitudes = 0;
            for (std::int64_t t = 0; t < k; ++t) {
                const double term = (sumsRowsOfA ? a.at(t, i) : a.at(i, t)) * (sumsRowsOfB ? b.at(t, j) : b.at(j, t));
                sum += term;
                magnitudes += std::abs(term);
            }
            const double added = bias.empty() ? 0 : static_cast<double>(bf16(bias[static_cast<std::size_t>(j)]));
            result.values.push_back(sum * factor + added);
            result.limits.push_back(conformance::productLimit(desc, magnitudes * factor, added, result.values.back()));
        }
    }
    return result;
}

struct LayerSize {
    std::int64_t rows, in, out;
};

/// The tensors of a step by name, each as it was written last.
std::map<std::string, std::vector<float>> tensorsOfAStep(Trainer& trainer) {
    std::map<std::string, std::vector<float>> all;
    const Plan& plan = trainer.plan();
    const Trainer::Observer observer{.at = [&](Executor& executor, Queue& queue, std::int64_t, int buffer, const ElementClasses&) {
        const Buffer& written = plan.buffers[static_cast<std::size_t>(buffer)];
        if (written.dtype) all[written.name] = executor.values(queue, buffer);
    }};
    trainer.tryStep(&observer);
    return all;
}

class BlockProducts : public testing::TestWithParam<std::tuple<BlockProductCase, LayerSize>> {
protected:
    const BlockProductCase& c = std::get<0>(GetParam());
    const LayerSize size = std::get<1>(GetParam());

    /// Normal weights with rows and columns of other magnitudes, so that the shapes of blocks matter.
    std::unique_ptr<Trainer> trainer() const {
        TrainingSettings settings;
        settings.model.hidden = {size.in, size.out};
        settings.data = {.name = "digits", .batchSize = size.rows, .order = "sequential"};
        settings.precision = {.policy = c.policy, .overrides = {}, .blocks = c.blocks};
        const auto dataset = loadDataset(settings.data);
        const std::shared_ptr<Backend> backend = createCpuBackend();
        std::vector<NamedTensor> initial = Trainer(settings, dataset, backend).weights();
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        for (NamedTensor& tensor : initial) {
            const auto cols = static_cast<std::size_t>(tensor.shape[tensor.shape.size() - 1]);
            std::vector<float> ofRow(tensor.values.size() / cols), ofCol(cols);
            for (std::vector<float>* powers : {&ofRow, &ofCol}) {
                for (float& p : *powers) p = std::exp2(2 * normal(random));
            }
            for (std::size_t i = 0; i < tensor.values.size(); ++i)
                tensor.values[i] = normal(random) * ofRow[i / cols] * ofCol[i % cols] / std::sqrt(static_cast<float>(cols));
        }
        return std::make_unique<Trainer>(settings, dataset, backend, &initial);
    }
};

TEST_P(BlockProducts, AreTheDefinitions) {
    const auto run = trainer();
    const std::vector<NamedTensor> weights = run->weights();
    const auto weightsOf = [&](const std::string& name) {
        return std::find_if(weights.begin(), weights.end(), [&](const NamedTensor& t) { return t.name == name; })->values;
    };
    auto all = tensorsOfAStep(*run);
    const Matrix x{size.rows, size.in, all.at("activations.0.output")}, dy{size.rows, size.out, all.at("layers.1.output.grad")};
    Matrix w{size.out, size.in, weightsOf("layers.1.weight")};
    for (float& v : w.values) v = bf16(v);
    const Operands operands{c};
    const auto expect = [&](const std::string& tensor, const Product& expected) {
        SCOPED_TRACE(tensor);
        const conformance::Comparison comparison =
            conformance::compare(conformance::toDouble(all.at(tensor)), expected.values, expected.limits);
        EXPECT_TRUE(comparison) << comparison;
        RecordProperty(tensor, std::to_string(comparison.margin));
    };
    expect("layers.1.output",
           product(operands.along(x, false, c.element), false, operands.weight(w, false), false, weightsOf("layers.1.bias")));
    expect("activations.0.output.grad", product(operands.along(dy, false, c.gradient), false, operands.weight(w, true), true));
    const Matrix source = c.blocks.requantizesInput ? inBf16(operands.along(x, false, c.element)) : x;
    const Numbers dyOfRows = operands.along(c.rotates ? rotated(dy) : dy, true, c.gradient),
                  xOfRows = operands.along(c.rotates ? rotated(source) : source, true, c.element);
    expect("layers.1.weight.grad", product(dyOfRows, true, xOfRows, true));
}

std::vector<BlockProductCase> blockProductCases() {
    const auto mx = [](const char* name, ScaleRule rule) {
        return BlockProductCase{name, "mxfp8", kE4m3, kE4m3, 32, std::string(scaleRuleName(rule)), false, false, {.scaleRule = rule}};
    };
    return {
        {"fp8_block", "fp8-block", kE4m3, kE4m3, 128, "power-of-two", true},
        {"fp8_block_e5m2", "fp8-block", kE4m3, kE5m2, 128, "power-of-two", true, false, {.gradients = "e5m2"}},
        {"fp8_block_unsquare", "fp8-block", kE4m3, kE4m3, 128, "power-of-two", false, false, {.hasSquareWeights = false}},
        {"fp8_block_fp32", "fp8-block", kE4m3, kE4m3, 128, "fp32", true, false, {.scaleRule = ScaleRule::Fp32}},
        {"fp8_block_fp32_e5m2",
         "fp8-block",
         kE4m3,
         kE5m2,
         128,
         "fp32",
         false,
         false,
         {.scaleRule = ScaleRule::Fp32, .gradients = "e5m2", .hasSquareWeights = false}},
        {"fp8_block_requantised", "fp8-block", kE4m3, kE4m3, 128, "power-of-two", true, false, {.requantizesInput = true}},
        {"fp8_block_fp32_requantised",
         "fp8-block",
         kE4m3,
         kE4m3,
         128,
         "fp32",
         true,
         false,
         {.scaleRule = ScaleRule::Fp32, .requantizesInput = true}},
        {"fp8_rowwise", "fp8-rowwise", kE4m3, kE4m3, 0, "power-of-two"},
        {"fp8_rowwise_fp32", "fp8-rowwise", kE4m3, kE4m3, 0, "fp32", false, false, {.scaleRule = ScaleRule::Fp32}},
        {"fp8_rowwise_requantised", "fp8-rowwise", kE4m3, kE4m3, 0, "power-of-two", false, false, {.requantizesInput = true}},
        {"mxfp8_requantised", "mxfp8", kE4m3, kE4m3, 32, "round-up", false, false, {.requantizesInput = true}},
        {"mxfp8_requantised_rotated", "mxfp8", kE4m3, kE4m3, 32, "round-up", false, true, {.rotates = true, .requantizesInput = true}},
        {"mxfp8", "mxfp8", kE4m3, kE4m3},
        {"mxfp8_e5m2", "mxfp8", kE4m3, kE5m2, 32, "round-up", false, false, {.gradients = "e5m2"}},
        {"mxfp8_square", "mxfp8", kE4m3, kE4m3, 32, "round-up", true, false, {.hasSquareWeights = true}},
        mx("mxfp8_floor", ScaleRule::Floor),
        mx("mxfp8_rceil", ScaleRule::Rceil),
        mx("mxfp8_ceil", ScaleRule::Ceil),
        mx("mxfp8_even", ScaleRule::Even),
        {"mxfp6", "mxfp6", kE2m3, kE2m3},
        {"mxfp6_e3m2", "mxfp6", kE2m3, kE3m2, 32, "round-up", false, false, {.gradients = "e3m2"}},
        {"mxfp4", "mxfp4", kE2m1, kE2m1},
        {"mxfp4_rotated", "mxfp4", kE2m1, kE2m1, 32, "round-up", false, true, {.rotates = true}},
        {"nvfp4", "nvfp4", kE2m1, kE2m1, 16, "te", true, true, {.roundsStochastically = false}},
        {"nvfp4_unsquare", "nvfp4", kE2m1, kE2m1, 16, "te", false, true, {.hasSquareWeights = false, .roundsStochastically = false}},
        {"nvfp4_unrotated", "nvfp4", kE2m1, kE2m1, 16, "te", true, false, {.rotates = false, .roundsStochastically = false}},
        {"nvfp4_exact", "nvfp4", kE2m1, kE2m1, 16, "exact", true, true, {.dialect = Nvfp4Dialect::Exact, .roundsStochastically = false}},
        {"nvfp4_torchao",
         "nvfp4",
         kE2m1,
         kE2m1,
         16,
         "torchao-inference",
         true,
         true,
         {.dialect = Nvfp4Dialect::TorchaoInference, .roundsStochastically = false}}};
}

// Blocks that do not divide; sides above 1024, up to which a kernel may take a row at once; blocks of 128 that are whole.
const LayerSize kLayerSizes[] = {{33, 40, 70}, {1100, 24, 20}, {6, 1100, 36}, {7, 30, 1090}, {144, 160, 130}};

INSTANTIATE_TEST_SUITE_P(Sizes, BlockProducts, testing::Combine(testing::ValuesIn(blockProductCases()), testing::ValuesIn(kLayerSizes)),
                         [](const auto& testCase) {
                             const LayerSize size = std::get<1>(testCase.param);
                             return std::string(std::get<0>(testCase.param).name) + "_" + std::to_string(size.rows) + "x" +
                                    std::to_string(size.in) + "x" + std::to_string(size.out);
                         });

}  // namespace
}  // namespace mantissa
