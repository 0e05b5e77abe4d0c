// SPDX-License-Identifier: Apache-2.0
// A toy of RL fine-tuning: REINFORCE with a baseline, with a sampler and a trainer that read the same fp32 weights in formats of their own.
// So their importance ratios pi_trainer / pi_sampler differ from 1, as in frameworks whose inference engine computes the policy in another
// way than the trainer (arXiv 2510.26788). One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/models/model.h"
#include "engine/rl/policy_trainer.h"

namespace mantissa {

struct RlSettings {
    std::uint64_t seed = 1;  // of weights, prompts and sampled symbols
    DigitTask task;
    ModelSettings model = PolicySettings().model;  // its `attention` is the trainer's
    std::string trainer = "fp32", sampler = "fp32";
    std::string samplerAttention = "fused";   // or materialised, the trainer's
    bool corrects = false;                    // weights each symbol by `importanceWeight`, as a constant of the gradient
    std::int64_t prompts = 16, answers = 8;   // of an update: prompts, and answers sampled for each
    std::int64_t warmUp = 30, updates = 300;  // supervised updates in fp32 before the first one by reward, and updates by reward
    double warmUpRate = 3e-3, learningRate = 2e-3;

    PolicySettings policy() const { return {model, task, prompts * answers}; }
};

/// The outcome of an update by reward.
struct RlUpdate {
    std::int64_t number = 0;
    double reward = 0;  // mean over the sampled answers
    PolicyMismatch mismatch;
    double lossScale = 1, gradNorm = 0;
    bool isSkipped = false;  // the loss scaler found gradients that are not finite
};

/// The weights of a policy in a backend's memory, fp32.
class PolicyWeights {
public:
    PolicyWeights(const PolicySettings& settings, Backend& backend, Queue& queue);
    void* data() const { return m_memory.data(); }
    /// Sets the initial weights of a seed.
    void drawFrom(std::uint64_t seed);
    void set(const std::vector<NamedTensor>& tensors);
    std::vector<NamedTensor> values() const;

private:
    std::vector<ParameterShape> m_shapes;
    Backend& m_backend;
    Queue& m_queue;
    DeviceMemory m_memory;
};

class PolicyGradient {
public:
    /// Draws the weights from the seed and runs the warm-up. `given` weights are used as they are instead. Throws std::invalid_argument.
    PolicyGradient(const RlSettings& settings, std::shared_ptr<Backend> backend, const std::vector<NamedTensor>* given = nullptr);

    /// Samples answers, measures the mismatch, and updates the weights once.
    RlUpdate update();

    std::vector<NamedTensor> weights() const { return m_weights.values(); }

private:
    RlSettings m_settings;
    std::shared_ptr<Backend> m_backend;
    std::unique_ptr<Queue> m_queue;
    PolicyWeights m_weights;
    PolicyNetwork m_sampler;
    PolicyTrainer m_trainer;
    std::int64_t m_next = 0;

    void warmUp();
    std::vector<double> symbolWeights(const std::vector<double>& rewards, const std::vector<double>& logRatios) const;
};

/// Trains in fp32 without a mismatch, from the seed's initial weights, and returns the weights: warm-up and `updates` updates by reward.
std::vector<NamedTensor> trainedInFp32(RlSettings settings, std::shared_ptr<Backend> backend);

/// One pair of formats.
struct MatrixCell {
    std::string trainer, sampler;
    PolicyMismatch mismatch;
};

/// Prompts of a matrix, with one answer each.
inline constexpr std::int64_t kMatrixPrompts = 512;

/// Compares every trainer format with every sampler format on the same symbols: answers that an fp32 sampler drew with the given weights.
/// Each sampler format recomputes its distributions symbol by symbol, each trainer format in one pass. Uses the seed, the task, the model
/// and the sampler's attention of `settings`. Trainers vary slowest. Throws std::invalid_argument.
std::vector<MatrixCell> precisionMatrix(const RlSettings& settings, const std::vector<std::string>& formats,
                                        const std::vector<NamedTensor>& weights, const std::shared_ptr<Backend>& backend);

}  // namespace mantissa
