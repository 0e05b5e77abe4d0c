// SPDX-License-Identifier: Apache-2.0
// The keys of `optimizer`. All except the kind and the choice of decayed parameters are live; some belong to some kinds only.
#include "engine/experiment/field_kinds.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

Field onlyOptimizers(std::vector<std::string> kinds, Field field) {
    return onlyFor(
        std::move(kinds), "optimizer", [](const RunSettings& run) -> const std::string& { return run.training.optimizer.kind; },
        std::move(field));
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
            check(betas[i] = readNumber(value[i]), Bound::BelowOne);
        } catch (BadValue& bad) {
            throw BadValue{pointerStep(i), bad.sentence};
        }
    }
    run.training.optimizer.beta1 = betas[0];
    run.training.optimizer.beta2 = betas[1];
}

template <class Member>
Field live(const char* key, const char* label, Member member, Bound bound) {
    return number(
        "optimizer", key, label, [=](auto& run) -> auto& { return run.training.optimizer.*member; }, bound);
}

}  // namespace

std::vector<Field> optimizerFields() {
    const auto opt = [](auto& run) -> auto& {
        return run.training.optimizer;
    };
    std::vector<Field> all;
    all.push_back({"optimizer", "kind", "optimizer", false, readKind,
                   [=](const RunSettings& run) { return std::optional<Json>(opt(run).kind); }, nullptr, FieldKind::Choice, kOptimizers});
    all.back().schema = choiceSchema(kOptimizers);
    all.push_back(live("lr", "lr", &OptimizerSettings::lr, Bound::NotNegative));
    all.push_back(
        onlyOptimizers({"adamw", "adam", "lion", "muon"}, {"optimizer", "betas", "betas", true, readBetas,
                                                           [=](const RunSettings& run) {
                                                               return std::optional<Json>(Json::array({opt(run).beta1, opt(run).beta2}));
                                                           },
                                                           nullptr, FieldKind::Numbers}));
    all.back().schema = listSchema(numberSchema(Bound::BelowOne), 2, 2);
    all.push_back(onlyOptimizers({"adamw", "adam", "muon"}, live("eps", "eps", &OptimizerSettings::epsilon, Bound::NotNegative)));
    all.push_back(live("weight_decay", "weight decay", &OptimizerSettings::weightDecay, Bound::NotNegative));
    all.push_back(choice("optimizer", "decay", "weight decay on", [=](auto& r) -> auto& { return opt(r).decay; }, {"all", "matrices"}));
    all.back().choiceLabels = {"all parameters", "matrices only"};
    all.push_back(onlyOptimizers({"sgd", "muon"}, live("momentum", "momentum", &OptimizerSettings::momentum, Bound::NotNegative)));
    all.push_back(onlyOptimizers({"sgd"}, live("dampening", "dampening", &OptimizerSettings::dampening, Bound::Any)));
    all.push_back(onlyOptimizers(
        {"sgd", "muon"},
        {"optimizer", "nesterov", "nesterov", true, [=](RunSettings& run, const Json& value) { opt(run).nesterov = readFlag(value); },
         [=](const RunSettings& run) { return std::optional<Json>(opt(run).nesterov); }, nullptr, FieldKind::Flag}));
    all.back().schema = flagSchema();
    const auto muonOnly = [&](Field field, std::vector<std::string> labels) {
        field.isLive = true;
        field.choiceLabels = std::move(labels);
        all.push_back(onlyOptimizers({"muon"}, std::move(field)));
    };
    muonOnly(integer(
                 "optimizer", "ns_steps", "Newton-Schulz steps", true, [=](auto& r) -> auto& { return opt(r).nsSteps; }, 1, 99),
             {});
    muonOnly(choice("optimizer", "ns_dtype", "Newton-Schulz format", [=](auto& r) -> auto& { return opt(r).nsDtype; },
                    {"bf16", "fp16", "tf32", "fp32"}),
             {"BF16", "FP16", "TF32", "FP32"});
    muonOnly(choice("optimizer", "adjust_lr_fn", "factor of the rate", [=](auto& r) -> auto& { return opt(r).adjustLrFn; },
                    {"match_rms_adamw", "original", "spectral_unclamped"}),
             {"as AdamW's RMS", "original", "spectral, unclamped"});
    all.push_back(choice("optimizer", "state_dtype", "optimizer state in", [=](auto& r) -> auto& { return opt(r).stateDtype; },
                         {"weights", "fp32", "bf16", "fp16"}));
    all.back().isLive = true;
    all.back().choiceLabels = {"the weights' format", "FP32", "BF16", "FP16"};
    all.push_back({"optimizer", "schedule", "schedule", true, readSchedule, writeSchedule, nullptr, FieldKind::Parts});
    all.back().schema = scheduleSchema();
    all.back().parts = scheduleParts;
    all.push_back(choice("optimizer", "schedule_on_skip",
                         "LR schedule on a skipped step", [=](auto& r) -> auto& { return opt(r).schedule.onSkip; }, {"advance", "hold"}));
    all.back().isLive = true;
    all.back().choiceLabels = {"advances", "waits"};
    return all;
}

}  // namespace mantissa
