// SPDX-License-Identifier: Apache-2.0
#include "engine/training/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/dataset.h"
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

/// In units of the limit.
double distance(Dtype compute, const StepRecord& ours, const StepRecord& theirs) {
    if (ours.lossScale != theirs.lossScale) return INFINITY;
    if (std::isnan(ours.loss) || std::isnan(theirs.loss)) return std::isnan(ours.loss) && std::isnan(theirs.loss) ? 0 : INFINITY;
    return ours.loss == theirs.loss ? 0 : std::fabs(ours.loss - theirs.loss) / conformance::trajectoryLimit(compute, theirs.loss);
}

}  // namespace

std::vector<AgreementRun> agreementRuns(std::int64_t steps) {
    std::vector<AgreementRun> runs;
    for (const std::string kind : {"mlp", "autoencoder", "resnet", "gpt", "llama"}) {
        for (const std::string policy : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
            AgreementRun run{kind + " " + policy, smallModel(kind), std::min<std::int64_t>(steps, conformance::kLowTrajectorySteps)};
            if (policy == "fp32") run.steps = steps;
            run.settings.precision.policy = policy;
            run.settings.scaler = defaultScaler(policy);
            run.settings.steps = run.steps + 1;  // so that no last step validates
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

Agreement compareTraining(const AgreementRun& run, const std::shared_ptr<Backend>& backend, const std::shared_ptr<Backend>& reference) {
    const std::shared_ptr<const Dataset> dataset = loadDataset(run.settings.data);
    Trainer ours(run.settings, dataset, backend), theirs(run.settings, dataset, reference);
    Agreement agreement{.name = run.name, .steps = run.steps};
    while (ours.nextStep() < run.steps) {
        for (const StepRecord& record : ours.steps(run.steps - ours.nextStep())) {  // as sessions take them
            const double apart = distance(ours.policy().compute, record, theirs.step());
            if (apart > agreement.worst || agreement.worstStep < 0) agreement.worst = apart, agreement.worstStep = record.step;
        }
    }
    return agreement;
}

}  // namespace mantissa
