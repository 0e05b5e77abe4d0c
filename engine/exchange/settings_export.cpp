// SPDX-License-Identifier: Apache-2.0
// A run's settings as the files that configure trainers: Hugging Face's TrainingArguments, Accelerate's launcher, DeepSpeed.
// Sources: transformers/training_args.py and trainer_optimizer.py; accelerate/commands/config/config_args.py; deepspeed/runtime/config.py,
// precision_config.py, lr_schedules.py and fp16/loss_scaler.py.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

constexpr std::int64_t kLeastWarmup = 2;  // minimum of DeepSpeed's WarmupLR

/// The words of a list that begins with what every trainer's program brings itself. `said`: the run without what the file says.
std::vector<std::string> leftOutOf(const RunSettings& said) {
    const TrainingSettings& t = said.training;
    std::vector<std::string> out{"the model and the data set, which the training program brings."};
    for (const std::string& each : python::leftOutEverywhere(said)) out.push_back(each);
    if (isPure(t.precision.policy)) out.push_back("weights in the low format alone; the framework keeps FP32 master weights.");
    if (t.unscale == "after_clip" && t.clipGradNorm) out.push_back("clipping before unscaling; the framework clips after it.");
    if (!t.zeroGrad) out.push_back("gradients that add up from step to step.");
    if (!t.init.weights.empty()) out.push_back("the initial weights " + python::quoted(t.init.weights) + ".");
    return out;
}

/// The mixed precision setting: "fp16", "bf16" or "no".
std::string mixedPrecision(const std::string& policy) {
    if (policy == "fp16" || policy == "pure-fp16") return "fp16";
    return policy == "fp32" || policy == "tf32" ? "no" : "bf16";  // bf16; also fp8 and auto, which leftOutEverywhere reports
}

/// Reports a scaler that differs from `theirs` ("torch.amp.GradScaler").
void noteScaler(std::vector<std::string>& out, const TrainingSettings& t, const std::string& theirs) {
    const bool isFp16 = mixedPrecision(t.precision.policy) == "fp16";
    if (isFp16 && t.scaler.preset == "none")
        out.push_back("training without a loss scale; with fp16 the framework always has " + theirs + ".");
    if (!isFp16 && t.scaler.preset != "none")
        out.push_back("the loss scaler '" + t.scaler.preset + "'; the framework has one with fp16 alone.");
}

/// Hugging Face and Accelerate use GradScaler's defaults; only a program can set its numbers.
void noteGradScaler(std::vector<std::string>& out, const TrainingSettings& t) {
    noteScaler(out, t, "torch.amp.GradScaler");
    if (mixedPrecision(t.precision.policy) != "fp16" || t.scaler.preset == "none") return;
    const ScalerPreset ours = resolvedScaler(t.scaler), theirs = resolvedScaler({.preset = "pytorch"});
    const bool isSame = ours.initScale == theirs.initScale && ours.growthFactor == theirs.growthFactor &&
                        ours.backoffFactor == theirs.backoffFactor && ours.growthInterval == theirs.growthInterval;
    if (t.scaler.preset != "pytorch")
        out.push_back("the rules of the loss scaler '" + t.scaler.preset + "'; torch.amp.GradScaler has its own.");
    if (t.scaler.minScale || t.scaler.maxScale) out.push_back("the loss scale's bounds; torch.amp.GradScaler has none.");
    if (!isSame && ours.kind == ScalerKind::Backoff)
        out.push_back("the loss scaler's numbers; a program gives them to Accelerator as GradScalerKwargs(init_scale=" +
                      python::number(ours.initScale) + ", growth_factor=" + python::number(ours.growthFactor) + ", backoff_factor=" +
                      python::number(ours.backoffFactor) + ", growth_interval=" + python::number(ours.growthInterval) + ").");
}

void noteWarmup(std::vector<std::string>& out, const ScheduleSettings& s) {
    if (s.warmupSteps > 0) out.push_back("the warm-up's first part; the framework's warm-up begins at a learning rate of 0.");
    const bool isConstant = s.kind == "constant" && s.warmupSteps == 0;
    if (!isConstant && s.onSkip == "advance") out.push_back("skipped steps that advance the schedule; the framework's do not.");
}

