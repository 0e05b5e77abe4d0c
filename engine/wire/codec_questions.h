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
void describe(A& a, Ref<A, MeasureTimes> m) {
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, ReadElements> m) {
    a("run", m.run);
    a("step", m.step);
    a("wish", m.request);
    a("is_of_blocks", m.isOfBlocks);
    a("as", m.asPolicy);
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
void describe(A& a, Ref<A, ScaleBin> m) {
    a("exponent", m.exponent);
    a("blocks", m.blocks);
}
template <class A>
void describe(A& a, Ref<A, BlockMap> m) {
    a("rows", m.rows);
    a("cols", m.cols);
    a("block_rows_per_cell", m.blockRowsPerCell);
    a("block_cols_per_cell", m.blockColsPerCell);
    const auto cells = std::int64_t{m.rows} * m.cols;
    a.floats("sqnr", m.sqnr, cells);
    a.floats("flushed", m.flushed, cells);
}
template <class A>
void describe(A& a, Ref<A, OperandBlocks> m) {
    a("tensor", m.tensor);
    a("layer", m.layer);
    a("products", m.products);
    a("operand", m.operand);
    a("format", m.format);
    a("rows", m.rows);
    a("cols", m.cols);
    a("block_rows", m.blockRows);
    a("block_cols", m.blockCols);
    a("is_requantized", m.isRequantized);
    a("is_rotated", m.isRotated);
    a("is_stochastic", m.isStochastic);
    a("non_zero", m.nonZero);
    a("flushed", m.flushed);
    a("saturated", m.saturated);
    a("blocks", m.blocks);
    a("zero_blocks", m.zeroBlocks);
    a("zero_scales", m.zeroScales);
    a("nan_scales", m.nanScales);
    a("scales", m.scales);
    a("smallest_scale", m.smallestScale);
    a("largest_scale", m.largestScale);
    a("factor", m.factor);
    a("sqnr", m.sqnr);
    a("largest", m.largest);
    a("largest_rotated", m.largestRotated);
    a("map", m.map);
}
template <class A>
void describe(A& a, Ref<A, ElementsRead> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
    a("loss_scale", m.found.lossScale);
    a("total", m.found.total);
    a("elements", m.found.elements);
    a("blocks", m.blocks);
}
template <class A>
void describe(A& a, Ref<A, OperationTime> m) {
    a("operation", m.operation);
    a("kind", m.kind);
    a("compute", m.compute);
    a("runs", m.runs);
    a("flops", m.flops);
    a("bytes", m.bytes);
    a("seconds", m.seconds);
    a("limit", m.limit);
    a("peak_tflops", m.peakTflops);
}
template <class A>
void describe(A& a, Ref<A, StepTimes> m) {
    a("device", m.device);
    a("operations", m.operations);
    a("seconds", m.seconds);
    a("short_seconds", m.shortSeconds);
    a("compute_seconds", m.byLimit[0]);
    a("memory_seconds", m.byLimit[1]);
    a("launch_seconds", m.byLimit[2]);
    a("step_seconds", m.stepSeconds);
    a("notes", m.notes);
}
template <class A>
void describe(A& a, Ref<A, TimesMeasured> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
    a("times", m.times);
    a("predictions", m.predictions);
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
