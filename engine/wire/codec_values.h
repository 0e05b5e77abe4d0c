// SPDX-License-Identifier: Apache-2.0
// The keys of values in messages. One description serves both directions: it passes each field to `Writer` or `Reader`.
#pragma once

#include <string>
#include <type_traits>

#include "engine/experiment/messages.h"

namespace mantissa {

class Writer;
class Reader;
template <class Archive, class T>
using Ref = std::conditional_t<std::is_same_v<Archive, Writer>, const T&, T&>;

template <class A>
void describe(A& a, Ref<A, MemoryLedger> m) {
    a("weights", m.weights);
    a("master_weights", m.masterWeights);
    a("gradients", m.gradients);
    a("optimizer", m.optimizer);
    a("activations", m.activations);
    a("workspace", m.workspace);
    a("scratch", m.scratch);
}
template <class A>
void describe(A& a, Ref<A, ProductRates> m) {
    a("format", m.format);
    a("flops_per_sample", m.flopsPerSample);
    a("tokens_per_sample", m.tokensPerSample);
    a("peak", m.peak);
    a("ceiling", m.measuredPeak);
}
template <class A>
void describe(A& a, Ref<A, LayerLine> m) {
    a("layer", m.layer);
    a("operation", m.operation);
    a("format", m.format);
    a("parameters", m.parameters);
    a("output_bytes", m.outputBytes);
}
template <class A>
void describe(A& a, Ref<A, WatchInfo> m) {
    a("link", m.link);
    a("key", m.key);
    a("process", m.process);
    a("rank", m.rank);
    a("world", m.world);
    a("dropped", m.dropped);
    a("statistics_period", m.statisticsPeriod);
    a("problems", m.problems);
}
template <class A>
void describe(A& a, Ref<A, RunInfo> m) {
    a("id", m.id);
    a("settings", m.settings);
    a("policy", m.policy);
    a("policy_reason", m.policyReason);
    a("is_emulated", m.isEmulated);
    a("scaler_preset", m.scalerPreset);
    a("scaler_is_dynamic", m.scalerIsDynamic);
    a("memory", m.memory);
    a("allocated_bytes", m.allocatedBytes);
    a("device_used_bytes", m.deviceUsedBytes);
    a("products", m.products);
    a("model_text", m.modelText);
    a("layers", m.layers);
    a("kind", m.kind);
    a("parent", m.parent);
    a("first_step", m.firstStep);
    a("origin", m.origin);
    a("watch", m.watch);
}
template <class A>
void describe(A& a, Ref<A, DeviceInfo> m) {
    a("name", m.name);
    a("description", m.description);
    a("available", m.available);
    a("reason", m.reason);
    a("threads", m.threads);
}
template <class A>
void describe(A& a, Ref<A, BundledExperiment> m) {
    a("name", m.name);
    a("title", m.title);
    a("description", m.description);
    a("data", m.data);
    a("look_for", m.lookFor);
    a("group", m.group);
}
template <class A>
void describe(A& a, Ref<A, FirstNonFinite> m) {
    a("step", m.step);
    a("layer", m.layer);
    a("operation", m.operation);
    a("phase", m.phase);
    a("tensor", m.tensor);
    a("class", m.cls);
}
template <class A>
void describe(A& a, Ref<A, PreviewedRun> m) {
    a("name", m.name);
    a("policy", m.policy);
    a("policy_reason", m.policyReason);
    a("memory", m.memory);
    a("largest_batch", m.largestBatch);
}
template <class A>
void describe(A& a, Ref<A, SettingChange> m) {
    a("pointer", m.pointer);
    a("value", m.value);
}
template <class A>
void describe(A& a, Ref<A, RunStyle> m) {
    a("run", m.run);
    a("identity", m.identity);
}
template <class A>
void describe(A& a, Ref<A, Note> m) {
    a("id", m.id);
    a("run", m.run);
    a("step", m.step);
    a("text", m.text);
}
template <class A>
void describe(A& a, Ref<A, ListedRun> m) {
    a("policy", m.policy);
    a("steps", m.steps);
    a("loss_steps", m.lossSteps);
    a("losses", m.losses);
}
template <class A>
void describe(A& a, Ref<A, ListedRecording> m) {
    a("path", m.path);
    a("title", m.title);
    a("started", m.started);
    a("steps", m.steps);
    a("bytes", m.bytes);
    a("runs", m.runs);
}
template <class A>
void describe(A& a, Ref<A, ElementClasses> m) {
    a("negative_inf", m.negativeInf);
    a("negative", m.negative);
    a("zero", m.zero);
    a("positive", m.positive);
    a("positive_inf", m.positiveInf);
    a("nan", m.nan);
    a("first_non_finite", m.firstNonFinite);
    a("abs_max", m.absMax);
}
template <class A>
void describe(A& a, Ref<A, StepThreshold> m) {
    a("step", m.step);
    a("highest", m.highest);
    a("overflow_from", m.overflowFrom);
    a("gradient_max", m.gradientMax);
}
template <class A>
void describe(A& a, Ref<A, TensorStats> m) {
    a("tensor", m.tensor);
    a("layer", m.layer);
    a("operation", m.operation);
    a("phase", m.phase);
    a("role", m.role);
    a("storage", m.storage);
    a("is_scaled", m.isScaled);
    a("elements", m.elements);
    a("classes", m.classes);
    a("smallest", m.smallest);
    a("passed", m.passed);
    a.cells(m.magnitudes.cells);
    a.sketch(m.sketch);
    a("meant", m.meant);
    a("swallowed", m.lost);
}
template <class A>
void describe(A& a, Ref<A, TensorName> m) {
    a("tensor", m.tensor);
    a("layer", m.layer);
    a("operation", m.operation);
    a("phase", m.phase);
    a("role", m.role);
}
template <class A>
void describe(A& a, Ref<A, ElementRequest> m) {
    a("tensors", m.tensors);
    a("kind", m.kind);
    a("from", m.from);
    a("below", m.below);
    a("limit", m.limit);
}
template <class A>
void describe(A& a, Ref<A, Element> m) {
    a("tensor", m.tensor);
    a("index", m.index);
    a("storage", m.storage);
    a("is_scaled", m.isScaled);
    a("value", m.value);
    a("bits", m.bits);
    a("wide", m.wide);
}
/// The columns of StepsRecorded.
template <class Visit>
void eachColumn(Visit visit) {
    visit("step", &StepRecord::step);
    visit("samples", &StepRecord::samples);
    visit("epoch", &StepRecord::epoch);
    visit("wall_s", &StepRecord::wallSeconds);
    visit("loss", &StepRecord::loss);
    visit("val_loss", &StepRecord::validationLoss);
    visit("val_accuracy", &StepRecord::validationAccuracy);
    visit("loss_scale", &StepRecord::lossScale);
    visit("skipped_total", &StepRecord::skippedTotal);
    visit("grad_norm", &StepRecord::gradNorm);
    visit("lr", &StepRecord::lr);
    visit("step_ms", &StepRecord::stepMs);
    visit("samples_per_s", &StepRecord::samplesPerSecond);
    visit("memory_bytes", &StepRecord::memoryBytes);
    visit("flags", &StepRecord::flags);
}

}  // namespace mantissa
