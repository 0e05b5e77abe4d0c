// SPDX-License-Identifier: Apache-2.0
#include "engine/training/batch_invariance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "engine/plan/executor.h"
#include "kernels/backend.h"

namespace mantissa {
namespace {

constexpr std::int64_t kElementsPerSample = 16;  // a tensor core's operation has at most so many terms; in fp8 twice as many

/// A model's forward pass on `rows` windows of tokens.
class ForwardPass {
public:
    ForwardPass(const TrainingSettings& settings, const Dataset& dataset, const Policy& policy, Backend& backend,
                std::span<const float> weights, std::int64_t rows)
        : m_context(dataset.tokens.context), m_backend(backend), m_queue(backend.createQueue()) {
        m_plan = lowerGraph(buildModel(settings.model, rows, shapeOf(dataset)), policy, backend, {.isTraining = false});
        layOut(m_plan);
        ArenaPointers arenas{};
        for (std::size_t i = 0; i < kArenaCount; ++i) {
            const auto arena = static_cast<Arena>(i);
            const bool isSamples = arena == Arena::Inputs || arena == Arena::Labels;
            const std::int64_t bytes =
                isSamples ? rows * m_context * static_cast<std::int64_t>(sizeof(std::int32_t)) : m_plan.bytesOf(arena);
            if (bytes == 0) continue;
            m_arenas[i] = DeviceMemory(backend, bytes, "a forward pass");
            backend.fillZero(*m_queue, m_arenas[i].data(), static_cast<std::size_t>(bytes));
            arenas[i] = m_arenas[i].data();
        }
        m_executor = std::make_unique<Executor>(m_plan, backend, arenas);
        writeWeights(weights);
        std::vector<std::int32_t> first(static_cast<std::size_t>(rows));
        for (std::size_t row = 0; row < first.size(); ++row)
            first[row] = static_cast<std::int32_t>(row) * static_cast<std::int32_t>(m_context);
        backend.copyIn(*m_queue, m_executor->address(m_plan.indices), first.data(), first.size() * sizeof(std::int32_t));
        m_queue->wait();
    }

    /// The logits of all rows, [rows, context, symbols].
    std::vector<float> logits(std::span<const std::int32_t> windows) {
        m_backend.copyIn(*m_queue, m_arenas[static_cast<std::size_t>(Arena::Inputs)].data(), windows.data(), windows.size_bytes());
        m_executor->run(*m_queue, 0, m_plan.forwardEnd);
        return m_executor->values(*m_queue, m_plan.logits);
    }

private:
    std::int64_t m_context;
    Backend& m_backend;
    std::unique_ptr<Queue> m_queue;
    Plan m_plan;
    std::array<DeviceMemory, kArenaCount> m_arenas;
    std::unique_ptr<Executor> m_executor;

