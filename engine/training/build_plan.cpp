// SPDX-License-Identifier: Apache-2.0
#include "engine/training/build_plan.h"

#include <algorithm>
#include <stdexcept>

namespace mantissa {
namespace {

/// A view of a whole flat home, for operations that take all parameters at once.
int flatView(Plan& plan, const char* name, Home home) {
    return plan.addBuffer({.name = name, .shape = {plan.segments.back()}, .dtype = plan.policy.weights, .home = home, .isCounted = false});
}

int stateBuffer(Plan& plan, const char* name, Home home) {
    const int index = plan.addBuffer(
        {.name = name, .shape = {plan.segments.back()}, .dtype = plan.policy.weights, .category = BufferCategory::Optimizer, .home = home});
    plan.homeBytes[static_cast<std::size_t>(home)] = plan.buffers[static_cast<std::size_t>(index)].bytes;
    return index;
}

/// Unscale, check and clip coefficient; then the update, which reads learning rate, clip coefficient and found_inf from the step scalars.
void appendOptimizer(Plan& plan, const TrainingSettings& training, const Backend& backend, bool keepsMomentum) {
    const OptimizerSettings& settings = training.optimizer;
    const std::int64_t count = plan.segments.back();
    const ParameterStorage storage{plan.policy.weights, plan.policy.weightUpdate, training.init.seed};
    const bool compensates = storage.dtype != Dtype::F32 && storage.update == WeightUpdate::Kahan;
    const auto withCompensation = [&](std::vector<int> operands) {
        if (compensates) operands.push_back(stateBuffer(plan, "compensation", Home::Compensation));
        return operands;
    };
    const int weights = flatView(plan, "parameters", Home::Masters);
    const int gradients = flatView(plan, "gradients", Home::Gradients);
    appendInstruction(plan, backend,
                      {.operation = UnscaleDesc{plan.segments, storage.dtype},
                       .name = "unscale",
                       .layer = "optimizer",
                       .phase = Phase::Optimizer,
                       .operands = {gradients, plan.foundInf, plan.scalars},
                       .output = gradients,
                       .flops = 3.0 * static_cast<double>(count)});
    plan.unscaleEnd = static_cast<std::int64_t>(plan.instructions.size());
    if (settings.kind == "adamw") {
        const int m = stateBuffer(plan, "exp_avg", Home::Moment1), v = stateBuffer(plan, "exp_avg_sq", Home::Moment2);
        appendInstruction(plan, backend,
                          {.operation = AdamWDesc{count, settings.beta1, settings.beta2, settings.epsilon, settings.weightDecay, storage},
                           .name = "adamw",
                           .layer = "optimizer",
                           .phase = Phase::Optimizer,
                           .operands = withCompensation({weights, gradients, m, v, plan.scalars}),
                           .output = weights,
                           .flops = 14.0 * static_cast<double>(count)});
    } else if (settings.kind == "sgd") {
        const int momentum = usesMomentum(settings) || keepsMomentum ? stateBuffer(plan, "momentum_buffer", Home::Moment1) : -1;
        appendInstruction(
            plan, backend,
            {.operation = SgdDesc{count, settings.momentum, settings.dampening, settings.weightDecay, settings.nesterov, storage},
             .name = "sgd",
             .layer = "optimizer",
             .phase = Phase::Optimizer,
             .operands = withCompensation({weights, gradients, momentum, plan.scalars}),
             .output = weights,
             .flops = 6.0 * static_cast<double>(count)});
    } else {
        throw std::invalid_argument("optimizer '" + settings.kind + "' is not known");
    }
}

/// Delayed scales are renewed when the step is over, skipped or not: so a step can be repeated under audit with the scales that it had.
void appendScaleUpdate(Plan& plan, const Backend& backend) {
    if (plan.delayedScales.empty()) return;
    const Fp8Recipe& recipe = plan.policy.fp8;
    appendInstruction(plan, backend,
                      {.operation = UpdateScalesDesc{plan.delayedFormats, recipe.amaxHistoryLen, recipe.amaxComputeAlgo == "most_recent",
                                                     static_cast<int>(recipe.margin)},
                       .name = "update_scales",
                       .layer = "fp8",
                       .phase = Phase::Optimizer,
                       .operands = {plan.delayedScales.front()}});
}

Plan trainingPlan(const TrainingSettings& settings, const DataShape& shape, const Policy& policy, const Backend& backend,
                  bool keepsMomentum) {
    Graph graph = buildModel(settings.model, settings.data.batchSize, shape.features, shape.classes);
    appendBackward(graph);
    Plan plan = lowerGraph(graph, policy, backend, {.isTraining = true, .accumulates = settings.accumulate > 1});
    appendOptimizer(plan, settings, backend, keepsMomentum);
    appendScaleUpdate(plan, backend);
    layOut(plan);
    return plan;
}

Plan evaluationPlan(const TrainingSettings& settings, const DataShape& shape, std::int64_t rows, const Policy& policy,
                    const Backend& backend) {
    Plan plan = lowerGraph(buildModel(settings.model, rows, shape.features, shape.classes), policy, backend, {.isTraining = false});
    layOut(plan);
    return plan;
}

std::int64_t bytesOf(const Plan& plan, Home home) {
    return plan.homeBytes[static_cast<std::size_t>(home)];
}

}  // namespace

DataShape shapeOf(const Dataset& dataset) {
    return {dataset.features, dataset.classes, dataset.validationCount()};
}

bool usesMomentum(const OptimizerSettings& settings) {
    return settings.kind == "sgd" && settings.momentum != 0;
}

RunPlans buildPlans(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, bool keepsMomentum) {
    const Policy policy = resolvePolicy(settings.precision, backend);
    RunPlans plans;
    plans.training = trainingPlan(settings, shape, policy, backend, keepsMomentum);
    plans.transientBytes = bytesOf(plans.training, Home::Transient);

    // Chunks of equal size: few rows weigh little, and a batch's worth costs no memory beyond the training step's.
    constexpr std::int64_t kFewestRows = 128;
    const std::int64_t most = std::max(settings.data.batchSize, kFewestRows);
    const std::int64_t chunks = (shape.validationCount + most - 1) / most;
    Policy evaluationPolicy = policy;
    if (!settings.evalPrecision.empty()) {
        // a policy of its own has no steps behind it that scales could be learnt from
        evaluationPolicy = resolvePolicy({.policy = settings.evalPrecision, .overrides = {}, .fp8 = {.scaling = "current"}}, backend);
        evaluationPolicy.weights = policy.weights;
    }
    const std::int64_t rows = chunks > 0 ? (shape.validationCount + chunks - 1) / chunks : 0;
    for (std::int64_t done = 0; done < shape.validationCount; done += rows) {
        const std::int64_t here = std::min(rows, shape.validationCount - done);
        if (!plans.evaluationRows.empty() && plans.evaluationRows.back() == here) continue;
        plans.evaluation.push_back(evaluationPlan(settings, shape, here, evaluationPolicy, backend));
        plans.evaluationRows.push_back(here);
    }
    std::int64_t extra = 0;
    for (const Plan& plan : plans.evaluation) {
        plans.transientBytes = std::max(plans.transientBytes, bytesOf(plan, Home::Transient));
        extra += bytesOf(plan, Home::Control);
    }
    plans.training.memory.workspace += extra + plans.transientBytes - bytesOf(plans.training, Home::Transient);
    return plans;
}

}  // namespace mantissa
