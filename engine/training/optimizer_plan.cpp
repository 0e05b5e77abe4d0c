// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizer_plan.h"

#include <stdexcept>

namespace mantissa {
namespace {

/// Adjacent parameters with or without decay, in elements of the flat arenas.
struct Share {
    std::int64_t first = 0, count = 0;
    bool decays = true;
};

const Shape& shapeOfParameter(const Plan& plan, std::size_t parameter) {
    return plan.buffers[static_cast<std::size_t>(plan.parameterBuffers[parameter])].shape;
}

/// Whether a parameter has weight decay.
bool isDecayed(const Shape& shape, const OptimizerSettings& settings) {
    return settings.decay == "all" || shape.size() > 1;
}

std::vector<Share> partsOf(const Plan& plan, const OptimizerSettings& settings) {
    std::vector<Share> parts;
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i) {
        const Shape& shape = shapeOfParameter(plan, i);
        const bool decays = isDecayed(shape, settings);
        if (parts.empty() || parts.back().decays != decays) parts.push_back({plan.segments[i], 0, decays});
        parts.back().count += elementCount(shape);
    }
    return parts;
}

/// A view of a flat arena, for operations on many parameters at once.
int viewOf(Plan& plan, const char* name, Arena arena, const Share& part) {
    const Dtype dtype = plan.policy.weights;
    return plan.addBuffer({.name = name,
                           .shape = {part.count},
                           .dtype = dtype,
                           .arena = arena,
                           .offset = part.first * static_cast<std::int64_t>(facts(dtype).storageBytes()),
                           .isCounted = false});
}

/// State as large as the parameters.
void addState(Plan& plan, const char* name, Arena arena) {
    const int index = plan.addBuffer({.name = name,
                                      .shape = {plan.segments.back()},
                                      .dtype = plan.policy.weights,
                                      .category = BufferCategory::Optimizer,
                                      .arena = arena});
    plan.arenaBytes[static_cast<std::size_t>(arena)] = plan.buffers[static_cast<std::size_t>(index)].bytes;
}

/// The update of one part; `state`: its operands between gradients and step scalars.
struct Update {
    OperationDesc operation;
    std::vector<std::pair<const char*, Arena>> state;
    double flopsEach = 0;
};

Update updateOf(const OptimizerSettings& s, const Share& part, const ParameterStorage& storage, bool hasMomentumBuffer) {
    const double decay = part.decays ? s.weightDecay : 0;
    if (s.kind == "adamw" || s.kind == "adam") {
        return {AdamWDesc{part.count, s.beta1, s.beta2, s.epsilon, decay, storage, s.kind == "adamw"},
                {{"exp_avg", Arena::Moment1}, {"exp_avg_sq", Arena::Moment2}},
                14};
    }
    if (s.kind == "lion") return {LionDesc{part.count, s.beta1, s.beta2, decay, storage}, {{"exp_avg", Arena::Moment1}}, 9};
    if (s.kind != "sgd") throw std::invalid_argument("optimizer '" + s.kind + "' is not known");
    Update update{SgdDesc{part.count, s.momentum, s.dampening, decay, s.nesterov, storage}, {}, 6};
    if (hasMomentumBuffer) update.state = {{"momentum_buffer", Arena::Moment1}};
    return update;
}

}  // namespace

bool usesMomentum(const OptimizerSettings& settings) {
    return settings.kind == "sgd" && settings.momentum != 0;
}

std::vector<bool> decaysOf(const Plan& plan, const OptimizerSettings& settings) {
    std::vector<bool> decays;
    for (std::size_t i = 0; i < plan.parameterBuffers.size(); ++i)
        decays.push_back(settings.weightDecay != 0 && isDecayed(shapeOfParameter(plan, i), settings));
    return decays;
}

void appendOptimizer(Plan& plan, const TrainingSettings& training, const Backend& backend, bool keepsMomentum) {
    const OptimizerSettings& settings = training.optimizer;
    const Share all{0, plan.segments.back()};
    ParameterStorage storage{plan.policy.weights, plan.policy.weightUpdate, training.init.seed};
    const bool compensates = storage.dtype != Dtype::F32 && storage.update == WeightUpdate::Kahan;
    const bool hasMomentumBuffer = usesMomentum(settings) || keepsMomentum;
    const int gradients = viewOf(plan, "gradients", Arena::Gradients, all);
    appendInstruction(plan, backend,
                      {.operation = UnscaleDesc{plan.segments, storage.dtype},
                       .name = "unscale",
                       .layer = "optimizer",
                       .phase = Phase::Optimizer,
                       .operands = {gradients, plan.foundInf, plan.scalars},
                       .output = gradients,
                       .flops = 3.0 * static_cast<double>(all.count)});
    plan.unscaleEnd = static_cast<std::int64_t>(plan.instructions.size());
    for (const auto& [name, arena] : updateOf(settings, all, storage, hasMomentumBuffer).state) addState(plan, name, arena);
    if (compensates) addState(plan, "compensation", Arena::Compensation);
    for (const Share& part : partsOf(plan, settings)) {
        storage.firstElement = part.first;
        const Update update = updateOf(settings, part, storage, hasMomentumBuffer);
        const int weights = viewOf(plan, "parameters", Arena::Masters, part);
        std::vector<int> operands{weights, viewOf(plan, "gradients", Arena::Gradients, part)};
        for (const auto& [name, arena] : update.state) operands.push_back(viewOf(plan, name, arena, part));
        if (settings.kind == "sgd" && !hasMomentumBuffer) operands.push_back(-1);
        operands.push_back(plan.scalars);
        if (compensates) operands.push_back(viewOf(plan, "compensation", Arena::Compensation, part));
        appendInstruction(plan, backend,
                          {.operation = update.operation,
                           .name = settings.kind,
                           .layer = "optimizer",
                           .phase = Phase::Optimizer,
                           .operands = std::move(operands),
                           .output = weights,
                           .flops = update.flopsEach * static_cast<double>(part.count)});
    }
}

}  // namespace mantissa
