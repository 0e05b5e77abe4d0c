// SPDX-License-Identifier: Apache-2.0
// The keys of the parts of an examination and of a run comparison; see codec_values.h.
#pragma once

#include "engine/wire/codec_values.h"

namespace mantissa {

template <class A>
void describe(A& a, Ref<A, TensorRange> m) {
    a("name", m.name);
    a("format", m.format);
    a("shape", m.shape);
    a("non_finite", m.nonFinite);
    a("abs_min", m.absMin);
    a("abs_max", m.absMax);
}
template <class A>
void describe(A& a, Ref<A, ChainLink> m) {
    a("layer", m.layer);
    a("operation", m.operation);
    a("phase", m.phase);
    a("tensor", m.tensor);
    a("format", m.format);
    a("abs_max", m.absMax);
    a("non_finite", m.nonFinite);
}
template <class A>
void describe(A& a, Ref<A, ProvenanceCard> m) {
    a("layer", m.layer);
    a("operation", m.operation);
    a("phase", m.phase);
    a("tensor", m.tensor);
    a("class", m.cls);
    a("format", m.format);
    a("storage", m.storage);
    a("shape", m.shape);
    a("instruction", m.instruction);
    a("instructions", m.instructions);
    a("element", m.element);
    a("non_finite", m.nonFinite);
    a("elements", m.elements);
    a("bits", m.bits);
    a("is_producer", m.isProducer);
    a("wide", m.wide);
    a("wide_max", m.wideMax);
    a("wide_max_at", m.wideMaxAt);
    a("format_max", m.formatMax);
    a("product_sum", m.productSum);
    a("micro_batch", m.microBatch);
    a("micro_batches", m.microBatches);
    a("data_row", m.dataRow);
    a("is_row_of_text", m.isRowOfText);
    a("operands", m.operands);
    a("chain", m.chain);
    a("found_inf", m.foundInf);
    a("parameters", m.parameters);
}
template <class A>
void describe(A& a, Ref<A, Text> m) {
    a("parts", m.parts);
}
template <class A>
void describe(A& a, Ref<A, TextPart> m) {
    a("pattern", m.pattern);
    a("arguments", m.arguments);
}
template <class A>
void describe(A& a, Ref<A, TextArgument> m) {
    using Kind = TextArgument::Kind;
    a("kind", m.kind);
    if (m.kind == Kind::Count) a("count", m.count);
    if (m.kind == Kind::Figure || m.kind == Kind::Percent || m.kind == Kind::PowerOfTwo) a("value", m.value);
    if (m.kind == Kind::Figure) a("digits", m.digits);
    if (m.kind == Kind::Name) a("name", m.name);
    if (m.kind == Kind::Text) a("text", m.text);
}
template <class A>
void describe(A& a, Ref<A, Trial> m) {
    a("label", m.label);
    a("policy", m.policy);
    a("scale", m.scale);
    a("overridden_layer", m.overriddenLayer);
    a("is_as_used", m.isAsUsed);
    a("is_reference", m.isReference);
    a("is_forward_finite", m.isForwardFinite);
    a("non_finite", m.nonFinite);
    a("flushed_share", m.flushedShare);
    a("difference", m.difference);
    a("loss", m.loss);
    a("failure", m.failure);
}
template <class A>
void describe(A& a, Ref<A, SkipVerdict> m) {
    a("kind", m.kind);
    a("headline", m.headline);
    a("explanation", m.explanation);
    a("is_normal_probing", m.isNormalProbing);
    a("safe_scale", m.safeScale);
    a("suspect_layer", m.suspectLayer);
    a("factor", m.factor);
    a("would_not_help", m.wouldNotHelp);
}
template <class A>
void describe(A& a, Ref<A, Remedy> m) {
    a("label", m.label);
    a("pointer", m.pointer);
    a("value", m.value);
    a("steps", m.steps);
    a("skips", m.skips);
    a("non_finite", m.nonFinite);
    a("helps", m.helps);
    a("sentence", m.sentence);
    a("loss", m.loss);
    a("validation_loss", m.validationLoss);
    a("validation_accuracy", m.validationAccuracy);
    a("rewind_to", m.rewindTo);
    a("fp32_flops", m.fp32Flops);
    a("fp32_bytes", m.fp32Bytes);
}
template <class A>
void describe(A& a, Ref<A, RunPast::Change> m) {
    a("step", m.step);
    a("pointer", m.pointer);
    a("label", m.label);
    a("from", m.from);
    a("to", m.to);
    a("before", m.before);
}
template <class A>
void describe(A& a, Ref<A, RunPast> m) {
    a("usual_loss", m.usualLoss);
    a("highest_loss", m.highestLoss);
    a("usual_grad_norm", m.usualGradNorm);
    a("grad_norm_spread", m.gradNormSpread);
    a("usual_until", m.usualUntil);
    a("healthy_until", m.healthyUntil);
    a("latest_loss", m.latestLoss);
    a("latest_mean", m.latestMean);
    a("first_loss", m.firstLoss);
    a("first_mean", m.firstMean);
    a("steps", m.steps);
    a("changes", m.changes);
}
template <class A>
void describe(A& a, Ref<A, SilentFinding> m) {
    a("kind", m.kind);
    a("layer", m.layer);
    a("tensor", m.tensor);
    a("value", m.value);
}
template <class A>
void describe(A& a, Ref<A, Gauge> m) {
    a("kind", m.kind);
    a("severity", m.severity);
    a("value", m.value);
    a("sentence", m.sentence);
}
template <class A>
void describe(A& a, Ref<A, Examination> m) {
    a("step", m.step);
    a("policy", m.policy);
    a("loss_scale", m.lossScale);
    a("was_skipped", m.wasSkipped);
    a("card", m.card);
    a("trials", m.trials);
    a("verdict", m.verdict);
    a("remedies", m.remedies);
    a("past", m.past);
    a("silent", m.silent);
    a("gauges", m.gauges);
    a("card_ms", m.cardMs);
    a("all_ms", m.allMs);
    a("was_stopped", m.wasStopped);
}
template <class A>
void describe(A& a, Ref<A, LayerDifference> m) {
    a("layer", m.layer);
    a("role", m.role);
    a("tensor", m.tensor);
    a("distance", m.distance);
    a("length", m.length);
    a("elements", m.elements);
    a("broken", m.broken);
    a("alike", m.alike);
}

}  // namespace mantissa
