// SPDX-License-Identifier: Apache-2.0
// Batch invariance: whether a language model computes the same logits for a prompt at each batch size. Libraries split the sums of a
// product into more parts when it has few rows, so the order of additions, and with it the last bits, depend on the batch (Thinking
// Machines, "Defeating Nondeterminism in LLM Inference", September 2025). Deterministic. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/models/model.h"
#include "engine/training/settings.h"

namespace mantissa {

/// How the sums are formed. ByRows imitates a library: a product's partial sums have 16 elements (32 in fp8 and block formats) for each
/// sample of the batch and are added in fp32. Fixed: always as for one sample. Backend: as the backend forms them at that batch size.
enum class SumSplit : std::uint8_t { ByRows, Fixed, Backend };

/// The prompt's results at one batch size, compared with those at batch size 1.
struct BatchTrial {
    std::int64_t batch = 1;
    std::int64_t elementsPerSum = 0;  // of a partial sum; 0: the backend's sums
    std::int64_t differing = 0;       // logits of the prompt with other bits
    double largest = 0;               // largest difference of a logit
    std::int64_t firstToken = -1;     // the first generated token that differs; -1: none
    std::string text;                 // greedy continuation of the prompt
};

struct BatchReport {
    std::string policy;
    Accumulator accumulator = Accumulator::Fp32;  // the run's; with split sums Hopper's in place of fp32
    SumSplit split = SumSplit::Backend;
    std::int64_t logits = 0;  // of the prompt: tokens times symbols
    double largestLogit = 0;  // magnitude, at batch size 1
    std::string prompt;
    std::vector<BatchTrial> trials;
};

/// Throws std::invalid_argument, with a sentence, without a language model, and for ByRows or Fixed without products in a format of tensor
/// cores.
void checkBatches(const TrainingSettings& settings, const Backend& backend, SumSplit split);

/// Evaluates the first window of the validation text in batches of 1, 2, 4, ... up to `largest`, beside the windows after it, and continues
/// its first half by `tokens` greedy tokens. `weights`: as Trainer::weights. The largest difference is NaN if a
/// logit is. Throws as checkBatches.
BatchReport tryBatches(const TrainingSettings& settings, const Dataset& dataset, Backend& backend, std::span<const NamedTensor> weights,
                       SumSplit split, std::int64_t largest, std::int64_t tokens);

}  // namespace mantissa