std::int64_t scheduleSteps(const TrainingSettings& t) {
    return t.optimizer.schedule.totalSteps > 0 ? t.optimizer.schedule.totalSteps : t.steps;
}

std::string written(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json deepSpeedOptimizer(const OptimizerSettings& o) {
    Json parameters{{"lr", o.lr}};
    if (o.kind == "sgd") {
        parameters["momentum"] = o.momentum;
        parameters["dampening"] = o.dampening;
        parameters["nesterov"] = o.nesterov;
    } else {
        parameters["betas"] = {o.beta1, o.beta2};
        if (o.kind != "lion") parameters["eps"] = o.epsilon;
    }
    parameters["weight_decay"] = o.weightDecay;
    if (o.kind == "adam") parameters["adam_w_mode"] = false;  // otherwise DeepSpeed's Adam decays as AdamW
    const char* type = o.kind == "sgd" ? "SGD" : o.kind == "adam" ? "Adam" : o.kind == "lion" ? "Lion" : "AdamW";
    return {{"type", type}, {"params", parameters}};
}

/// DeepSpeed's schedule with a warm-up, torch.optim.lr_scheduler's without one. Null for a constant rate.
Json deepSpeedSchedule(const TrainingSettings& t) {
    const ScheduleSettings& s = t.optimizer.schedule;
    const std::int64_t total = scheduleSteps(t), warmup = s.warmupSteps;
    if (warmup == 0) {
        if (s.kind == "linear")
            return {{"type", "LinearLR"}, {"params", {{"start_factor", 1.0}, {"end_factor", 0.0}, {"total_iters", total}}}};
        if (s.kind == "cosine") return {{"type", "CosineAnnealingLR"}, {"params", {{"T_max", total}}}};
        if (s.kind == "step") return {{"type", "StepLR"}, {"params", {{"step_size", s.every}, {"gamma", s.factor}}}};
        return {};
    }
    Json parameters{{"warmup_num_steps", warmup}, {"warmup_type", "linear"}};
    if (s.kind == "cosine") {
        parameters["total_num_steps"] = total;
        parameters["warmup_min_ratio"] = 0.0;
        parameters["cos_min_ratio"] = 0.0;
        return {{"type", "WarmupCosineLR"}, {"params", parameters}};
    }
    parameters["warmup_min_lr"] = 0.0;
    parameters["warmup_max_lr"] = t.optimizer.lr;
    if (s.kind == "linear") parameters["total_num_steps"] = total;
    return {{"type", s.kind == "linear" ? "WarmupDecayLR" : "WarmupLR"}, {"params", parameters}};
}

Json deepSpeedFp16(const ScalerPreset& s) {
    if (s.kind != ScalerKind::Backoff) return {{"enabled", true}, {"loss_scale", s.kind == ScalerKind::Fixed ? s.initScale : 1.0}};
    const bool isConsecutive = s.refill == HysteresisRefill::OnCleanStep;
    Json block{{"enabled", true},
               {"loss_scale", 0},
               {"initial_scale_power", static_cast<std::int64_t>(std::lround(std::log2(s.initScale)))},
               {"loss_scale_window", s.growthInterval},
               {"hysteresis", std::max<std::int64_t>(s.hysteresis, 1)}};
    if (isConsecutive) block["consecutive_hysteresis"] = true;
    block["min_loss_scale"] = std::max<std::int64_t>(std::llround(s.minScale), 1);
    return block;
}

void noteDeepSpeedScaler(std::vector<std::string>& out, const TrainingSettings& t) {
    if (t.scaler.preset != "none") noteScaler(out, t, "its own loss scaler");  // a scale of 1 that stays is none
    if (mixedPrecision(t.precision.policy) != "fp16" || t.scaler.preset == "none") return;
    const ScalerPreset s = resolvedScaler(t.scaler);
    if (s.kind == ScalerKind::Fixed) return;
    if (s.kind != ScalerKind::Backoff)
        return out.push_back("the rules of the loss scaler '" + t.scaler.preset + "'; DeepSpeed's loss scale is 1 here and stays.");
    if (!t.scaler.preset.starts_with("deepspeed"))
        out.push_back("the rules of the loss scaler '" + t.scaler.preset +
                      "'; DeepSpeed's own begins at its first scale and grows at its interval.");
    if (s.growthFactor != 2 || s.backoffFactor != 0.5)
        out.push_back("growth by " + shortest(s.growthFactor) + " and backoff by " + shortest(s.backoffFactor) +
                      "; DeepSpeed has 2 and 0.5.");
    if (std::exp2(std::round(std::log2(s.initScale))) != s.initScale)
        out.push_back("the initial scale " + shortest(s.initScale) + "; DeepSpeed's is a power of two.");
    if (t.scaler.maxScale) out.push_back("the loss scale's upper bound.");
    if (t.scaler.minScale && (*t.scaler.minScale < 1 || std::round(*t.scaler.minScale) != *t.scaler.minScale))
        out.push_back("the smallest scale " + shortest(*t.scaler.minScale) + "; DeepSpeed's is a whole number from 1 on.");
}

}  // namespace

