// SPDX-License-Identifier: Apache-2.0
// The trainer's side of a policy gradient: scores answers in its format, forms the gradient of a weighted sum of log-probabilities, and
// updates the fp32 weights by AdamW. One thread at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/precision/scaler.h"
#include "engine/rl/policy_network.h"

namespace mantissa {

class PolicyTrainer {
public:
    /// `weights` is the arena of fp32 weights; it must outlive the trainer.
    PolicyTrainer(const PolicySettings& settings, const std::string& format, Backend& backend, Queue& queue, void* weights);

    /// The trainer's distributions, with the present weights. The next `backward` is of these episodes.
    LogProbabilities score(const Episodes& episodes);

    /// Computes the gradient of the loss -1/N sum w log pi(a), over the N = sequences x digits symbols a of the episodes just scored, with
    /// one `weight` w each, times the loss scale. The gradient of the logits, w (softmax - onehot) / N, is formed here in double and
    /// rounded to the format of the buffer in which the plan keeps the gradient of its cross-entropy; the plan's backward pass runs from
    /// there.
    void backward(const Episodes& episodes, const LogProbabilities& scored, std::span<const double> weights);

    /// Unscales and checks the gradients of `backward`, and updates the weights. Returns false if the loss scaler skipped the update. The
    /// scaler is the default of the format: PyTorch's GradScaler for fp16, none for the others.
    bool update(double learningRate);

    /// The gradients of the loss for all weights, in the order of the arena, after `backward` and before `update`.
    std::vector<float> gradients();

    double lossScale() const { return static_cast<double>(m_scaler.scale()); }
    /// The global norm of the gradients of the last update.
    double gradNorm() const { return m_gradNorm; }

private:
    DigitTask m_task;
    Backend& m_backend;
    Queue& m_queue;
    PolicyNetwork m_network;
    LossScaler m_scaler;
    std::int64_t m_updates = 0, m_skipped = 0;
    double m_gradNorm = 0;
    std::int64_t m_lossGradient = -1;  // the instruction that writes the gradient of the cross-entropy

    void writeScalars(double learningRate);
};

}  // namespace mantissa
