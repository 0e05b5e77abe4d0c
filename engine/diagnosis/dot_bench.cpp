// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/dot_bench.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/diagnosis/number_bits.h"
#include "kernels/dtype/tensor_core.h"

namespace mantissa {
namespace {

constexpr double kLargeTerm = 256, kSmallTerms = 1.0 / 16;  // half a gap of fp16 at 256 is 1/8: adding a single small term has no effect

/// In the open interval (0, 1), with 24 bits.
double unitNumber(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
    return (randomBits(seed, RandomUse::SyntheticData, stream, index) >> 8) * 0x1p-24 + 0x1p-25;
}

/// The first number of a Box-Muller pair.
double normalNumber(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
    const double radius = std::sqrt(-2 * std::log(unitNumber(seed, stream, 2 * index)));
    return radius * std::cos(2 * std::numbers::pi * unitNumber(seed, stream, 2 * index + 1));
}

int minExponentOf(Dtype dtype) {
    return static_cast<int>(std::lround(std::log2(facts(dtype).minNormal)));
}

/// Adds in one format and rounds each sum; the index selects the random bits of an addition.
class Adder {
public:
    explicit Adder(const SumWay& way) : m_way(way) {}
    float add(float a, float b) { return rounded(a + b); }
    float rounded(float value) {
        return m_way.format == Dtype::F32 ? value : decodeBits(m_way.format, encodeBits(m_way.format, value, m_way.rounding, m_index++));
    }

private:
    const SumWay& m_way;
    std::uint64_t m_index = 0;
};

float productAt(const DotInput& input, int i) {
    return input.a[static_cast<std::size_t>(i)] * input.b[static_cast<std::size_t>(i)];
}

float sumInOrder(const DotInput& input, int from, int to, Adder& adder) {
    float sum = 0;
    for (int i = from; i < to; ++i) sum = adder.add(sum, productAt(input, i));
    return sum;
}

float sumInPairs(const DotInput& input, int from, int to, Adder& adder) {
    if (to - from == 1) return adder.rounded(productAt(input, from));
    const int middle = from + (to - from) / 2;
    const float left = sumInPairs(input, from, middle, adder);
    return adder.add(left, sumInPairs(input, middle, to, adder));
}

float sumKahan(const DotInput& input, int length, Adder& adder) {
    float sum = 0, lost = 0;
    for (int i = 0; i < length; ++i) {
        const float term = adder.add(productAt(input, i), -lost);
        const float next = adder.add(sum, term);
        lost = adder.add(adder.add(next, -sum), -term);
        sum = next;
    }
    return sum;
}

float sumOnCore(const DotInput& input, int from, int to, const FusedDot& model) {
    const int minExponent = minExponentOf(input.format);
    float sum = 0;
    for (int i = from; i < to; i += model.terms) {
        const auto at = static_cast<std::size_t>(i);
        sum = fusedDotAdd(model, &input.a[at], 1, minExponent, &input.b[at], 1, minExponent, std::min(model.terms, to - i), sum);
    }
    return sum;
}

/// Shewchuk's expansion (Discrete & Computational Geometry 18, 1997): nonoverlapping numbers with an exact sum.
class ExactSum {
public:
    void add(double x) {
        std::size_t kept = 0;
        for (double part : m_parts) {
            if (std::abs(x) < std::abs(part)) std::swap(x, part);
            const double sum = x + part, low = part - (sum - x);
            if (low != 0) m_parts[kept++] = low;
            x = sum;
        }
        m_parts.resize(kept);
        m_parts.push_back(x);
    }
    double value() const {
        double sum = 0;
        for (const double part : m_parts) sum += part;  // the smallest first
        return sum;
    }

private:
    std::vector<double> m_parts;
};

}  // namespace

DotInput dotInput(DotValues values, Dtype format, int length, std::uint64_t seed) {
    DotInput input{format, {}, {}};
    const auto pair = [&](int i) -> std::pair<double, double> {
        const auto index = static_cast<std::uint64_t>(i);
        switch (values) {
            case DotValues::Normal:
                return {normalNumber(seed, 0, index), normalNumber(seed, 1, index)};
            case DotValues::Uniform:
                return {unitNumber(seed, 0, index), unitNumber(seed, 1, index)};
            case DotValues::OneLarge:
                return {i == 0 ? kLargeTerm : kSmallTerms * unitNumber(seed, 0, index), 1};
            case DotValues::Alternating:
                break;
        }
        return {(i % 2 == 0 ? 1 : -1) * (1 + unitNumber(seed, 0, index)), 1 + unitNumber(seed, 1, index)};
    };
    for (int i = 0; i < length; ++i) {
        const auto [a, b] = pair(i);
        input.a.push_back(roundTo(format, static_cast<float>(a)));
        input.b.push_back(roundTo(format, static_cast<float>(b)));
    }
    return input;
}

std::string whyNoSum(const SumWay& way, Dtype input) {
    if (way.order != SumOrder::TensorCore && way.order != SumOrder::Promoted) return "";
    const auto model = fusedDot(way.core, input);
    if (!model) return "no tensor core of this kind multiplies " + std::string(facts(input).screenName);
    return whyNoSums(way.core, input, way.order == SumOrder::Promoted ? way.chunk : 0);
}

float dotOf(const DotInput& input, int length, const SumWay& way) {
    if (length == 0) return 0;
    Adder adder(way);
    switch (way.order) {
        case SumOrder::InOrder:
            return sumInOrder(input, 0, length, adder);
        case SumOrder::Chunked: {
            float sum = 0;
            for (int i = 0; i < length; i += way.chunk) sum = adder.add(sum, sumInOrder(input, i, std::min(length, i + way.chunk), adder));
            return sum;
        }
        case SumOrder::Pairwise:
            return sumInPairs(input, 0, length, adder);
        case SumOrder::Kahan:
            return sumKahan(input, length, adder);
        case SumOrder::TensorCore:
        case SumOrder::Promoted:
            break;
    }
    const auto model = fusedDot(way.core, input.format);
    if (!model) return std::nanf("");
    if (way.order == SumOrder::TensorCore) return sumOnCore(input, 0, length, *model);
    float sum = 0;
    for (int i = 0; i < length; i += way.chunk) sum += sumOnCore(input, i, std::min(length, i + way.chunk), *model);
    return sum;
}

std::vector<double> exactDots(const DotInput& input, const std::vector<int>& lengths) {
    std::vector<double> dots;
    ExactSum sum;
    int done = 0;
    for (const int length : lengths) {
        for (; done < length; ++done) {
            const auto at = static_cast<std::size_t>(done);
            sum.add(static_cast<double>(input.a[at]) * static_cast<double>(input.b[at]));  // 48 bits: exact
        }
        dots.push_back(sum.value());
    }
    return dots;
}

std::vector<int> dotLengths(int length) {
    std::vector<int> lengths;
    for (int quarter = 0;; ++quarter) {
        const int each = static_cast<int>(std::lround(std::exp2(quarter / 4.0)));
        if (each >= length) break;
        if (lengths.empty() || each != lengths.back()) lengths.push_back(each);
    }
    lengths.push_back(length);
    return lengths;
}

DotError dotError(int length, float result, double exact, Dtype unit) {
    DotError found{.length = length, .result = result, .exact = exact, .error = static_cast<double>(result) - exact};
    found.ulps = std::isfinite(found.error) ? std::abs(found.error) / ulpAt(facts(unit), exact) : std::nan("");
    found.relative = found.error == 0 ? 0 : exact == 0 ? std::nan("") : std::abs(found.error / exact);
    return found;
}

std::vector<DotError> dotErrors(const DotInput& input, const std::vector<int>& lengths, const SumWay& way) {
    const std::vector<double> exact = exactDots(input, lengths);
    std::vector<DotError> errors;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        errors.push_back(dotError(lengths[i], dotOf(input, lengths[i], way), exact[i], way.format));
    return errors;
}

}  // namespace mantissa
