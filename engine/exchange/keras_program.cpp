// SPDX-License-Identifier: Apache-2.0
// The Keras 3 program. Keras runs a step as a whole; the heading lists where its order differs from the run's.
#include <cmath>

#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using python::fill;
using python::number;

constexpr const char* kKerasProgram = R"(@imports@import keras
import numpy as np
from keras import layers, ops

keras.utils.set_random_seed(@seed@)
keras.config.set_dtype_policy("@policy@")


@data@

@model@
@schedule@
optimizer = @optimizer@
@decay@
@scaler@
@smoothing@model.compile(optimizer=optimizer, loss=@loss@, metrics=@metrics@, auto_scale_loss=False)

source = batches()
for step in range(@steps@):
    losses = []
    for _ in range(@accumulate@):
        model.reset_metrics()
        losses.append(model.train_on_batch(*next(source), return_dict=True)["loss"])
    if step % 10 == 0:
        print(f"step {step}: loss {np.mean(losses):.6f}")
    if (step + 1) % @interval@ == 0:
        print(f"step {step}: validation", model.evaluate(x_val, y_val, batch_size=@batch@, verbose=0, return_dict=True))
)";

constexpr const char* kSchedule = R"(
@function@class Schedule(keras.optimizers.schedules.LearningRateSchedule):
    """Keras counts micro-batches."""

    def __init__(self, rate):
        self.rates = rate * np.array([lr_factor(step) for step in range(@steps@)], "float32")

    def __call__(self, micro_batch):
        step = ops.minimum(ops.cast(micro_batch, "int32") // @accumulate@, @last@)
        return ops.take(ops.convert_to_tensor(self.rates), step)

)";

constexpr const char* kSmoothing = R"(def smoothed_loss(y, logits):
    target = ops.one_hot(ops.cast(y, "int32"), @classes@) * (1 - @smoothing@) + @smoothing@ / @classes@
    return keras.losses.categorical_crossentropy(target, logits, from_logits=True)


)";

std::string policyOf(const std::string& policy) {
    if (policy == "fp16") return "mixed_float16";
    if (policy == "pure-fp16") return "float16";
    if (policy == "pure-bf16") return "bfloat16";
    return policy == "fp32" || policy == "tf32" ? "float32" : "mixed_bfloat16";
}

std::string optimizerOf(const TrainingSettings& t, bool hasSchedule) {
    const OptimizerSettings& o = t.optimizer;
    const bool isAdamW = o.kind == "adamw" || o.kind == "muon";
    std::string text = isAdamW ? "AdamW" : o.kind == "adam" ? "Adam" : o.kind == "sgd" ? "SGD" : "Lion";
    text = "keras.optimizers." + text + "(" + (hasSchedule ? "Schedule(" + number(o.lr) + ")" : number(o.lr));
    if (o.kind == "sgd") text += ", momentum=" + number(o.momentum) + ", nesterov=" + python::truth(o.nesterov);
    if (o.kind != "sgd") text += ", beta_1=" + number(o.beta1) + ", beta_2=" + number(o.beta2);
    if (isAdamW || o.kind == "adam") text += ", epsilon=" + number(o.epsilon);
    if (o.weightDecay > 0) text += ", weight_decay=" + number(o.weightDecay);
    if (isAdamW && o.weightDecay == 0) text += ", weight_decay=0.0";
    if (t.clipGradNorm) text += ", global_clipnorm=" + number(*t.clipGradNorm);
    if (t.accumulate > 1) text += ", gradient_accumulation_steps=" + number(t.accumulate);
    return text + ")";
}

