// SPDX-License-Identifier: Apache-2.0
#include "engine/training/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/dataset.h"
#include "engine/training/device_steps.h"
#include "engine/training/trainer.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa {
namespace {

TrainingSettings smallModel(const std::string& kind) {
    TrainingSettings settings;
    settings.model.kind = kind;
    settings.model.hidden = {64, 32};
    settings.model.activation = "gelu";
    settings.model.depth = 8;
    settings.model.nLayer = 2;
    settings.model.nHead = 2;
    settings.model.nEmbd = 32;
    settings.data.batchSize = 16;
    if (takesTokens(kind)) {
        settings.data.name = "opticks";
        settings.data.context = 32;
    }
    settings.validationInterval = std::numeric_limits<std::int64_t>::max();
    return settings;
}

/// Largest difference of two records, in units of the limit.
double distance(Dtype compute, const StepRecord& ours, const StepRecord& theirs) {
    if (ours.lossScale != theirs.lossScale || ours.flags != theirs.flags) return INFINITY;
    if (std::isnan(ours.loss) || std::isnan(theirs.loss)) return std::isnan(ours.loss) && std::isnan(theirs.loss) ? 0 : INFINITY;
    return ours.loss == theirs.loss ? 0 : std::fabs(ours.loss - theirs.loss) / conformance::trajectoryLimit(compute, theirs.loss);
}

/// The record of a change's first step.
struct Acknowledged {
    std::int64_t step = -1;
    std::uint32_t flags = 0;
    double lossScale = 1;

    bool isToldBy(const StepRecord& record) const {
        const std::uint32_t reported = record.flags & (kFlagSettingChanged | kFlagSwitchedPlan);
        return record.step == step ? reported == flags && record.lossScale == lossScale : reported == 0;
    }
};

Acknowledged apply(const AgreementChange& change, Trainer& ours, Trainer& theirs) {
    const double scale = static_cast<double>(ours.scaler().scale()) * change.scaleFactor;
    for (Trainer* const trainer : {&ours, &theirs}) {
        if (change.scaleFactor != 1) trainer->setLossScale(scale);
        if (change.policy.empty()) continue;
        TrainingSettings next = trainer->settings();
        next.precision.policy = change.policy;
        trainer->change(next);
    }
    return {ours.nextStep(), kFlagSettingChanged | (change.policy.empty() ? 0u : kFlagSwitchedPlan), scale};
}

AgreementRun runOf(const std::string& kind, const std::string& policy, std::int64_t steps) {
    AgreementRun run{kind + " " + policy, smallModel(kind), steps};
    run.settings.precision.policy = policy;
    run.settings.scaler = defaultScaler(policy);
    run.settings.steps = steps + 1;  // no validation in the last step
    return run;
}

/// Checks when a change of format takes effect: at a scale of 2^40 only fp16 gradients are infinite, so the first step that uses fp16
/// overflows and no earlier one does. Its scaler then backs off.
AgreementRun switchedRun(const std::string& kind) {
    AgreementRun run = runOf(kind, "fp16", conformance::kLowTrajectorySteps);
    run.name = kind + " switched";
    if (kind == "gpt") run.settings.model.attention = "fused";  // the other runs store their scores
    run.settings.scaler.backoffFactor = 0x1p-24;
    run.changes = {{.step = 4, .scaleFactor = 2},
                   {.step = 7, .policy = "bf16", .scaleFactor = 0x1p23},
                   {.step = 11, .policy = "fp8"},
                   {.step = 15, .policy = "fp16"}};
    return run;
}

}  // namespace

std::vector<AgreementRun> agreementRuns(std::int64_t steps) {
    const std::int64_t few = std::min<std::int64_t>(steps, conformance::kLowTrajectorySteps);
    std::vector<AgreementRun> runs;
    for (const std::string kind : {"mlp", "autoencoder", "resnet", "gpt", "llama"}) {
        for (const std::string policy : {"fp32", "tf32", "fp16", "bf16", "fp8"})
            runs.push_back(runOf(kind, policy, policy == "fp32" ? steps : few));
    }
    for (const std::string policy : {"fp8-block", "mxfp8", "nvfp4"}) {
        runs.push_back(runOf("mlp", policy, few));
        runs.back().settings.data.batchSize = 32;  // sizes that a GPU which multiplies such formats takes
    }
    for (const std::string kind : {"mlp", "gpt"}) runs.push_back(switchedRun(kind));
    return runs;
}

Agreement compareTraining(const AgreementRun& run, const std::shared_ptr<Backend>& backend, const std::shared_ptr<Backend>& reference) {
    const std::shared_ptr<const Dataset> dataset = loadDataset(run.settings.data);
    Trainer ours(run.settings, dataset, backend), theirs(run.settings, dataset, reference);
    Agreement agreement{.name = run.name, .steps = run.steps};
    auto change = run.changes.begin();
    Acknowledged acknowledged;
    while (ours.nextStep() < run.steps) {
        if (change != run.changes.end() && change->step <= ours.nextStep()) acknowledged = apply(*change++, ours, theirs);
        const Dtype compute = ours.policy().compute;
        const bool isLast = change == run.changes.end();
        constexpr std::int64_t kFewAhead = 2;  // a change then takes effect soon
        ours.steps(run.steps - ours.nextStep(), isLast ? DeviceSteps::kMostAhead : kFewAhead, [&](const StepRecord& record) {
            const double lossesApart = distance(compute, record, theirs.step());
            const double apart = acknowledged.isToldBy(record) ? lossesApart : INFINITY;
            if (apart > agreement.worst || agreement.worstStep < 0) agreement.worst = apart, agreement.worstStep = record.step;
            return isLast || record.step + 1 < change->step;
        });
    }
    return agreement;
}

}  // namespace mantissa