Snippet huggingFaceSettings(const RunSettings& run) {
    const TrainingSettings& t = run.training;
    const OptimizerSettings& o = t.optimizer;
    const ScheduleSettings& s = o.schedule;
    const std::string mixed = mixedPrecision(t.precision.policy);
    RunSettings said = run;
    said.training.model.gradientCheckpointing = false;
    if (t.evalPrecision == "pure-fp16" || t.evalPrecision == "pure-bf16") said.training.evalPrecision.clear();
    std::vector<std::string> out = leftOutOf(said);
    noteGradScaler(out, t);
    noteWarmup(out, s);
    if (o.kind == "adam" && o.weightDecay > 0) out.push_back("decay that is added to gradients; it is AdamW's here.");
    python::noteMuon(out, o);
    if (o.decay == "all" && o.weightDecay > 0) out.push_back("decay of biases and norms; Trainer leaves them out.");
    if (s.kind == "step") out.push_back("the schedule 'step'; the learning rate is constant after the warm-up.");
    const bool isDecaying = s.kind == "linear" || s.kind == "cosine";
    if (isDecaying && scheduleSteps(t) != t.steps)
        out.push_back("a schedule that ends at step " + std::to_string(scheduleSteps(t)) + "; Trainer's ends with the training.");
    if (t.model.labelSmoothing > 0) out.push_back("validation without label smoothing; Trainer smooths the evaluation's loss as well.");
    if (std::max(t.init.seed, t.data.seed) > std::numeric_limits<std::uint32_t>::max())
        out.push_back("seeds from 2^32 on; Trainer refuses them.");
    Json json{{"output_dir", fileStem(run.name)},
              {"max_steps", t.steps},
              {"per_device_train_batch_size", t.data.batchSize},
              {"per_device_eval_batch_size", t.data.batchSize},
              {"gradient_accumulation_steps", t.accumulate},
              {"optim", o.kind == "sgd"    ? "sgd"
                        : o.kind == "lion" ? "lion_32bit"
                                           : "adamw_torch"},
              {"learning_rate", o.lr},
              {"weight_decay", o.weightDecay},
              {"lr_scheduler_type", isDecaying          ? s.kind
                                    : s.warmupSteps > 0 ? "constant_with_warmup"
                                                        : "constant"},
              {"warmup_steps", s.warmupSteps},
              {"max_grad_norm", t.clipGradNorm.value_or(0)},
              {"fp16", mixed == "fp16"},
              {"bf16", mixed == "bf16"},
              {"tf32", t.precision.policy == "tf32"},
              {"fp16_full_eval", t.evalPrecision == "pure-fp16"},
              {"bf16_full_eval", t.evalPrecision == "pure-bf16"},
              {"label_smoothing_factor", t.model.labelSmoothing},
              {"gradient_checkpointing", t.model.gradientCheckpointing},
              {"seed", t.init.seed},
              {"data_seed", t.data.seed},
              {"eval_strategy", "steps"},
              {"eval_steps", t.validationInterval}};
    if (o.kind == "sgd") {
        json["optim_args"] =
            "momentum=" + shortest(o.momentum) + ",dampening=" + shortest(o.dampening) + ",nesterov=" + (o.nesterov ? "true" : "false");
    } else {
        json["adam_beta1"] = o.beta1;
        json["adam_beta2"] = o.beta2;
    }
    if (o.kind != "sgd" && o.kind != "lion") json["adam_epsilon"] = o.epsilon;
    if (t.data.order == "sequential") json["train_sampling_strategy"] = "sequential";
    return {written(json), out};
}

