// SPDX-License-Identifier: Apache-2.0
// The keys of questions about past steps, and of their answers; see codec_values.h.
#pragma once

#include "engine/experiment/messages.h"
#include "engine/wire/codec_examination.h"

namespace mantissa {

template <class A>
void describe(A& a, Ref<A, ExamineStep> m) {
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, MeasureStep> m) {
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, ReadElements> m) {
    a("run", m.run);
    a("step", m.step);
    a("wish", m.request);
}
template <class A>
void describe(A& a, Ref<A, CompareRuns> m) {
    a("run", m.run);
    a("other", m.other);
    a("first_step", m.firstStep);
    a("count", m.count);
    a("every", m.every);
}
template <class A>
void describe(A& a, Ref<A, MeasureThresholds> m) {
    a("run", m.run);
    a("first_step", m.firstStep);
    a("count", m.count);
}
template <class A>
void describe(A& a, Ref<A, StopQuestion> m) {
    a("question", m.question);
}
template <class A>
void describe(A& a, Ref<A, RunsCompared> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("other", m.other);
    a("step", m.comparison.step);
    a("layers", m.comparison.layers);
    a("coarsest", m.comparison.coarsest);
    a("note", m.note);
}
template <class A>
void describe(A& a, Ref<A, TensorsMeasured> m) {
    a("run", m.run);
    a("step", m.stats.step);
    a("loss_scale", m.stats.lossScale);
    a("before_clipping", m.stats.isBeforeClipping);
    a("tensors", m.stats.tensors);
    a("cost", m.cost);
    a("was_asked_for", m.wasAskedFor);
}
template <class A>
void describe(A& a, Ref<A, ElementsRead> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
    a("loss_scale", m.found.lossScale);
    a("total", m.found.total);
    a("elements", m.found.elements);
}
template <class A>
void describe(A& a, Ref<A, ThresholdsMeasured> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("as_if", m.asIf);
    a("thresholds", m.thresholds);
}
template <class A>
void describe(A& a, Ref<A, QuestionProgress> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
    a("work", m.progress.work);
    a("remedy", m.progress.remedy);
    a("done", m.progress.done);
    a("of", m.progress.of);
}

}  // namespace mantissa
