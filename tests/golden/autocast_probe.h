// SPDX-License-Identifier: Apache-2.0
// Operations that stand for several of PyTorch's round more than once. The formats of a plan do not show that, so the plan's own
// instruction runs on the CPU and its numbers are compared with PyTorch's operations, each rounded as the trace has it.
#pragma once

#include <cmath>
#include <functional>
#include <numeric>

#include "engine/plan/plan.h"
#include "kernels/conformance/guarded_buffer.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::test {

/// An instruction that ran: each operand before and after it.
struct Ran {
    std::vector<std::vector<double>> before, after;
    std::vector<Shape> shapes;
    Dtype low = Dtype::F16;
    double lossGrad = 0, labelSmoothing = 0;
    double round(double x) const {
        const float value = static_cast<float>(x);
        return conformance::valuesOf(low, conformance::stored(low, {&value, 1}))[0];
    }
};

inline Ran runOf(const Plan& plan, const Instruction& instruction, Backend& backend, Dtype low, double labelSmoothing) {
    Ran ran{.low = low, .lossGrad = 1000, .labelSmoothing = labelSmoothing};
    std::vector<std::vector<std::byte>> memory;
    std::vector<void*> pointers;  // a null operand, which is the last one, stays null
    std::int64_t classes = 1;
    std::uint32_t random = 1;
    for (const int operand : instruction.operands) {
        if (operand < 0) continue;
        const Buffer& buffer = plan.buffers[static_cast<std::size_t>(operand)];
        std::vector<std::byte> bytes(static_cast<std::size_t>(std::max(buffer.bytes, std::int64_t{64})));
        std::vector<double> values(static_cast<std::size_t>(buffer.shape.empty() ? 0 : elementCount(buffer.shape)));
        if (buffer.dtype) {
            std::vector<float> drawn;
            for (std::size_t i = 0; i < values.size(); ++i) {
                random = random * 1664525u + 1013904223u;
                drawn.push_back(static_cast<float>(random >> 8) / 4194304.0f - 2.0f);  // from -2 to 2
            }
            const auto storedBytes = conformance::stored(*buffer.dtype, drawn);
            std::copy_n(storedBytes.begin(), storedBytes.size(), bytes.begin());
            values = conformance::valuesOf(*buffer.dtype, storedBytes);
            classes = buffer.shape.empty() ? classes : buffer.shape.back();
        } else if (operand == plan.scalars) {
            reinterpret_cast<StepScalars*>(bytes.data())->lossGrad = static_cast<float>(ran.lossGrad);
        } else {
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = static_cast<double>(static_cast<std::int64_t>(i) % classes);
                reinterpret_cast<std::int32_t*>(bytes.data())[i] = static_cast<std::int32_t>(values[i]);
            }
        }
        memory.push_back(std::move(bytes)), ran.before.push_back(std::move(values)), ran.shapes.push_back(buffer.shape);
    }
    for (auto& bytes : memory) pointers.push_back(bytes.data());
    pointers.resize(instruction.operands.size());
    const auto queue = backend.createQueue();
    backend.prepare(instruction.operation)->enqueue(*queue, pointers);
    queue->wait();
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const Buffer& buffer = plan.buffers[static_cast<std::size_t>(instruction.operands[i])];
        ran.after.push_back(ran.before[i]);
        if (!buffer.dtype) continue;
        const auto width = facts(*buffer.dtype).storageBytes() * ran.before[i].size();
        ran.after.back() = conformance::valuesOf(*buffer.dtype, std::span(memory[i]).first(width));
    }
    return ran;
}

/// fp32's own last bits, which depend on the order of sums, may move one number in fifty over a rounding boundary.
inline bool agree(const std::vector<double>& actual, const std::vector<double>& expected) {
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    std::size_t equal = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) equal += std::abs(actual[i] - expected[i]) <= 1e-6 * largest;
    return actual.size() == expected.size() && equal * 50 >= actual.size() * 49;
}