Snippet accelerateSettings(const RunSettings& run) {
    const TrainingSettings& t = run.training;
    const bool isFp8 = t.precision.policy == "fp8";
    RunSettings said = run;
    if (isFp8) said.training.precision.policy = "bf16";
    std::vector<std::string> out = leftOutOf(said);
    noteGradScaler(out, t);
    if (t.precision.policy == "tf32") out.push_back("tf32; a program sets torch.backends.cuda.matmul.allow_tf32.");
    out.push_back("optimizer, schedule, steps and seed, which the training program sets.");
    if (t.accumulate > 1)
        out.push_back("accumulation; a program says Accelerator(gradient_accumulation_steps=" + std::to_string(t.accumulate) + ").");
    if (t.clipGradNorm)
        out.push_back("clipping; a program says accelerator.clip_grad_norm_(model.parameters(), " + python::number(*t.clipGradNorm) + ").");
    const Json json{{"compute_environment", "LOCAL_MACHINE"},
                    {"distributed_type", "NO"},
                    {"num_machines", 1},
                    {"num_processes", 1},
                    {"mixed_precision", isFp8 ? "fp8" : mixedPrecision(t.precision.policy)},
                    {"use_cpu", false},
                    {"debug", false}};
    return {written(json), out};
}

Snippet deepSpeedSettings(const RunSettings& run) {
    const TrainingSettings& t = run.training;
    const OptimizerSettings& o = t.optimizer;
    const ScheduleSettings& s = o.schedule;
    const std::string mixed = mixedPrecision(t.precision.policy);
    std::vector<std::string> out = leftOutOf(run);
    if (mixed != "no") out.push_back("the operations that autocast keeps in FP32; DeepSpeed converts the whole model.");
    if (t.precision.policy == "tf32") out.push_back("tf32; a program sets torch.backends.cuda.matmul.allow_tf32.");
    noteDeepSpeedScaler(out, t);
    noteWarmup(out, s);
    python::noteMuon(out, o);
    if (s.warmupSteps > 0 && s.warmupSteps < kLeastWarmup) out.push_back("a warm-up of one step; DeepSpeed's takes two at least.");
    if (s.warmupSteps > 0 && s.kind == "step")
        out.push_back("the schedule 'step' after a warm-up; the learning rate is constant after it.");
    if (o.decay == "matrices" && o.weightDecay > 0)
        out.push_back("biases and norms without decay; a program gives DeepSpeed groups of parameters.");
    out.push_back("steps, seed and validation, which the training program sets.");
    Json json{{"train_micro_batch_size_per_gpu", t.data.batchSize},
              {"gradient_accumulation_steps", t.accumulate},
              {"gradient_clipping", t.clipGradNorm.value_or(0)},
              {"optimizer", deepSpeedOptimizer(o)}};
    if (const Json schedule = deepSpeedSchedule(t); !schedule.is_null()) json["scheduler"] = schedule;
    if (s.kind == "linear" && s.warmupSteps > 0)
        out.push_back("the learning rate of each step after the warm-up; DeepSpeed's is that of the step before.");
    if (s.kind == "cosine" && s.warmupSteps == 0 && scheduleSteps(t) < t.steps)
        out.push_back("a learning rate that stays 0 from step " + std::to_string(scheduleSteps(t)) +
                      " on; CosineAnnealingLR's rises again.");
    if (mixed == "fp16") json["fp16"] = deepSpeedFp16(resolvedScaler(t.scaler));
    if (mixed == "bf16") json["bf16"] = {{"enabled", true}};
    if (mixed == "fp16" && t.scaler.preset.starts_with("deepspeed")) {  // outside of ZeRO DeepSpeed's scaler has no hysteresis
        json["zero_optimization"] = {{"stage", 1}};
        if (o.kind == "sgd") json["zero_allow_untested_optimizer"] = true;
    }
    return {written(json), out};
}

}  // namespace mantissa