/// What Keras does differently or lacks, in addition to what no framework's program supports.
std::vector<std::string> leftOutOfKeras(const RunSettings& run, bool hasSchedule) {
    const TrainingSettings& t = run.training;
    const OptimizerSettings& o = t.optimizer;
    const ScalerPreset scaler = resolvedScaler(t.scaler);
    std::vector<std::string> out = python::leftOutEverywhere(run);
    if (t.precision.policy == "tf32") out.push_back("tf32, which is a setting of Keras' backend.");
    if (t.scaler.preset != "none" && t.scaler.preset != "keras3") {
        out.push_back("the scaler '" + t.scaler.preset +
                      "'; Keras' own begins at its first scale and grows at its interval, by 2, and halves.");
    }
    if (t.scaler.preset == "keras3" && (scaler.growthFactor != 2 || scaler.backoffFactor != 0.5)) {
        out.push_back("growth by " + shortest(scaler.growthFactor) + " and backoff by " + shortest(scaler.backoffFactor) +
                      "; Keras has 2 and 0.5.");
    }
    if (t.scaler.minScale || t.scaler.maxScale) out.push_back("the loss scale's bounds.");
    if (t.unscale == "after_clip" && t.clipGradNorm) out.push_back("clipping before unscaling; Keras clips after it.");
    if (!t.zeroGrad) out.push_back("gradients that add up from step to step; Keras begins each with new ones.");
    if (takesTokens(t.model.kind) && t.model.softmax == "naive") out.push_back("the softmax without its maximum; Keras subtracts it.");
    if (takesTokens(t.model.kind) && std::isfinite(t.model.maskValue))
        out.push_back("the attention mask of " + shortest(t.model.maskValue) + "; it is -inf here.");
    python::noteMuon(out, o);
    if (o.weightDecay > 0 && (o.kind == "adam" || o.kind == "sgd")) out.push_back("decay added to gradients; Keras takes it from weights.");
    if (t.model.labelSmoothing > 0) out.push_back("validation without label smoothing; it is smoothed as training is.");
    const bool isNarrow = t.precision.policy != "fp32" && t.precision.policy != "tf32";
    if (learnsClasses(t.model.kind) && isNarrow && !python::widensLogits(run))
        out.push_back("log-probabilities in the format of the logits; Keras computes its loss in fp32.");
    if (o.dampening > 0) out.push_back("dampening.");
    if (hasSchedule && o.schedule.onSkip == "advance") out.push_back("skipped steps that advance the schedule; Keras' do not.");
    if (!t.init.weights.empty()) out.push_back("the weights " + python::quoted(t.init.weights) + ".");
    if (takesTokens(t.model.kind) && t.model.attention == "fused") out.push_back("fused attention; its scores are a tensor here.");
    return out;
}

}  // namespace

std::string kerasProgram(const RunSettings& run, const DataShape& data, const std::vector<std::string>& remarks) {
    const TrainingSettings& t = run.training;
    const std::string function = python::scheduleFunction(t);
    const bool hasClasses = python::hasClasses(run, data), isSmoothed = hasClasses && t.model.labelSmoothing > 0;
    const ScalerPreset scaler = resolvedScaler(t.scaler);
    const std::string schedule =
        function.empty() ? ""
                         : fill(kSchedule, {{"function", function}, {"accumulate", number(t.accumulate)}, {"last", number(t.steps - 1)}});
    const std::string wrapped =
        "optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=" + number(scaler.firstScale()) +
        ", dynamic_growth_steps=" + number(scaler.kind == ScalerKind::Backoff ? scaler.growthInterval : std::int64_t{1} << 30) + ")";
    const std::string program = fill(
        kKerasProgram,
        {{"seed", std::to_string(t.init.seed % (std::uint64_t{1} << 32))},
         {"policy", policyOf(t.precision.policy)},
         {"data", python::dataFunctions(run, data)},
         {"model", kerasModel(t.model, data)},
         {"schedule", schedule},
         {"optimizer", optimizerOf(t, !function.empty())},
         {"decay",
          t.optimizer.decay == "matrices" ? R"(optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta", "scale"]))" : ""},
         {"scaler", t.scaler.preset == "none" ? "" : wrapped},
         {"loss", isSmoothed   ? "smoothed_loss"
                  : hasClasses ? "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
                               : "\"mean_squared_error\""},
         {"metrics", hasClasses ? "[\"sparse_categorical_accuracy\"]" : "None"},
         {"smoothing",
          isSmoothed ? fill(kSmoothing, {{"classes", number(data.classes)}, {"smoothing", number(t.model.labelSmoothing)}}) : ""},
         {"steps", number(programSteps(t))},
         {"accumulate", number(t.accumulate)},
         {"interval", number(t.validationInterval)},
         {"batch", number(t.data.batchSize)}});
    std::vector<std::string> leftOut = leftOutOfKeras(run, !function.empty());
    leftOut.insert(leftOut.end(), remarks.begin(), remarks.end());
    return python::heading(run, "Keras 3", "It takes the run's batches. Keras draws the weights: losses agree in size, not digit by digit.",
                           leftOut) +
           fill(program, {{"imports", python::importsOf(program)}});
}

}  // namespace mantissa
