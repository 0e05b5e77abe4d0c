// SPDX-License-Identifier: Apache-2.0
#include "engine/training/build_plan.h"

#include <algorithm>

#include "engine/plan/tensor_statistics.h"
#include "engine/training/optimizer_plan.h"

namespace mantissa {
namespace {

/// Delayed scales are updated after a step, skipped or not, so that an audit can repeat the step with the same scales.
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
                  bool keepsMomentum, Instrumentation level) {
    Graph graph = buildModel(settings.model, settings.data.batchSize, shape);
    appendBackward(graph);
    Plan plan = lowerGraph(graph, policy, backend,
                           {.isTraining = true,
                            .accumulates = settings.accumulate > 1 || !settings.zeroGrad,
                            .keepsGradients = !settings.zeroGrad,
                            .seed = settings.init.seed});
    appendOptimizer(plan, graph, settings, backend, keepsMomentum);
    appendScaleUpdate(plan, backend);
    if (level != Instrumentation::Off)
        addTensorStatistics(plan, backend, decaysOf(plan, settings.optimizer), level == Instrumentation::Blocks);
    layOut(plan);
    return plan;
}

Plan evaluationPlan(const TrainingSettings& settings, const DataShape& shape, std::int64_t rows, const Policy& policy,
                    const Backend& backend) {
    Plan plan = lowerGraph(buildModel(settings.model, rows, shape), policy, backend, {.isTraining = false});
    layOut(plan);
    return plan;
}

}  // namespace

RunPlans buildPlans(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, bool keepsMomentum,
                    Instrumentation level) {
    Policy policy = resolvePolicy(settings.precision, backend);
    policy.widensLogits = settings.loss.logits == "fp32";
    RunPlans plans;
    plans.training = trainingPlan(settings, shape, policy, backend, keepsMomentum, level);
    plans.transientBytes = plans.training.bytesOf(Arena::Transient);
    std::int64_t withoutScratch = plans.transientBytes - plans.training.memory.scratch;

    // Chunks of equal size: one of the training batch's size needs no more memory than a training step; vectors are small.
    constexpr std::int64_t kFewestVectors = 128;
    const bool isVectors = !hasBlocks(settings.model.kind);
    const std::int64_t most = std::max(settings.data.batchSize, isVectors ? kFewestVectors : 1);
    const std::int64_t chunks = (shape.validationCount + most - 1) / most;
    Policy evaluationPolicy = policy;
    if (!settings.evalPrecision.empty()) {
        // a policy of its own has no amax history
        evaluationPolicy = resolvePolicy({.policy = settings.evalPrecision, .overrides = {}, .fp8 = {.scaling = "current"}}, backend);
        evaluationPolicy.weights = policy.weights;
        evaluationPolicy.widensLogits = policy.widensLogits;
    }
    const std::int64_t rows = chunks > 0 ? (shape.validationCount + chunks - 1) / chunks : 0;
    for (std::int64_t done = 0; done < shape.validationCount; done += rows) {
        const std::int64_t here = std::min(rows, shape.validationCount - done);
        if (!plans.evaluationRows.empty() && plans.evaluationRows.back() == here) continue;
        plans.evaluation.push_back(evaluationPlan(settings, shape, here, evaluationPolicy, backend));
        plans.evaluationRows.push_back(here);
    }
    if (shape.context > 0) plans.sampling = evaluationPlan(settings, shape, 1, evaluationPolicy, backend);
    std::int64_t extra = plans.sampling ? 2 * shape.context * static_cast<std::int64_t>(sizeof(std::int32_t)) : 0;  // the sampling window
    const auto count = [&](const Plan& plan) {
        plans.transientBytes = std::max(plans.transientBytes, plan.bytesOf(Arena::Transient));
        withoutScratch = std::max(withoutScratch, plan.bytesOf(Arena::Transient) - plan.memory.scratch);
        extra += plan.bytesOf(Arena::Control);
    };
    for (const Plan& plan : plans.evaluation) count(plan);
    if (plans.sampling) count(*plans.sampling);
    plans.training.memory.workspace += extra + plans.transientBytes - plans.training.bytesOf(Arena::Transient);
    plans.training.memory.scratch = plans.transientBytes - withoutScratch;
    return plans;
}

}  // namespace mantissa
