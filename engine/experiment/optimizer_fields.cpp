// SPDX-License-Identifier: Apache-2.0
// The keys of `optimizer`. All except the kind and the choice of decayed parameters are live; some belong to some kinds only.
#include "engine/experiment/field_kinds.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

Field onlyOptimizers(std::vector<std::string> kinds, Field field) {
    return live(onlyFor("optimizer", std::move(kinds), std::move(field)));
}

const std::vector<std::string> kOptimizers{"adamw", "adam", "sgd", "lion", "muon"};

/// A kind sets its original defaults: those of torch.optim, or of Lion's paper. Muon's rate has the factor that lets AdamW share it.
void readKind(RunSettings& run, const Json& value) {
    OptimizerSettings& optimizer = run.training.optimizer;
    const OptimizerSettings plain;
    optimizer.kind = readChoice(value, "optimizer", kOptimizers);
    const bool isMuon = optimizer.kind == "muon";
    optimizer.weightDecay = optimizer.kind == "adamw" ? plain.weightDecay : isMuon ? 0.1 : 0;
    optimizer.momentum = isMuon ? 0.95 : plain.momentum;
    optimizer.nesterov = isMuon;
    optimizer.beta1 = plain.beta1;
    optimizer.beta2 = optimizer.kind == "lion" ? 0.99 : plain.beta2;
}

void readBetas(RunSettings& run, const Json& value) {
    if (!value.is_array() || value.size() != 2) refuse("must be a list of two numbers, as [0.9, 0.999]");
    double betas[2];
    for (std::size_t i = 0; i < 2; ++i) {
        try {
            betas[i] = readNumber(value[i], Bound::BelowOne);
        } catch (BadValue& bad) {
            throw BadValue{pointerStep(i), bad.sentence};
        }
    }
    run.training.optimizer.beta1 = betas[0];
    run.training.optimizer.beta2 = betas[1];
}

}  // namespace

std::vector<Field> optimizerFields() {
    using Settings = OptimizerSettings;
    std::vector<Field> all;
    all.push_back(choice("kind", "optimizer", &Settings::kind, kOptimizers));
    all.back().read = readKind;
    all.push_back(live(number("lr", "lr", &Settings::lr, Bound::NotNegative)));
    all.push_back(
        onlyOptimizers({"adamw", "adam", "lion", "muon"}, {"optimizer", "betas", "betas", true, readBetas,
                                                           [](const RunSettings& run) {
                                                               const Settings& optimizer = run.training.optimizer;
                                                               return std::optional<Json>(Json::array({optimizer.beta1, optimizer.beta2}));
                                                           },
                                                           nullptr, FieldKind::Numbers}));
    all.back().schema = listSchema(numberSchema(Bound::BelowOne), 2, 2);
    all.push_back(onlyOptimizers({"adamw", "adam", "muon"}, number("eps", "eps", &Settings::epsilon, Bound::NotNegative)));
    all.push_back(live(number("weight_decay", "weight decay", &Settings::weightDecay, Bound::NotNegative)));
    all.push_back(choice("decay", "weight decay on", &Settings::decay, {"all", "matrices"}));
    all.back().choiceLabels = {"all parameters", "matrices only"};
    all.push_back(onlyOptimizers({"sgd", "muon"}, number("momentum", "momentum", &Settings::momentum, Bound::NotNegative)));
    all.push_back(onlyOptimizers({"sgd"}, number("dampening", "dampening", &Settings::dampening, Bound::Any)));
    all.push_back(onlyOptimizers({"sgd", "muon"}, flag("nesterov", "nesterov", &Settings::nesterov)));
    all.push_back(onlyOptimizers({"muon"}, integer("ns_steps", "Newton-Schulz steps", &Settings::nsSteps, 1, 99)));
    all.push_back(
        onlyOptimizers({"muon"}, choice("ns_dtype", "Newton-Schulz format", &Settings::nsDtype, {"bf16", "fp16", "tf32", "fp32"})));
    all.back().choiceLabels = {"BF16", "FP16", "TF32", "FP32"};
    all.push_back(onlyOptimizers({"muon"}, choice("adjust_lr_fn", "factor of the rate", &Settings::adjustLrFn,
                                                  {"match_rms_adamw", "original", "spectral_unclamped"})));
    all.back().choiceLabels = {"as AdamW's RMS", "original", "spectral, unclamped"};
    all.push_back(live(choice("state_dtype", "optimizer state in", &Settings::stateDtype, {"weights", "fp32", "bf16", "fp16"}),
                       {"the weights' format", "FP32", "BF16", "FP16"}));
    all.push_back({"optimizer", "schedule", "schedule", true, readSchedule, writeSchedule, nullptr, FieldKind::Parts});
    all.back().schema = scheduleSchema();
    all.back().parts = scheduleParts;
    all.push_back(live(choice("schedule_on_skip", "LR schedule on a skipped step", &ScheduleSettings::onSkip, {"advance", "hold"}),
                       {"advances", "waits"}));
    return all;
}

}  // namespace mantissa
