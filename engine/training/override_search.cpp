// SPDX-License-Identifier: Apache-2.0
#include "engine/training/override_search.h"

#include <algorithm>
#include <new>
#include <set>
#include <stdexcept>

#include "engine/models/builder.h"

namespace mantissa {
namespace {

using Places = std::vector<std::string>;

constexpr double kNearlyAll = 0.95;  // of a model's arithmetic: almost all FP32
constexpr int kMostLayers = 8;       // limit of layers added one by one

bool covers(const std::string& place, const Instruction& instruction) {
    return coversLayer(place, instruction.layer) || forwardKind(instruction.name) == place;
}

/// "model.layers.0.mlp" and "model.layers.0" of "model.layers.0.mlp.down_proj": ancestors with more than one layer, except the whole model.
std::vector<std::string> blocksAround(const std::string& layer, const Plan& plan) {
    std::set<std::string> layers;
    for (const Instruction& each : plan.instructions)
        if (isOverridable(each.layer)) layers.insert(each.layer);
    std::vector<std::string> blocks;
    for (std::size_t dot = layer.rfind('.'); dot != std::string::npos && dot > 0; dot = layer.rfind('.', dot - 1)) {
        const std::string block = layer.substr(0, dot);
        const auto held = std::count_if(layers.begin(), layers.end(), [&](const std::string& each) { return coversLayer(block, each); });
        if (held > 1 && held < static_cast<std::ptrdiff_t>(layers.size())) blocks.push_back(block);
    }
    return blocks;
}

/// The layer whose forward overflow ends these steps; empty: none.
std::string nextOverflow(StepTrials& trials, const Places& places, std::int64_t steps, const StepsGoOn& goesOn) {
    Trainer& trainer = trials.trainer();
    trials.setUp(trials.settingsOf({.fp32Places = places}), std::nullopt);
    for (std::int64_t i = 0; i < steps && goesOn(i, steps); ++i) {
        const StepRecord record = trainer.step();
        if ((record.flags & (kFlagFoundInf | kFlagLossNonFinite)) == 0) continue;
        const std::optional<FirstNonFinite> first = trainer.firstNonFinite();
        const bool isScales = first && first->phase == "backward" && trainer.scaler().isDynamic() && record.lossScale > 1;
        if (!isScales) return first && isOverridable(first->layer) ? first->layer : "";
    }
    return "";
}

Places grownFrom(StepTrials& trials, const std::string& layer, std::int64_t steps, const StepsGoOn& goesOn) {
    Places places{layer};
    while (static_cast<int>(places.size()) < kMostLayers) {
        const std::string next = nextOverflow(trials, places, steps, goesOn);
        if (next.empty() || std::find(places.begin(), places.end(), next) != places.end()) break;
        places.push_back(next);
    }
    return places;
}

}  // namespace

std::string forwardKind(const std::string& operation) {
    const std::string forward = operation.substr(0, operation.find("_grad"));
    return isActivation(forward) ? "activation" : forward;
}

PlacesCost costOf(const Plan& plan, const std::vector<std::string>& places) {
    PlacesCost covered, all;
    for (std::int64_t i = plan.prologueEnd; i < plan.backwardEnd; ++i) {
        const Instruction& each = plan.instructions[static_cast<std::size_t>(i)];
        if (each.isStatistics) continue;
        all.flops += each.flops;
        all.bytes += each.bytes;
        if (std::none_of(places.begin(), places.end(), [&](const std::string& place) { return covers(place, each); })) continue;
        covered.flops += each.flops;
        covered.bytes += each.bytes;
    }
    return {all.flops > 0 ? covered.flops / all.flops : 0, all.bytes > 0 ? covered.bytes / all.bytes : 0};
}

bool isOverridable(const std::string& layer) {
    return !layer.empty() && layer != "input" && layer != "labels" && layer != "optimizer";
}

std::vector<Places> candidatePlaces(StepTrials& trials, const ProvenanceCard& card, std::int64_t steps, const StepsGoOn& goesOn) {
    if (!isOverridable(card.layer)) return {};
    std::vector<Places> candidates{{card.layer}};
    try {
        candidates.push_back(grownFrom(trials, card.layer, steps, goesOn));
    } catch (const std::bad_alloc&) {
        return candidates;
    } catch (const std::invalid_argument&) {  // the run refuses the override
        return {};
    }
    trials.setUp(trials.settings(), std::nullopt);
    const Plan& plan = trials.trainer().plan();
    for (const std::string& block : blocksAround(card.layer, plan)) candidates.push_back({block});
    candidates.push_back({forwardKind(card.operation)});
    const auto cost = [&](const Places& places) { return costOf(plan, places).flops; };
    std::erase_if(candidates, [&](const Places& places) { return cost(places) > kNearlyAll; });
    std::stable_sort(candidates.begin(), candidates.end(), [&](const Places& a, const Places& b) { return cost(a) < cost(b); });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return candidates;
}

}  // namespace mantissa
