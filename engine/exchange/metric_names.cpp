// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/metric_names.h"

#include <algorithm>
#include <array>

namespace mantissa {
namespace {

struct Name {
    std::string_view name;
    Metric metric;
};

// In order of rank; a metric's own column precedes them all. Includes names that PyTorch Lightning ("train_loss_step"), Hugging Face
// ("eval/loss", "train/grad_norm"), fairseq ("gnorm"), Megatron-LM ("loss-scale", "grad-norm", "lm loss") and Keras ("epoch_loss") write.
constexpr Name kNames[] = {
    {"train_loss", Metric::Loss},
    {"training_loss", Metric::Loss},
    {"loss_train", Metric::Loss},
    {"train_loss_step", Metric::Loss},
    {"loss_step", Metric::Loss},
    {"batch_loss", Metric::Loss},
    {"lm_loss", Metric::Loss},
    {"epoch_loss", Metric::Loss},

    {"validation_loss", Metric::ValidationLoss},
    {"valid_loss", Metric::ValidationLoss},
    {"eval_loss", Metric::ValidationLoss},
    {"test_loss", Metric::ValidationLoss},
    {"loss_val", Metric::ValidationLoss},

    {"val_acc", Metric::ValidationAccuracy},
    {"validation_accuracy", Metric::ValidationAccuracy},
    {"valid_accuracy", Metric::ValidationAccuracy},
    {"eval_accuracy", Metric::ValidationAccuracy},
    {"eval_acc", Metric::ValidationAccuracy},
    {"test_accuracy", Metric::ValidationAccuracy},
    {"test_acc", Metric::ValidationAccuracy},
    {"accuracy", Metric::ValidationAccuracy},
    {"acc", Metric::ValidationAccuracy},

    {"scale", Metric::LossScale},
    {"train_loss_scale", Metric::LossScale},
    {"train_scale", Metric::LossScale},
    {"grad_scale", Metric::LossScale},
    {"scaler_scale", Metric::LossScale},
    {"amp_scale", Metric::LossScale},

    {"skipped_steps", Metric::SkippedTotal},
    {"total_skipped", Metric::SkippedTotal},
    {"skipped_iterations", Metric::SkippedTotal},

    {"train_grad_norm", Metric::GradNorm},
    {"gradient_norm", Metric::GradNorm},
    {"global_grad_norm", Metric::GradNorm},
    {"total_grad_norm", Metric::GradNorm},
    {"train_gnorm", Metric::GradNorm},
    {"gnorm", Metric::GradNorm},

    {"learning_rate", Metric::LearningRate},
    {"train_lr", Metric::LearningRate},
    {"train_learning_rate", Metric::LearningRate},
    {"lr_adam_w", Metric::LearningRate},
    {"lr_adam", Metric::LearningRate},
    {"lr_sgd", Metric::LearningRate},

    {"step_time_ms", Metric::StepMs},
    {"ms_per_step", Metric::StepMs},
    {"elapsed_time_per_iteration_ms", Metric::StepMs},

    {"samples_per_second", Metric::SamplesPerSecond},
    {"samples_per_sec", Metric::SamplesPerSecond},
    {"train_samples_per_second", Metric::SamplesPerSecond},
    {"examples_per_second", Metric::SamplesPerSecond},
};

constexpr std::array<std::string_view, 14> kDatingNames{"epoch",   "epochs", "samples",   "skipped", "flags", "time",       "timestamp",
                                                        "runtime", "wall_s", "wall_time", "date",    "index", "total_flos", "unnamed_0"};

constexpr std::array<std::string_view, 6> kStepNames{"step", "global_step", "trainer_global_step", "iteration", "iter", "train_step"};

/// "Train/Loss", "train-loss" and "trainLoss" become "train_loss": lower case, one underscore between words.
std::string plainName(std::string_view name) {
    std::string plain;
    char last = 0;
    for (const char c : name) {
        const bool isUpper = c >= 'A' && c <= 'Z', isLower = c >= 'a' && c <= 'z', isDigit = c >= '0' && c <= '9';
        const bool wasLower = last >= 'a' && last <= 'z';
        last = c;
        const bool startsWord = !(isUpper || isLower || isDigit) || (isUpper && wasLower);
        if (startsWord && !plain.empty() && plain.back() != '_') plain += '_';
        if (isUpper) plain += static_cast<char>(c - 'A' + 'a');
        if (isLower || isDigit) plain += c;
    }
    if (plain.ends_with('_')) plain.pop_back();
    return plain;
}

}  // namespace

std::optional<NamedMetric> metricFromName(std::string_view name) {
    const std::string plain = plainName(name);
    for (int own = 0; own < kMetricCount; ++own) {
        if (metricName(static_cast<Metric>(own)) == plain) return NamedMetric{static_cast<Metric>(own), own};
    }
    const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& known) { return known.name == plain; });
    if (found == std::end(kNames)) return std::nullopt;
    return NamedMetric{found->metric, kMetricCount + static_cast<int>(found - std::begin(kNames))};
}

bool datesRows(std::string_view name) {
    return std::find(kDatingNames.begin(), kDatingNames.end(), plainName(name)) != kDatingNames.end();
}

std::optional<int> stepNameRank(std::string_view name) {
    const auto found = std::find(kStepNames.begin(), kStepNames.end(), plainName(name));
    if (found == kStepNames.end()) return std::nullopt;
    return static_cast<int>(found - kStepNames.begin());
}

}  // namespace mantissa