inline double sigmoidOf(double x) {
    return 1 / (1 + std::exp(-x));
}

inline bool swiGluRounds(const Ran& r) {
    std::vector<double> expected;
    for (std::size_t i = 0; i < r.before[0].size(); ++i) {
        const double gate = r.before[0][i];
        expected.push_back(r.round(r.round(gate * sigmoidOf(gate)) * r.before[1][i]));
    }
    return agree(r.after[2], expected);
}

inline bool swiGluGradRounds(const Ran& r) {
    std::vector<double> gradGate, gradUp;
    for (std::size_t i = 0; i < r.before[0].size(); ++i) {
        const double g = r.before[0][i], gate = r.before[1][i], up = r.before[2][i], s = sigmoidOf(gate);
        gradUp.push_back(r.round(g * r.round(gate * s)));
        gradGate.push_back(r.round(r.round(g * up) * s * (1 + gate * (1 - s))));
    }
    return agree(r.after[3], gradGate) && agree(r.after[4], gradUp);
}

inline bool rotaryGradRounds(const Ran& r, std::int64_t heads, std::int64_t length) {
    const auto width = r.shapes[0].back(), dim = width / heads, half = dim / 2;
    const std::vector<double>& g = r.before[0];
    std::vector<double> expected(g.size());
    for (std::size_t at = 0; at < g.size(); ++at) {
        const auto i = static_cast<std::int64_t>(at), column = i % dim, pair = column % half;
        const double angle =
            static_cast<double>(i / width % length) * std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(dim));
        const double other = g[static_cast<std::size_t>(column < half ? i + half : i - half)] * (column < half ? 1 : -1);
        expected[at] = r.round(r.round(g[at] * std::cos(angle)) + r.round(other * std::sin(angle)));
    }
    return agree(r.after[1], expected);
}

/// Log-probabilities of each row, in the format of the logits.
inline std::vector<double> logProbabilities(const Ran& r) {
    const auto classes = static_cast<std::size_t>(r.shapes[0].back());
    std::vector<double> result;
    for (std::size_t row = 0; row < r.before[0].size(); row += classes) {
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) sum += std::exp(r.before[0][row + c]);
        for (std::size_t c = 0; c < classes; ++c) result.push_back(r.round(r.before[0][row + c] - std::log(sum)));
    }
    return result;
}

inline bool crossEntropyRounds(const Ran& r) {
    const std::vector<double> logs = logProbabilities(r);
    const double classes = static_cast<double>(r.shapes[0].back()), rows = static_cast<double>(logs.size()) / classes;
    double chosen = 0;
    for (std::size_t row = 0; row < r.before[1].size(); ++row)
        chosen -= logs[row * static_cast<std::size_t>(classes) + static_cast<std::size_t>(r.before[1][row])];
    const double all = -std::accumulate(logs.begin(), logs.end(), 0.0);
    const double expected = ((1 - r.labelSmoothing) * chosen + r.labelSmoothing / classes * all) / rows;
    return agree({r.after[2][0]}, {expected});
}

inline bool crossEntropyGradRounds(const Ran& r) {
    const std::vector<double> logs = logProbabilities(r);
    const auto classes = static_cast<std::size_t>(r.shapes[0].back());
    const double share = r.lossGrad / static_cast<double>(logs.size() / classes);
    const double others = r.round(-share * r.labelSmoothing / static_cast<double>(classes));
    const double chosen = r.round(r.round(-share * (1 - r.labelSmoothing)) + others);
    const double sum = chosen + others * static_cast<double>(classes - 1);
    std::vector<double> expected;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const bool isLabel = static_cast<double>(i % classes) == r.before[1][i / classes];
        expected.push_back(r.round((isLabel ? chosen : others) - std::exp(logs[i]) * sum));
    }
    return agree(r.after[3], expected);
}

}  // namespace mantissa::test