    void writeWeights(std::span<const float> weights) {
        const DeviceMemory wide(m_backend, static_cast<std::int64_t>(weights.size_bytes()), "the weights as fp32");
        m_backend.copyIn(*m_queue, wide.data(), weights.data(), weights.size_bytes());
        const std::array<void*, 2> operands{wide.data(), m_arenas[static_cast<std::size_t>(Arena::Masters)].data()};
        const auto cast = m_backend.prepare(CastDesc{static_cast<std::int64_t>(weights.size()), Dtype::F32, m_plan.policy.weights});
        cast->enqueue(*m_queue, operands);
        m_queue->wait();
    }
};

std::vector<float> flat(std::span<const NamedTensor> weights) {
    std::vector<float> numbers;
    for (const NamedTensor& tensor : weights) numbers.insert(numbers.end(), tensor.values.begin(), tensor.values.end());
    return numbers;
}

/// The training policy without delayed scales, with the sums of a split.
Policy policyOf(const TrainingSettings& settings, const Backend& backend, Accumulator accumulator, std::int64_t elementsPerSum) {
    PrecisionSettings precision = settings.precision;
    precision.fp8.scaling = "current";
    precision.products.accumulator = accumulator;
    precision.products.promoteEvery = elementsPerSum;
    Policy policy = resolvePolicy(precision, backend);
    policy.widensLogits = settings.loss.logits == "fp32";
    return policy;
}

/// The tokens of a greedy continuation of `text` in row 0 of `windows`. Of equal logits the first symbol wins; ends at a logit that is not
/// finite.
std::vector<std::int32_t> continued(ForwardPass& pass, std::vector<std::int32_t> text, std::vector<std::int32_t> windows,
                                    std::int64_t context, std::int64_t symbols, std::int64_t tokens) {
    std::vector<std::int32_t> made;
    for (std::int64_t i = 0; i < tokens; ++i) {
        const auto length = std::min<std::int64_t>(static_cast<std::int64_t>(text.size()), context);
        std::copy(text.end() - length, text.end(), windows.begin());
        std::fill(windows.begin() + length, windows.begin() + context, 0);  // attention is causal: no effect
        const std::vector<float> logits = pass.logits(windows);
        const auto last = logits.begin() + (length - 1) * symbols;
        if (!std::all_of(last, last + symbols, [](float logit) { return std::isfinite(logit); })) break;
        made.push_back(static_cast<std::int32_t>(std::max_element(last, last + symbols) - last));
        text.push_back(made.back());
    }
    return made;
}

/// The run's, or Hopper's if it has none; the backend's sums have none.
Accumulator accumulatorOf(const TrainingSettings& settings, SumSplit split) {
    const Accumulator own = settings.precision.products.accumulator;
    if (split == SumSplit::Backend) return Accumulator::Fp32;
    return own == Accumulator::Fp32 ? Accumulator::Hopper : own;
}

std::int64_t elementsOf(SumSplit split, std::int64_t batch, std::int64_t unit) {
    if (split == SumSplit::Backend) return 0;
    return split == SumSplit::Fixed ? unit : unit * batch;
}

}  // namespace

void checkBatches(const TrainingSettings& settings, const Backend& backend, SumSplit split) {
    if (!takesTokens(settings.model.kind))
        throw std::invalid_argument("only a language model has a prompt: the model must be gpt or llama");
    const Accumulator accumulator = accumulatorOf(settings, split);
    const Dtype compute = policyOf(settings, backend, accumulator, 0).compute;
    if (split != SumSplit::Backend && !fusedDot(accumulator, compute))
        throw std::invalid_argument("the sums of products in " + std::string(facts(compute).name) +
                                    " are the backend's: only those in a format of tensor cores can be split here");
}

BatchReport tryBatches(const TrainingSettings& settings, const Dataset& dataset, Backend& backend, std::span<const NamedTensor> weights,
                       SumSplit split, std::int64_t largest, std::int64_t tokens) {
    checkBatches(settings, backend, split);
    const bool splits = split != SumSplit::Backend;
    BatchReport report{.accumulator = accumulatorOf(settings, split), .split = split};
    const Policy whole = policyOf(settings, backend, report.accumulator, 0);
    report.policy = whole.name;
    const std::int64_t unit = whole.hasFp8Products || whole.blocks ? 2 * kElementsPerSample : kElementsPerSample;
    // A tensor core's sums of a row do not depend on other rows, so one row gives the batch's text, unless a tensor has one scale, or an
    // override gives a layer the backend's sums.
    const bool dependsOnOthers =
        whole.hasFp8Products || (whole.blocks && whole.blocks->forward.hasTensorScale()) || !whole.overrides.empty();

    const std::int64_t context = dataset.tokens.context, symbols = dataset.tokens.vocabulary.size();
    const auto stream = std::span(dataset.tokens.validation);
    const auto window = [&](std::int64_t row) {
        const auto windows = std::max<std::int64_t>(1, static_cast<std::int64_t>(stream.size()) / context);
        return stream.subspan(static_cast<std::size_t>(row % windows * context), static_cast<std::size_t>(context));
    };
    const std::vector<float> numbers = flat(weights);
    const std::vector<std::int32_t> prompt(window(0).begin(), window(0).begin() + (context + 1) / 2);
    report.logits = context * symbols;
    report.prompt = dataset.tokens.vocabulary.decode(prompt);

    std::vector<float> first;
    std::vector<std::int32_t> firstText;
    for (std::int64_t batch = 1; batch <= largest; batch *= 2) {
        BatchTrial trial{.batch = batch, .elementsPerSum = elementsOf(split, batch, unit)};
        const Policy policy = policyOf(settings, backend, report.accumulator, trial.elementsPerSum);
        std::vector<std::int32_t> windows;
        for (std::int64_t row = 0; row < batch; ++row) windows.insert(windows.end(), window(row).begin(), window(row).end());
        ForwardPass pass(settings, dataset, policy, backend, numbers, batch);
        std::vector<float> logits = pass.logits(windows);
        logits.resize(static_cast<std::size_t>(report.logits));
        std::optional<ForwardPass> alone;
        if (splits && !dependsOnOthers) {
            windows.resize(static_cast<std::size_t>(context));
            alone.emplace(settings, dataset, policy, backend, numbers, 1);
        }
        const std::vector<std::int32_t> text = continued(alone ? *alone : pass, prompt, windows, context, symbols, tokens);
        if (first.empty()) first = logits, firstText = text;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            trial.differing += std::bit_cast<std::uint32_t>(logits[i]) != std::bit_cast<std::uint32_t>(first[i]) ? 1 : 0;
            const double difference = std::fabs(static_cast<double>(logits[i]) - static_cast<double>(first[i]));
            if (!std::isnan(trial.largest) && !(difference <= trial.largest)) trial.largest = difference;
            if (batch == 1) report.largestLogit = std::max(report.largestLogit, std::fabs(static_cast<double>(logits[i])));
        }
        const auto differs = std::mismatch(text.begin(), text.end(), firstText.begin()).first;
        if (differs != text.end()) trial.firstToken = differs - text.begin();
        trial.text = dataset.tokens.vocabulary.decode(text);
        report.trials.push_back(std::move(trial));
    }
    return report;
}

}  // namespace mantissa
