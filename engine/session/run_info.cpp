// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_info.h"

#include <algorithm>

#include "engine/plan/architecture.h"
#include "engine/plan/product_rate.h"
#include "kernels/nvml.h"
#include "kernels/peak_rates.h"

namespace mantissa {
namespace {

/// `plan`: of this policy; null: not known.
bool emulates(const Policy& policy, const Plan* plan, const Backend& backend) {
    const bool decodes = policy.blocks && (plan == nullptr || decodesBlocks(*plan, backend));
    return !backend.isNative(policy.compute) || decodes || (policy.hasFp8Products && !backend.isNative(Dtype::E4M3)) ||
           std::any_of(policy.overrides.begin(), policy.overrides.end(), [&](const PrecisionOverride& forced) {
               return std::any_of(forced.dtypes.begin(), forced.dtypes.end(),
                                  [&](const auto& dtype) { return dtype && !backend.isNative(*dtype); });
           });
}

ProductRates productsOf(const RepeatableRun& run) {
    const RunCourse& course = run.course();
    const ProductWork work = productWork(run.trainer().plan());
    return {.format = std::string(isFp8(work.compute) ? "fp8" : facts(work.compute).name),
            .flopsPerSample = work.flops / static_cast<double>(course.settings.training.data.batchSize),
            .tokensPerSample = course.dataset->kind == DataKind::Tokens ? course.dataset->tokens.context : 0,
            .peak = peakTflops(course.backend->device().description, work.compute),
            .measuredPeak = knownPeak(*course.backend, work.compute).value_or(0)};
}

}  // namespace

RunInfo runInfo(const RepeatableRun& run) {
    const RunCourse& course = run.course();
    const Trainer& trainer = run.trainer();
    const Policy& policy = trainer.policy();
    RunInfo info;
    info.id = course.id;
    info.kind = course.isWhatIf() ? RunKind::WhatIf : RunKind::Live;
    info.parent = course.parent;
    info.firstStep = course.firstStep;
    info.settings = course.settings;
    info.policy = policy.name;
    info.policyReason = policy.reason;
    const std::string& evaluation = course.settings.training.evalPrecision;
    info.isEmulated = emulates(policy, &trainer.plan(), *course.backend) ||
                      (!evaluation.empty() &&
                       emulates(resolvePolicy({.policy = evaluation, .overrides = {}}, *course.backend), nullptr, *course.backend));
    info.scalerPreset = course.settings.training.scaler.preset;
    info.scalerIsDynamic = trainer.scaler().isDynamic();
    info.memory = trainer.plan().memory;
    info.allocatedBytes = trainer.allocatedBytes();
    info.deviceUsedBytes = usedDeviceBytes(course.backend->device().busId).value_or(-1);
    info.products = productsOf(run);
    info.layers = layerLines(trainer.plan());
    info.modelText = modelText(course.settings.training.model, shapeOf(*course.dataset));
    return info;
}

bool measurePeak(const RepeatableRun& run) {
    Backend& backend = *run.course().backend;
    const Dtype compute = productWork(run.trainer().plan()).compute;
    if (run.trainer().nextStep() == run.course().firstStep || knownPeak(backend, compute)) return false;
    measurePeak(backend, compute);
    return true;
}

}  // namespace mantissa
