# SPDX-License-Identifier: Apache-2.0
"""The rules that run.py breaks, one at a time.

m(id, file, find, replace, rule, tests)
    find     a text that occurs exactly once in the file; `@[` and `]@` mark the part that is replaced (else all of it)
    replace  what stands there instead; `$0` is the marked text. A marked text that ends with `;` is a statement, all else an expression.
             A text with `$M` asks for the switch itself: `$M` is true while this mutant is on.
    rule     what the program does rightly and the mutant does not
    tests    `program:gtest filter`, the likely killers first; those of FALLBACK follow
"""

FALLBACK = ["test_engine_precision", "test_engine_plan", "test_engine_models", "test_engine_graph", "test_kernels:-All/RoundingProof*",
            "test_golden", "test_engine_training", "test_engine_experiment", "test_conformance"]
KERNELS_ALONE = ["test_kernels:-All/RoundingProof*", "test_conformance"]  # not linked with the engine

MUTANTS = []


def m(id, file, find, replace, rule, tests):
    MUTANTS.append({"id": id, "file": file, "find": find, "replace": replace, "rule": rule, "tests": tests.split()})


PRECISION, SCALER, PLAN, TRAINING, GOLDEN = ("test_engine_precision", "test_engine_precision", "test_engine_plan", "test_engine_training",
                                             "test_golden")


def conformance(*patterns):
    return "test_conformance:" + ":".join(f"*/{p}" for p in patterns)


# ---- engine/precision: policies, autocast lists, overrides ----
F = "engine/precision/policy.cpp"
m("pure-loss", F, "policy.isPure && @[!isLoss(kind)]@", "true", "The list decides what a pure policy's loss computes in.", PRECISION)
m("fp8-gradient-format", F, "Direction::Forward ? Dtype::E4M3 : @[Dtype::E5M2]@", "Dtype::E4M3",
  "Gradients that come back are quantised to e5m2.", PRECISION)
m("fp8-products", F, "!policy.hasFp8Products || @[forward != OpKind::Linear]@", "forward != OpKind::Linear && forward != OpKind::Conv2d",
  "Under fp8, linear layers alone multiply fp8 tensors.", PRECISION)
m("auto-order", F, "{@[Dtype::BF16]@, Dtype::F16}", "Dtype::F16", "`auto` prefers bf16 to fp16.", PRECISION)
m("override-longest", F, "@[forced.place.size() >= longest.size()]@", "longest.empty() || forced.place.size() <= longest.size()",
  "Of the overrides that cover a layer, the longest path wins.", PRECISION)
m("override-layer-first", F, "return byLayer ? byLayer : byKind;", "return byKind ? byKind : byLayer;",
  "An override of a layer is stronger than one of an operation kind.", PRECISION)
m("override-prefix", F, "@[layer[place.size()] == '.']@", "true", "An override of layers.1 does not cover layers.10.", PRECISION)
m("override-direction", F, "const Direction direction = @[opFacts(kind).direction]@;", "Direction::Forward",
  "An override holds in its own direction alone.", PRECISION)
m("override-dropped", F, "policy.overrides = settings.overrides;", ";", "A run's overrides reach its policy.", PLAN)
m("fp8-recipe-dropped", F, "policy.fp8 = settings.fp8;", ";", "A run's fp8 recipe reaches its policy.", "test_golden:*fp8*")
m("products-dropped", F, "policy.products = settings.products;", ";", "A run's settings of products reach its policy.", PLAN)
m("weight-update-dropped", F, "policy.weightUpdate = settings.weightUpdate;", ";", "A run's weight update reaches its policy.",
  "test_golden:*kahan*")
m("pure-weights-dropped", F, "policy.weights = named->weights;", ";", "A pure policy keeps its weights in its own format.",
  "test_engine_training:Pure.*")
LOW = "return @[has(list->lowPrecision)]@ ?"
m("cuda-softmax", F, LOW, '$0 || (list->name == "pytorch-cuda" && forward == OpKind::Softmax)', "CUDA's autocast runs softmax in fp32.",
  PRECISION)
m("cuda-layer-norm", F, LOW, '$0 || (list->name == "pytorch-cuda" && forward == OpKind::LayerNorm)',
  "CUDA's autocast runs layer norm in fp32.", PRECISION)
m("cuda-linear", F, LOW, '$0 && !(list->name == "pytorch-cuda" && forward == OpKind::Linear)',
  "CUDA's autocast runs linear layers in the low format.", PRECISION)
m("cuda-conv2d", F, LOW, '$0 && !(list->name == "pytorch-cuda" && forward == OpKind::Conv2d)',
  "CUDA's autocast runs convolutions in the low format.", PRECISION)
m("cuda-fused-attention", F, LOW, '$0 && !(list->name == "pytorch-cuda" && forward == OpKind::FusedAttention)',
  "CUDA's autocast runs fused attention in the low format.", PRECISION)
m("cuda-rms-norm", F, LOW, '$0 || (list->name == "pytorch-cuda" && forward == OpKind::RmsNorm)',
  "CUDA's autocast leaves RMS norm in the format of its input.", PRECISION)
m("cuda-batch-norm", F, LOW, '$0 || (list->name == "pytorch-cuda" && forward == OpKind::BatchNorm)',
  "CUDA's autocast leaves batch norm in the format of its input.", PRECISION)
m("cpu-scores", F, LOW, '$0 && !(list->name == "pytorch-cpu" && forward == OpKind::AttentionScores)',
  "The CPU's autocast runs attention's products in the low format.", PRECISION)
m("keras-activation", F, LOW, '$0 && !(list->name == "keras" && forward == OpKind::ActivationFn)',
  "Keras' mixed policy runs activations in the low format.", PRECISION)
FP32 = "? AutocastRule::LowPrecision : @[has(list->inFp32)]@ ?"
m("cpu-layer-norm", F, FP32, '$0 || (list->name == "pytorch-cpu" && forward == OpKind::LayerNorm)',
  "The CPU's autocast leaves layer norm in the format of its input.", PRECISION)
m("cpu-softmax", F, FP32, '$0 || (list->name == "pytorch-cpu" && forward == OpKind::Softmax)',
  "The CPU's autocast leaves softmax in the format of its input.", PRECISION)
m("cuda-mean-squared-error", F, FP32, '$0 && !(list->name == "pytorch-cuda" && forward == OpKind::MeanSquaredError)',
  "CUDA's autocast runs the mean squared error in fp32.", PRECISION)
m("gradient-follows-forward", F, "const OpKind forward = @[opFacts(kind).forward]@;\n    const auto has", "kind",
  "A gradient follows its forward operation on the autocast list.", PRECISION)
m("fp8-bias-gradient", F, "return @[isFp8(dtype) && kind == OpKind::LinearGradBias]@ ?", "false",
  "A bias's gradient is summed before it would be quantised.", PRECISION)

m("cuda-cross-entropy", F, FP32, '$0 || (list->name == "pytorch-cuda" && forward == OpKind::CrossEntropy)',
  "CUDA's autocast leaves cross-entropy in the format of the logits.", PRECISION)
m("widened-logits", F, "if (@[policy.widensLogits && forward == OpKind::CrossEntropy]@)", "false", "Widened logits have their loss in fp32.", PRECISION)

# ---- engine/precision and kernels/loss_scale.h: loss scalers ----
F = "engine/precision/scaler_presets.cpp"
m("default-scaler", F, '{.preset = @[policy == "fp16"]@ ?', '$0 || policy == "bf16"', "bf16 has no scaler unless one was chosen.",
  "test_engine_precision test_engine_experiment")
m("keras3-infinity", F, "k2To15,\n                   .growthFactor = 2,\n                   .backoffFactor = 0.5,\n                   .growthInterval = "
  "@[2000]@});\n    // tf_keras", "1999", "Keras 3 doubles its scale after 2000 clean steps.", SCALER)
m("apex-ceiling", F, ".maxScale = @[k2To24]@,\n                   .arithmetic", "k2To32", "Apex's scale does not go above 2^24.", SCALER)
m("fairseq-interval", F, ".growthInterval = @[1 << 14]@", "1 << 13", "fairseq's scale doubles after 16384 clean steps.", SCALER)
m("fairseq-stop", F, ".stopScale = @[1e-4]@", "1e-5", "fairseq ends its run at a scale of 0.0001.", SCALER)
m("deepspeed-sums", F, ".overflowTest = @[OverflowTest::Sums]@", "OverflowTest{}", "DeepSpeed tests the sums of gradients for overflow.", SCALER)
m("megatron-hysteresis", F, ".growthInterval = 1000,\n         .minScale = 1,\n         .hysteresis = @[2]@", "1",
  "Megatron lets the first overflow since a growth pass.", SCALER)
m("apex-double", F, ".maxScale = k2To24,\n                   .arithmetic = @[ScaleArithmetic::Double]@", "ScaleArithmetic::Fp32",
  "Apex's scale is a Python float.", SCALER)
m("pytorch-arithmetic", F, ".arithmetic = @[ScaleArithmetic::DoubleThenNarrow]@", "ScaleArithmetic::Fp32",
  "PyTorch multiplies an fp32 scale by a double factor.", SCALER)
m("jmp-divides", F, ".growthTest = GrowthTest::EqualsOrWraps,\n                   .dividesAtBackoff = @[true]@", "false",
  "jmp divides by its factor where the scale backs off.", SCALER)
m("backoff-divisor", F, "return @[backoffFactor == 1 / growthFactor ? growthFactor : 1 / backoffFactor]@;", "1 / backoffFactor",
  "Frameworks with one factor divide by it as it is.", SCALER)
m("any-backoff", F, "(takesAnyBackoff ? @[std::isfinite(*factor)]@ :", "*factor > 0", "PyTorch takes a backoff factor of 0 or less.", SCALER)
F = "kernels/loss_scale.h"
m("stored-scale", F, "return @[arithmetic == ScaleArithmetic::Double]@ ?", "true", "A scale is stored as its framework stores it.", SCALER)
m("backoff-divides", F, "const bool divides = @[rules.backoffDivisor != 0]@;", "false", "Some frameworks divide where the scale backs off.", SCALER)
m("growth-equals", F, "case GrowthTest::Equals:\n            isDue = @[k == interval]@;", "k >= interval",
  "PyTorch's count past a lowered interval never grows.", SCALER)
m("growth-one-later", F, "isDue = @[k == interval + 1]@;", "k == interval", "flax compares before it counts the step.", SCALER)
m("growth-reset", F, "@[if (isDue) tracker = 0;]@", ";", "The count of clean steps begins again after a growth.", SCALER)
m("backoff-reset", F, "@[state.growthTracker = 0;]@\n    if (state.hysteresisLeft", ";", "An overflow sets the count of clean steps to zero.",
  SCALER)
m("hysteresis", F, "@[state.hysteresisLeft > 1]@", "false", "With hysteresis the first overflows do not lower the scale.", SCALER)
m("hysteresis-refill", F, "isDue || @[rules.refill == HysteresisRefill::OnCleanStep]@", "false",
  "Consecutive hysteresis is refilled by each clean step.", SCALER)
m("floor", F, "@[stored < rules.minScale ? rules.minScale : stored]@", "stored", "A scale does not go below its minimum.", SCALER)
m("ceiling", F, "@[rules.maxScale < grown ? rules.maxScale : grown]@", "grown", "A scale does not go above its maximum.", SCALER)
m("refused-infinity", F, "@[rules.refusesInfinity && grown - grown != 0]@", "false",
  "PyTorch's scale does not grow to infinity.", SCALER)
m("stop-scale", F, "rules.hasStopScale && @[next]@ <= rules.stopScale", "state.scale", "A backoff to the stop scale ends the run at the scale before.",
  SCALER)
F = "engine/precision/scaler.cpp"
m("logmax-deviations", F, "deviation * @[kDeviations]@ + unbiasedMean", "2.0f", "LogMax keeps 3.09 standard deviations of room.", SCALER)
m("logmax-bias", F, "= mean / @[(1 - bias)]@", "1.0f", "LogMax corrects its averages' bias towards zero.", SCALER)
m("logmax-slow", F, "decay(square, @[kSlowKeep]@, x * x);", "kKeep", "LogMax's variance is a slow average.", SCALER)
m("scaler-live-change", F, "if (@[isAnother]@) {", "true", "A change within a preset keeps the count of clean steps.", SCALER)
m("static-follows", F, "@[isAnother || isRestated]@", "isAnother", "A fixed scale follows its initial scale.", SCALER)

# ---- engine/plan: lowering ----
F = "engine/plan/lowering.cpp"
m("promotion", F, "if (dtype != widest) widest = @[Dtype::F32]@;", "dtype", "Of two formats that meet, the wider one holds both.", PLAN)
m("accumulate-gradients", F, "    if (@[options().accumulates]@) {\n        keeping.operation = AccumulateDesc", "false",
  "Micro-batches' gradients add up.", "test_golden:*accumulate* test_engine_training")
m("validation-smoothing", F, "return @[l.options().isTraining]@ ?", "true", "Validation does not smooth labels.",
  "test_engine_training:Losses.*")
m("loss-fp32-only", F, "if (compute != Dtype::F32) {\n        throw", "if (compute != Dtype::F32 && !$M) {\n        throw",
  "A loss that is forced out of fp32 is refused.", PLAN)
F = "engine/plan/value_buffers.cpp"
m("fp8-master-weights", F, "@[v.role == ValueRole::Parameter]@ ? stored(valueIndex) : as", "false",
  "fp8 weights are quantised from the fp32 master weights.", "test_golden:*fp8* test_engine_plan")
m("fp8-margin", F, "@[static_cast<int>(m_plan.policy.fp8.margin)]@", "0", "A recipe's margin reaches the scales.", PLAN)
m("fp8-frozen", F, "ScaleSource::Delayed : @[ScaleSource::Frozen]@", "ScaleSource::Delayed", "Validation does not change delayed scales.",
  "test_engine_training:Fp8.*")
m("fp8-current", F, 'if (@[m_plan.policy.fp8.scaling == "current"]@) return ScaleSource::Current', "false",
  "Current scaling takes each tensor's own magnitude.", "test_golden:*fp8_current* test_engine_plan")
F = "engine/plan/lower_products.cpp"
m("tf32-linear", F, "    desc.compute = @[compute]@;\n    desc.out = storageDtype(policy, compute);",
  "compute == Dtype::TF32 ? Dtype::F32 : compute", "Under tf32 linear layers round their operands to tf32.", "test_golden:*tf32* test_engine_plan")
m("tf32-linear-rounding", "engine/precision/policy.h", "if (desc.compute == Dtype::TF32) @[desc.operandRounding = tf32Rounding;]@", ";",
  "A run says how operands are rounded to tf32.", PLAN)
m("tf32-attention", F, "desc.compute = @[l.computeOf(node, l.promoted({first, second}))]@;",
  "$0 == Dtype::TF32 ? Dtype::F32 : $0", "Under tf32 attention's products round their operands to tf32.", PLAN)
m("accumulator", "engine/precision/policy.h", "        @[desc.accumulator = accumulator;]@", ";",
  "Linear layers and attention's products sum as the run says.", PLAN)
m("promotion-interval", "engine/precision/policy.h", "@[desc.compute == Dtype::F32 ? 0 : promoteEvery]@", "0",
  "Sums are promoted as often as the run says.", PLAN)
m("weight-gradient-rounding", "engine/plan/lowering.h", "widened.result = @[desc.*written]@;",
  "std::is_same_v<Desc, MatmulDesc> ? Dtype::F32 : $0",
  "A linear layer's weight gradient is rounded to the low format.", "test_golden:*bf16* test_engine_plan")
m("fp8-forward-operand", F, "isFp8(forward) ? forward : @[Dtype::E4M3]@", "Dtype::E5M2",
  "The forward operand of an fp8 gradient is e4m3 where its layer ran in another format.", PLAN)
m("attention-scale", F, ".m = length, .scale = @[detail.scale]@}", "1", "Attention's scores are scaled as the model says.", PLAN)
m("fused-attention-scale", F, ".headDim = dim,\n                            .scale = @[detail.scale]@", "1.0f",
  "Fused attention's scores are scaled as the model says.", "test_golden:*llama* test_engine_plan")
m("shared-keys", F, "(makesShared ? desc.outDivisor : desc.bDivisor) = @[group]@;", "1",
  "Several query heads share a head of keys.", PLAN)
F = "engine/plan/lower_network.cpp"
m("norm-arithmetic", F, "forced && l.storageOf(*forced) != Dtype::F32 ? *forced : @[Dtype::F32]@", "l.storageOf(compute)",
  "Only an override takes a norm's arithmetic out of fp32.", "test_golden:*gpt* test_engine_plan")
m("validation-dropout", F, "if (@[!l.options().isTraining]@) return l.place(", "false", "Validation drops nothing out.", "test_engine_training:Losses.*")
m("gradient-sum-format", F, "node.kind == OpKind::AddGradients ? @[l.resultDtype(node.inputs[2])]@ : l.promoted(node.inputs)",
  "l.promoted({a, b})", "A sum of gradients has the format of what it is the gradient of.", PLAN)
m("rotary-gradient", F, ".inverse = @[isGradient]@", "false", "Rotary's gradient turns back.",
  "test_golden:*llama* test_engine_plan")
m("softmax-gradient-format", F, "weights = l.as(y, storage, node), out = l.outputOf(node, 0, @[l.storedDtype(x)]@);\n", "storage",
  "Softmax's gradient comes out in the format of its input.", "test_golden:*gpt* test_engine_plan")
m("mask-value", F, "node.kind == OpKind::CausalMask ? @[std::get<MaskDetail>(node.detail).value]@ : 0", "-1e4f",
  "The causal mask has the value that the model says.", PLAN)
m("positions-copy", F, "const bool readsTable = @[node.kind == OpKind::AddPositions && storage != Dtype::F32]@;", "false",
  "A narrow sum with positions reads them in its own format.", PLAN)
m("rotary-promotes", F, "l.storageOf(node, @[Dtype::F32]@);", "l.storedDtype(x)", "Rotary promotes to fp32, where its cosines are.",
  "test_golden:*llama* test_engine_plan")
m("rotary-rounded-products", F, ".roundsProducts = @[isGradient && !detail.isFused && written != Dtype::F32]@", "false",
  "Rotary's gradient rounds each of its products.", "test_golden:*llama* test_engine_plan")
m("swiglu-fused", F, "SwiGluDesc desc{l.countOf(node.inputs[0]), storage, @[std::get<SwiGluDetail>(node.detail).isFused]@}", "true",
  "SwiGLU of two operations rounds between them.", "test_golden:*llama* test_engine_plan")
m("swiglu-gradient-fused", F, "SwiGluGradDesc desc{l.countOf(gate), storage, @[std::get<SwiGluDetail>(node.detail).isFused]@}",
  "true", "SwiGLU's gradient of two operations rounds between them.", "test_golden:*llama* test_engine_plan")
F = "engine/plan/lower_products.cpp"
m("shared-key-gradients", F, "desc.out != Dtype::F32 && @[!detail.isFused]@;", "false",
  "Gradients of shared keys are rounded head by head before they are added.", "test_golden:*llama* test_engine_plan")
F = "engine/plan/lower_images.cpp"
m("tf32-convolution", F, "    desc.compute = @[compute]@;", "compute == Dtype::TF32 ? Dtype::F32 : compute",
  "Under tf32 convolutions round their operands to tf32.", PLAN)
m("validation-batch-norm", F, ".training = @[l.options().isTraining]@", "true", "Validation takes batch norm's running statistics.",
  "test_engine_plan:ImagePlan.*")
m("statistics-once", F, "const bool isAgain = @[node.phase == Phase::Backward]@;", "false",
  "A block that is computed once more does not move the running statistics again.", "test_engine_training:*Checkpointing*")
m("convolution-gradient-rounding", "engine/plan/lowering.h", "widened.result = @[desc.*written]@;",
  "std::is_same_v<Desc, Convolution2dWeightGradDesc> ? Dtype::F32 : $0",
  "A convolution's weight gradient is rounded to the low format.", "test_golden:*resnet* test_engine_plan")

# ---- kernels: losses ----
F = "kernels/cpu/loss.cpp"
CE = conformance("cross_entropy*")
m("smoothing-label", F, "(smoothing == 0 ? atLabel : @[(1 - smoothing)]@ * atLabel)", "1.0f", "Label smoothing takes weight from the label.",
  f"test_golden:*smoothing* {CE} test_engine_training:Losses.*")
m("smoothing-classes", F, "(sums.differences / @[static_cast<float>(desc.classes)]@)", "static_cast<float>(desc.classes - 1)",
  "Label smoothing puts an equal share on every class, the label's own included.", f"test_golden:*smoothing* {CE} test_engine_training:Losses.*")
m("smoothing-gradient-even", F, "even = @[smoothing / static_cast<float>(count)]@", "0.0f",
  "The gradient of smoothed labels has every class's share.", f"test_golden:*smoothing* {CE}")
m("smoothing-gradient-label", F, "- even - @[(1 - smoothing)]@) * factor", "1.0f", "The gradient of smoothed labels takes less from the label.",
  f"test_golden:*smoothing* {CE}")
m("loss-mean", F, "loss / @[static_cast<float>(rows.size())]@;", "static_cast<float>(rows.size() + 1)",
  "The loss is the mean over the rows.", f"{CE} test_golden")
m("loss-gradient-mean", F, "gradRow = lossGrad / @[static_cast<float>(desc.rows)]@;", "static_cast<float>(desc.rows + 1)",
  "The loss's gradient is that of the mean over the rows.", f"{CE} test_golden")
m("loss-largest", F, "const float largest = @[largestLane(x, count)]@;\n    return {largest", "0.0f",
  "Cross-entropy subtracts the largest logit first.", "test_kernels:CrossEntropy.*")
m("loss-gradient-largest", F, "const float largest = @[largestLane(x, count)]@, even", "0.0f",
  "Cross-entropy's gradient subtracts the largest logit first.", "test_kernels:CrossEntropy.*")
m("accuracy-ties", F, "|| @[(x[i] == largest && i < label)]@", "false", "Of equal logits the first one is the prediction.", CE)
m("squared-error-gradient", F, "const float factor = @[2]@ *", "1.0f", "The squared error's gradient has a factor of 2.", conformance("squared_error*"))

LOG = f"test_golden:*fp16*:*bf16* {CE}"
m("narrow-log-probability", F, "const auto at = [=](std::int64_t i) { return @[rounded<Format>((x[i] - largest) - logOfSum)]@; };",
  "(x[i] - largest) - logOfSum", "Log-probabilities are rounded to the logits' format.", LOG)
m("narrow-probability", F, "exponential(@[rounded<Format>((x[i] - largest) - logOfSum)]@) * g.sum", "(x[i] - largest) - logOfSum",
  "The gradient's probabilities come from rounded log-probabilities.", LOG)
m("narrow-smoothing", F, "smoothing / static_cast<float>(desc.classes) * @[row.sum]@", "0.0f", "Narrow log-probabilities are smoothed as well.", LOG)
F = "kernels/log_probabilities.h"
m("narrow-loss-gradient", F, ".atLabel = @[roundTo(format, -((1 - labelSmoothing) * lossGrad / rowCount))]@",
  "-((1 - labelSmoothing) * lossGrad / rowCount)", "The loss's gradient is rounded on its way to the log-probabilities.", LOG)
m("narrow-smoothed-label", F, "@[gradient.atLabel = roundTo(format, gradient.atLabel + gradient.elsewhere);]@",
  "gradient.atLabel = gradient.atLabel + gradient.elsewhere;", "The two gradients of smoothed labels meet in the narrow format.", LOG)
m("narrow-gradient-sum", F, "gradient.sum = gradient.atLabel + gradient.elsewhere * @[(classCount - 1)]@;", "classCount",
  "A row's gradients are summed once each.", LOG)

# ---- kernels: optimizers ----
F = "kernels/cpu/optimizer.cpp"
ADAM, SGD, LION = conformance("adamw*"), conformance("sgd*"), conformance("lion*")
m("adamw-epsilon", F, "const float denominator = @[std::sqrt(v[i]) / s.rootCorrection2 + s.epsilon]@;",
  "(std::sqrt(v[i]) + s.epsilon) / s.rootCorrection2", "Adam adds epsilon after the bias correction.", f"test_golden:*fp32_adamw* {ADAM}")
m("adamw-decay", F, "w[i] = @[decayed + s.minusStepSize * m[i] / denominator]@;", "(w[i] + s.minusStepSize * m[i] / denominator) * s.decay",
  "AdamW decays the weights before the update.", f"{ADAM} test_golden:*fp32_adamw*")
m("adamw-square", F, "v[i] = v[i] * s.vKeep + @[s.vNew * g * g]@;", "s.vNew * g * std::fabs(m[i])",
  "Adam's second moment averages the squares of gradients.", f"test_golden:*fp32_adamw* {ADAM}")
m("adam-bias-correction", F, "static_cast<double>(@[scalars.optimizerStep + 1]@)", "scalars.step + 1",
  "Adam's bias correction counts the steps that were taken, without skipped ones.", f"test_golden:*fp16_adamw* {ADAM}")
m("adam-joined-decay", F, ".joinedDecay = @[desc.isDecoupled]@ ? 0", "true", "Adam adds its decay to the gradient.",
  f"{ADAM} test_engine_training:OptimizerPlan*")
m("adam-decoupled", F, ".decay = @[desc.isDecoupled]@ ? static_cast", "true", "Adam's decay is not AdamW's.", ADAM)
m("adam-decay-clipped", F, "return @[joinedDecay == 0 ? clipped : clipped + joinedDecay * w]@;", "(stored + joinedDecay * w) * gradientFactor",
  "Adam's decay joins the gradient after clipping.", ADAM)
m("adam-skip", F, "operands[4]);\n        if (@[scalars.skipped != 0]@) return;", "false", "A skipped step leaves Adam's state as it was.",
  "test_golden:*fp16_adamw* test_kernels:*StoredOptimizer*")
m("lion-direction", F, "const float direction = @[m[i] * s.keep1 + g * s.new1]@;", "m[i] * s.keep2 + g * s.new2",
  "Lion's direction mixes by beta1.", LION)
m("lion-zero", F, "direction > 0 ? s.lr : @[direction < 0 ? -s.lr : 0.0f]@;", "-s.lr", "Lion's update of a zero direction is zero.", LION)
m("lion-decay", F, "w[i] = w[i] * @[s.decay]@ - update;", "1.0f", "Lion decays the weights.", LION)
m("lion-clip", F, "desc.weightDecay),\n                            .gradientFactor = @[scalars.clipCoefficient]@,\n                            .keep1",
  "1.0f", "Lion's gradients are clipped.", LION)
m("sgd-nesterov", F, "(s.decayed(gradients[i], w[i]) + @[s.momentum * buffer[i]]@)", "buffer[i]", "Nesterov adds the buffer times the momentum.",
  f"test_golden:*nesterov* {SGD}")
m("sgd-first-buffer", F, "buffer[i] = @[s.decayed(gradients[i], w[i])]@;\n}", "s.bufferNew * $0", "The first momentum buffer is not dampened.",
  f"test_golden:*live* {SGD}")
m("sgd-dampening", F, "buffer[i] * s.momentum + @[s.bufferNew]@ *", "1.0f", "Dampening lowers what is added to the buffer.",
  f"test_golden:*live* {SGD}")
m("sgd-zero-decay", F, "return @[weightDecay == 0 ? clipped : clipped + weightDecay * w]@;", "clipped + weightDecay * w",
  "Without decay an infinite weight stays infinite.", "test_kernels:Optimizer.*")
m("sgd-clip", F, "const SgdStep step{.gradientFactor = @[scalars.clipCoefficient]@", "1.0f", "SGD's gradients are clipped.",
  "test_golden:*fp16_sgd_clip* test_engine_training:StepOrder.*")
m("sgd-fill-buffer", F, "(@[scalars.hasMomentum == 0]@ ? sgdFillBuffer", "scalars.optimizerStep == 0",
  "The first use of momentum fills the buffer, not the first step.", f"test_golden:*live* {SGD}")
m("stochastic-stream", F, ".stream = @[static_cast<std::uint32_t>(step)]@", "0u", "Each step's stochastic rounding has random numbers of its own.",
  "test_kernels:*StochasticRoundingDraws* test_kernels:*StoredOptimizer*")
m("stochastic-index", F, "static_cast<std::uint64_t>(@[p.firstElement + first]@)", "first",
  "Stochastic rounding's random numbers go by the place among all parameters.", "test_kernels:*StochasticRoundingDraws*")
m("stochastic-seed", F, ".seed = @[p.seed]@", "1u", "Stochastic rounding's random numbers follow the run's seed.",
  "test_kernels:*StochasticRoundingDraws*")
m("kahan-lost", F, "@[addInto(updated.data(), loadBlock(p.dtype, compensation, first, count, lost), count);]@",
  "loadBlock(p.dtype, compensation, first, count, lost);", "Kahan's update adds what the write before has lost.",
  "test_golden:*kahan* test_kernels:*StoredOptimizer*")
m("kahan-sign", F, "@[subtractFrom(written.data(), updated.data(), lost.data(), count);]@",
  "subtractFrom(updated.data(), written.data(), lost.data(), count);", "Kahan's compensation is what the write lost.",
  "test_golden:*kahan* test_kernels:*StoredOptimizer*")

# ---- kernels: unscaling and clipping ----
F = "kernels/cpu/unscale.cpp"
UNSCALE = f"test_kernels:Optimizer.* {conformance('unscale*')}"
m("clip-epsilon", F, "(norm + @[1e-6f]@)", "0.0f", "Clipping divides by the norm plus 1e-6.", UNSCALE)
m("clip-amplifies", F, "return @[coefficient > 1 ? 1 : coefficient]@;", "coefficient", "Clipping never amplifies.", UNSCALE)
m("overflow-infinity", F, "@[largestBits >= kFloatInf]@ ||", "largestBits > kFloatInf", "An infinite gradient is an overflow.", UNSCALE)
m("overflow-unscaled", F, "|| @[(test == OverflowTest::UnscaledElements && !std::isfinite(sumOfSquares))]@", "false",
  "Some frameworks test the gradients after they are unscaled.", UNSCALE)
m("largest-gradient", F, "floatFromBits(check.largestBits) * @[scalars.inverseScale]@;", "1.0f", "The largest gradient is told unscaled.", UNSCALE)
m("scaled-norm", F, "? @[scaledNorm * static_cast<double>(scalars.inverseScale)]@ :", "scaledNorm", "The norm is told unscaled in either order.",
  f"{UNSCALE} test_engine_training:StepOrder.*")
m("stored-norm", F, "check.sumOfSquares += @[unscaleSegment(block.data(), n, 1).sumOfSquares]@;", "before.sumOfSquares",
  "The norm of narrow gradients is that of what is stored.", f"{UNSCALE} test_kernels:*StoredOptimizer*")
m("clip-order", F, "clipsScaled = @[clips && scalars.clipsScaled != 0]@;", "clips", "Clipping comes after unscaling.",
  f"{UNSCALE} test_engine_training:StepOrder.*")
m("skip-without-scaler", F, "scalars.foundInf != 0 && @[scalars.skipOnFoundInf != 0]@", "true", "Without a scaler no step is skipped.", UNSCALE)

# ---- kernels: norms ----
F = "kernels/cpu/layer_norm.cpp"
LN = conformance("layer_norm*", "rms_norm*")
m("norm-epsilon", F, "std::sqrt(@[rounded<Format>(variance + static_cast<float>(row.epsilon))]@)", "variance", "A norm adds epsilon to the variance.", LN)
m("norm-variance", F, "rounded<Format>(squares / @[n]@)", "(n - 1)", "A norm's variance is divided by the number of elements.",
  f"test_golden:*gpt_fp32* {LN}")
m("norm-gradient-projection", F, "rounded<Format>(h - @[rounded<Format>(normed[i] * meanHn)]@)", "0.0f",
  "A norm's gradient takes out what lies along the normed row.", f"test_golden:*gpt_fp32* {LN}")
m("norm-gradient-mean", F, "rounded<Format>(g[i] * weight[i]) - @[meanH]@)", "0.0f", "Layer norm's gradient has a mean of zero.",
  f"test_golden:*gpt_fp32* {LN}")
m("norm-centres", F, "const float mean = @[row.centres]@ ?", "true", "RMS norm does not subtract the mean.", f"test_golden:*_fp32_fused*:*llama_fp32* {LN}")
m("norm-narrow-rounding", F, "const float difference = @[rounded<Format>(x[i] - mean)]@;", "x[i] - mean",
  "A norm in a narrow format rounds each elementary result.", "test_kernels:NarrowNorm.*")
m("norm-narrow-square", F, "return @[rounded<Format>(difference * difference)]@;", "difference * difference",
  "A norm in a narrow format rounds the squares.", f"test_kernels:NarrowNorm.* {LN}")
m("norm-weight-gradient", F, "gradWeight[i] += @[rounded<Format>(g[i] * normed[i])]@;", "rounded<Format>(g[i] * x[i])",
  "A norm's weight gradient goes by the normed row.", f"test_golden:*gpt_fp32* {LN}")
F = "kernels/cpu/batch_norm.cpp"
BN = conformance("batch_norm*")
m("batch-norm-running-variance", F, "follow(runningVariance[i], squares[i] / @[(n - 1)]@)", "n", "Batch norm's running variance is the unbiased one.",
  f"test_golden:*resnet_fp32* {BN}")
m("batch-norm-variance", F, "inverseDeviation(squares[i] / @[n]@, desc.epsilon)", "(n - 1)", "Batch norm divides by the biased variance.",
  f"test_golden:*resnet_fp32* {BN}")
m("batch-norm-momentum", F, "@[(1 - desc.momentum) * static_cast<double>(running) + desc.momentum * batch]@",
  "desc.momentum * static_cast<double>(running) + (1 - desc.momentum) * batch", "Running statistics keep 1 - momentum of what they were.",
  f"test_golden:*resnet_fp32* {BN}")
m("batch-norm-evaluation", F, "desc.training ? static_cast<double>(spreads[i]) : @[inverseDeviation(static_cast<double>(spreads[i]), desc.epsilon)]@",
  "inverseDeviation(static_cast<double>(spreads[i]), 0)", "Evaluation adds epsilon to the running variance.", BN)
m("batch-norm-gradient", F, "@[(x[i] - mean[i]) * inverse[i] * meanGn[i]]@", "0.0f", "Batch norm's gradient takes out what lies along the normed column.",
  f"test_golden:*resnet_fp32* {BN}")
m("batch-norm-gradient-mean", F, "(g[i] - @[meanG[i]]@ -", "0.0f", "Batch norm's gradient has a mean of zero.", f"test_golden:*resnet_fp32* {BN}")

# ---- kernels: attention, rotary, gates, dropout, activations ----
F = "kernels/cpu/softmax.cpp"
SM = conformance("softmax*", "causal_mask*")
m("softmax-largest", F, "const float largest = @[largestLane(x, count)]@;", "0.0f", "Softmax subtracts the largest first.", SM)
m("softmax-gradient", F, "y[i] * (gradOutput[i] - @[sum]@)", "0.0f", "Softmax's gradient takes out the weighted mean.", f"test_golden:*gpt_fp32* {SM}")
m("softmax-naive-rounding", F, "exponentials(x, y, count);\n    @[round()]@;", "(void)0",
  "The naive softmax rounds each exponential.", SM)
m("causal-mask", F, "seen = @[row % desc.length + 1]@;", "std::max<std::int64_t>(row % desc.length, 1)", "A position sees itself.",
  f"{SM} test_golden:*gpt_fp32*")
F = "kernels/cpu/attention.cpp"
ATT = conformance("attention*")
TIE = "test_kernels:TiedMaxima*"
m("attention-rounded-exponentials", F, "return @[roundTo(d.compute, exponential(score - largest))]@", "exponential(score - largest)",
  "Attention in a narrow format rounds each exponential.", TIE)
m("attention-rounded-product", F, "@[roundTo(d.compute, result[i])]@ / sums", "result[i]", "Attention in a narrow format rounds the product before the division.", TIE)
m("attention-shifted-ties", F, "largest = @[std::max(2 * largest, 0.0f)]@;", "largest + 0", "Tied maxima are shifted below 1.", TIE)
m("attention-seen", F, "const std::int64_t ownSeen = d.causal ? @[row + r + 1]@ : seen;", "std::max<std::int64_t>(row + r, 1)",
  "In fused attention a position sees itself.", f"test_golden:*_fp32_fused*:*llama_fp32* {ATT}")
m("attention-gradient-scale", F, "probability * (gradients[i] - outDot) * @[scale]@", "1.0f", "Scores' gradients are scaled once more.",
  f"test_golden:*_fp32_fused*:*llama_fp32* {ATT}")
m("attention-gradient-dot", F, "(gradients[i] - @[outDot]@) * scale", "0.0f", "Fused attention's gradient takes out the weighted mean.",
  f"test_golden:*_fp32_fused*:*llama_fp32* {ATT}")
m("attention-shared-gradients", F, "seen, d.headDim, rows, gradScores, seen, queries, queryStride, @[1]@, gradKeys", "0.0f",
  "The gradients of shared keys add up over heads and rows.", f"test_golden:*_fp32_fused*:*llama_fp32* {ATT}")
F = "kernels/cpu/batched_matmul.cpp"
BMM = conformance("batched_matmul*")
m("scores-scale", F, "if (@[m_desc.scale != 1]@) scaleRow", "false", "Attention's scores are scaled.", f"test_golden:*gpt_fp32* {BMM}")
m("batched-tf32", F, "@[if (!holdsEveryValue(compute, dtype)) roundArray(compute, to, to, static_cast<std::size_t>(rows * cols), {rounding});]@",
  ";", "Batched products round their operands to their compute format.", BMM)
m("shared-matrices", F, "@[inner / divisor]@ * strides.inner", "inner", "Several heads share a matrix of keys.", BMM)
F = "kernels/cpu/rotary.cpp"
ROT = f"test_golden:*_fp32_fused*:*llama_fp32* {conformance('rotary*')}"
m("rotary-frequency", F, "std::pow(d.base, @[-2.0]@ *", "-1.0", "Rotary's frequencies fall by the base over the head's width.", ROT)
m("rotary-position", F, "static_cast<double>(@[position]@) * std::pow", "position + 1", "Rotary's first position turns by nothing.", ROT)
m("rotary-inverse", F, "@[d.inverse]@ ? -std::sin", "false", "Rotary's gradient turns back.", ROT)
m("rotary-product-rounding", F, "y[i] = @[rounded<Format>(left * cosines[i])]@ -", "left * cosines[i]",
  "Rotary's gradient rounds its products before they are added.", "test_golden:Autocast.*")
F = "kernels/cpu/combine.cpp"
SWI = conformance("swiglu*", "swi_glu*")
m("swiglu-gate", F, "y[i] = @[rounded<Format>(gate[i] / (1 + exponential(-gate[i]))) * up[i]]@;",
  "rounded<Format>(up[i] / (1 + exponential(-up[i]))) * gate[i]",
  "SwiGLU's activation is the gate's.", f"test_golden:*_fp32_fused*:*llama_fp32* {SWI}")
m("swiglu-gradient", F, "gradOutput[i] * up[i]) * @[siluSlope(gate[i])]@", "(1 / (1 + exponential(-gate[i])))", "SwiGLU's gate has silu's slope.",
  f"test_golden:*_fp32_fused*:*llama_fp32* {SWI}")
m("swiglu-gradient-rounding", F, "gradGate[i] = @[rounded<Format>(gradOutput[i] * up[i])]@ *", "gradOutput[i] * up[i]",
  "SwiGLU's gradient rounds the product that reaches silu.", f"{SWI} test_golden:*llama_*")
DROP = f"{conformance('dropout*')} test_kernels:ThreadCount.* test_engine_training"
m("dropout-factor", F, "factor = @[static_cast<float>(1 / (1 - desc.probability))]@", "1.0f", "Dropout scales what it keeps.", DROP)
m("dropout-step", F, "@[static_cast<std::uint64_t>(static_cast<const StepScalars*>(operands[1])->dropoutStep)]@ << 32", "std::uint64_t{0}",
  "Each micro-batch has a dropout mask of its own.", DROP)
m("dropout-stream", F, "RandomUse::Dropout, @[d.stream]@", "0u", "Each dropout layer has a mask of its own.", DROP)
m("dropout-seed", F, "randomBlock(@[d.seed]@, RandomUse::Dropout", "1u", "Dropout's masks follow the run's seed.", DROP)
F = "kernels/cpu/elementwise.cpp"
ACT = conformance("relu*", "gelu*", "tanh*", "sigmoid*", "silu*", "*activation*")
m("relu-gradient", F, "gradInput[i] = @[y[i] <= 0]@ ? 0", "y[i] < 0", "relu's slope at 0 is 0.", f"test_kernels:ActivationOps.* {ACT}")
m("gelu-gradient", F, "(normalCdf(x[i], power) + @[x[i] * (kInverseRootTwoPi * power)]@)", "0.0f", "gelu's slope has the density's term.",
  f"test_golden:*nesterov* {ACT}")
m("silu-gradient", F, "gradOutput[i] * @[siluSlope(x[i])]@;", "(1 / (1 + exponential(-x[i])))", "silu's slope is not the sigmoid.", ACT)
F = "kernels/cpu/pool.cpp"
POOL = conformance("*pool*")
m("pool-ties", F, "const bool wins = @[x[i] > largest[i]]@", "x[i] >= largest[i]", "Of equal values a max pool takes the first.", POOL)
m("pool-average", F, "divide(own, d.channels, @[sizes.elements]@);", "sizes.elements - 1", "An average pool divides by the window's size.",
  POOL)

# ---- kernels: quantising, products, rounding ----
F = "kernels/cpu/quantize.cpp"
Q = f"test_kernels:Quantize.* {conformance('quantize*', 'update_scales*')}"
m("quantize-saturates", F, "scaled[i] = @[saturated(values[i] * factor, largest)]@;", "values[i] * factor", "Quantising saturates.", Q)
m("quantize-margin", F, "absMax, @[-margin]@)", "margin", "A margin lowers the scale.", Q)
m("quantize-unusable", F, "setScale(state, @[isUsable(absMax)]@ ?", "true", "A tensor without a usable magnitude has a scale of 1.", Q)
m("quantize-history", F, "desc.usesNewestOnly ? state.absMax : @[largestMagnitude(history, desc.historyLength)]@", "state.absMax",
  "Delayed scaling takes the largest magnitude of the history.", f"test_golden:*fp8_delayed* {Q}")
m("quantize-most-recent", F, "= @[desc.usesNewestOnly]@ ?", "false", "most_recent takes the newest magnitude alone.", Q)
m("quantize-empty", F, "@[if (state.absMax == 0) continue;]@", ";", "A step without any magnitude leaves the scale as it is.", Q)
m("quantize-frozen", F, "if (@[desc.source == ScaleSource::Delayed]@) largest.add", "desc.source != ScaleSource::Current",
  "A frozen scale is not taught.", Q)
F = "kernels/cpu/product.h"
MM = conformance("matmul*")
m("product-operand-rounding", F, "values, n, {@[rounding]@});\n        decodeArray", "Rounding::TowardZero",
  "A product's operands are rounded as it says.", f"test_golden:*tf32* test_kernels:Matmul.* {MM}")
m("product-tf32", F, "bool needsRoom() const { return blocks || stored != Dtype::F32 || @[!holdsEveryValue(compute, stored)]@; }", "false",
  "A product in tf32 rounds fp32 operands.", f"test_golden:*tf32* test_kernels:Matmul.* {MM}")
m("product-scales", F, "->inverse * @[static_cast<const QuantScale*>(operands[next + 1])->inverse]@;", "1.0f",
  "A product of quantised tensors undoes both scales.", f"test_golden:*fp8* {MM}")
m("product-bias-rounding", F, "bias{d.hasBias ? d.n : 0, d.out, @[Dtype::F32]@}", "d.compute", "A bias is not rounded to the compute format.",
  f"test_golden:*tf32* {MM}")
F = "kernels/cpu/product.cpp"
m("product-result", F, "if (@[desc.result != Dtype::F32]@) roundArray", "false", "A result kept in fp32 is rounded to its format.",
  f"test_kernels:Matmul.* {MM}")
F = "kernels/dtype/rounding.h"
ROUND = "test_kernels:Rounding.* test_kernels:RoundArray.*:Quantize.*"
m("tie-to-even", F, "carried += (kDropped >> 1) + @[(bits >> kShift & 1u)]@;", "1u", "Ties of bf16 and tf32 go to even.", ROUND)
m("e4m3-overflow", F, "if constexpr (specials == Specials::NanOnly) return @[magnitude >= kOverflowFrom]@ ?", "magnitude > kLargest",
  "e4m3 overflows from its bound on.", ROUND)
m("stochastic-carry", F, "carried += @[random >> (32 - kShift)]@;", "random >> (33 - kShift)", "Stochastic rounding goes up with the dropped fraction.",
  ROUND)

F = "kernels/dtype/block_scaling.h"
BLOCKS = "test_kernels:BlockQuant.*:BlockPaths.*:NumericsClaims.* test_golden:BlockGolden.*"
m("blocks-floor", F, "exponent > element.largestExponent ? @[exponent - element.largestExponent]@ :", "$0 + 1u",
  "By floor a scale is the exponent of the largest magnitude less that of the largest element.", BLOCKS)
m("blocks-round-up", F, "(@[fraction > none]@ ? 1u : 0u)", "false", "By round-up nothing saturates.", BLOCKS)
m("blocks-round-up-subnormal", F, "none = @[ratio < kFloatImplicitBit ? kFloatImplicitBit / 2 : 0u]@;", "0u",
  "The scale 2^-127 holds ratios up to it.", BLOCKS)
m("blocks-rceil-inf", F, "ofInf = @[rule == ScaleRule::RoundUp]@ ?", "true", "By rceil an Inf makes its block NaN.", BLOCKS)
m("blocks-ceil", F, "exponent += @[(a & fractionMask) != 0]@ ? 1u", "true", "By ceil a power of two keeps its exponent.", BLOCKS)
m("blocks-even", F, "element.digits - @[1u]@)))", "0u", "By even the largest magnitude is rounded to the element's digits.", BLOCKS)
m("blocks-fp32-scale", F, "floatFromBits(kFloatNan) : @[1 / factor]@;", "factor", "The stored fp32 scale is the inverse of the factor.", BLOCKS)
m("blocks-fp32-factor", F, "quotient = floatBits(@[element.largest / floatFromBits(a)]@);\n    const float s", "floatFromBits(floatBits($0) & kFloatInf)",
  "A factor in fp32 keeps its fraction.", BLOCKS)
m("blocks-fp32-limit", F, "floatFromBits(@[quotient > kFloatLargest ? kLargestBf16 : quotient]@)", "quotient",
  "A factor beyond fp32 is bf16's largest number.", BLOCKS)
m("blocks-fp32-zero", F, "floatFromBits(kFloatNan) : @[a == 0]@ ? 1.0f", "false", "A block of zeros has the fp32 scale 1.", BLOCKS)
m("blocks-factor", F, "code : @[E8m0Format::kMaxFinite - code]@);", "$0 - 1u", "An MX element is the number over its scale.", BLOCKS)
m("blocks-te-scale", F, "atMost(@[a * (S * (1 / kLargestElement))]@, kLargestScale)", "a / kLargestElement * S",
  "te rounds S / 6 before it multiplies.", BLOCKS)
m("blocks-te-factor", F, "atMost(@[1 / (s * (1 / S))]@, floatFromBits", "S / s", "te multiplies elements by rounded reciprocals.", BLOCKS)
m("blocks-te-number", F, "dialect == Nvfp4Dialect::Te) return @[q * s * (1 / S)]@;", "q * s / S", "te reads numbers back by a rounded reciprocal.", BLOCKS)
m("blocks-tensor-scale", F, "return @[largest == 0 || scale == 0]@ ? 1", "false", "A tensor of zeros, or with Inf, has the factor 1.", BLOCKS)
m("blocks-tensor-scale-limit", F, "const float scale = @[atMost(kProduct / largest, floatFromBits(kFloatLargest))]@;", "kProduct / largest",
  "A tensor's factor is held to the largest number.", BLOCKS)
m("blocks-exact-zero", F, "return @[factor == 0]@ ? zero", "false", "exact stores 0 under a scale of 0.", BLOCKS)
m("blocks-torchao-least", F, "(@[scale < 0x1p-6f]@ ? 0x1p-6f", "false", "torchao's scales are 2^-6 at least.", BLOCKS)
m("blocks-torchao-order", F, "dialect == Nvfp4Dialect::TorchaoInference) return @[1 / S / s]@;", "1 / (S * s)",
  "torchao's inference divides twice.", BLOCKS)
m("blocks-llama-tie", F, "best = @[distance < least]@ ? code", "distance <= least", "llama.cpp's ties go to the first element.", BLOCKS)
m("blocks-llama-top", F, ": @[rounded >= 15u << 3]@ ?", "rounded > E4m3Format::kMaxFinite", "llama.cpp's scales from 248 on are 448.", BLOCKS)
m("blocks-llama-subnormal", F, "subnormal = @[ulps > 7 ? 7u : ulps]@;", "ulps", "llama.cpp's subnormal scales end at 7.", BLOCKS)
F = "kernels/cpu/block_paths.cpp"
m("blocks-nan", F, "limit = @[format.isSearched() ? kFloatInf : ~kFloatSign]@;", "kFloatInf", "A NaN makes its block NaN.", BLOCKS)
m("blocks-llama-nan", F, "limit = @[format.isSearched() ? kFloatInf : ~kFloatSign]@;", "~kFloatSign", "llama.cpp passes over NaN.", BLOCKS)
m("blocks-saturate", F, "floatFromBits(kFloatNan) : @[saturated(x, largest)]@;", "x", "Elements saturate.", BLOCKS)
F = "kernels/cpu/block_array.cpp"
m("blocks-square", F, "values + strip.first, @[strip.rows]@, stride", "std::size_t{1}", "A square's scale is that of all its rows.", BLOCKS)
m("blocks-edge", F, "&& @[shape.cols % format.block.cols == 0]@;", "true", "A block ends where its row does.", BLOCKS)
m("blocks-random", F, "elements + place, count, mode, @[firstIndex + place]@);", "firstIndex", "Stochastic rounding draws by a number's place.", BLOCKS)
F = "kernels/dtype/hadamard.h"
ROTATE = "test_kernels:Rotate.*"
m("hadamard-signs", F, "return @[(kHadamardSigns >> k & 1u) != 0]@ ? -0.25f", "false", "Sixteen numbers take the signs of the sources.", ROTATE)
m("hadamard-back", F, "v[k] = @[hadamardSign(k) < 0 ? -v[k] : v[k]]@;", "v[k]", "The inverse takes the signs back.", ROTATE)
m("hadamard-differences", F, "v[k + distance] = @[a - b]@;", "b - a", "The matrix is Sylvester's.", ROTATE)

# ---- engine/training ----
F = "engine/training/trainer_impl.h"
m("accumulated-scale", F, "static_cast<double>(scaler.scale()) / @[static_cast<double>(settings.accumulate)]@);\n        scalars.inverseScale", "1.0",
  "Micro-batches' gradients are averaged.", "test_golden:*accumulate*")
m("mean-loss", F, "return sum / @[static_cast<double>(settings.accumulate)]@;", "1.0", "A step's loss is the mean of its micro-batches'.",
  "test_golden:*accumulate*")
m("gradients-zeroed", F, "if (@[settings.accumulate > 1 && settings.zeroGrad]@)\n", "false", "Each step's gradients begin at zero.",
  "test_golden:*accumulate*")
m("micro-batch-samples", F, "const std::int64_t microBatch = counters.nextMicroBatch + @[micro]@;", "0", "Each micro-batch has samples of its own.",
  "test_golden:*accumulate*")
m("micro-batch-dropout", F, "if (@[micro > 0]@) backend->copyIn", "false", "Each micro-batch draws a dropout mask of its own.",
  "test_engine_training:StepOrder.*")
m("clip-bound", F, "static_cast<float>(@[settings.clipGradNorm.value_or(0)]@)", "2 * $0", "Gradients are clipped to the run's bound.",
  "test_golden:*clip* test_engine_training:StepOrder.*")
m("unscale-order", F, 'scalars.clipsScaled = @[settings.unscale == "after_clip"]@ ?', "true", "A run clips after it unscales.",
  "test_golden:*fp16_sgd_clip* test_engine_training:StepOrder.*")
m("validation-rows", F, "(@[done + static_cast<std::int64_t>(i)]@) * dataset->sampleStride()", "static_cast<std::int64_t>(i)",
  "Each chunk of validation has samples of its own.", "test_golden:*validation*")
m("validation-weights", F, "readLoss(*backend, *queue)) * @[static_cast<double>(chunk.rows)]@;",
  "static_cast<double>(count) / static_cast<double>((count + memory.evaluation().front().rows - 1) / memory.evaluation().front().rows)",
  "The validation loss is the mean over the samples, whatever the chunks.",
  "test_engine_training:Losses.*")
m("validation-interval", F, "@[(step + 1) % settings.validationInterval]@ == 0", "step % settings.validationInterval",
  "Validation comes after every so many steps.", "test_golden:*validation*")
m("validation-last", F, "return @[step + 1 == settings.steps]@ ||", "false", "The last step is validated.", "test_engine_training:Losses.*")
m("validation-running", F, "validationLoss = loss / @[static_cast<double>(count)]@;", "static_cast<double>(dataset->trainCount())",
  "The validation loss is the mean over the validation samples.", "test_golden:*validation*")
m("statistics-repeat", F, "        memory.restoreStatistics();\n        forwardAndBackward();", "        if (!$M) memory.restoreStatistics();\n        forwardAndBackward();",
  "A step that is repeated under audit moves the running statistics once.",
  "test_engine_training:Phenomena.*")
F = "engine/training/run_memory.cpp"
m("validation-samples", F, "next->evaluationRows[i], @[m_validationSamples]@, arenas", "m_trainSamples", "Validation runs on the validation samples.",
  f"test_golden:*validation* test_engine_training")
F = "engine/training/build_plan.cpp"
m("eval-precision-fp8", F, '.scaling = @["current"]@}}', '"delayed"', "An fp8 policy for validation alone scales by what it sees.", "test_engine_training:EvalPrecision.*")
m("eval-precision", F, "if (@[!settings.evalPrecision.empty()]@) {", "false", "Validation runs in its own format.", "test_engine_training:EvalPrecision.*")
m("eval-parameters", "engine/plan/lowering.h", "@[!policy().isPure]@;", "false",
  "Under another policy, validation of a pure run takes its parameters as fp32.", TRAINING)
m("eval-weights", F, "@[evaluationPolicy.weights = policy.weights;]@", ";", "Validation reads the weights as training stores them.",
  "test_engine_training:EvalPrecision.*:Pure.*")
m("scales-renewed", F, 'recipe.amaxComputeAlgo == @["most_recent"]@', '"max"', "max takes the largest magnitude of the history.",
  "test_engine_training:Fp8.*")
m("scale-update", F, "    appendScaleUpdate(plan, backend);\n    if (level", "    if (!$M) appendScaleUpdate(plan, backend);\n    if (level",
  "Delayed scales are renewed when a step is over.", "test_golden:*fp8_delayed*")
m("widened-logits-setting", F, 'policy.widensLogits = @[settings.loss.logits == "fp32"]@;', "false", "A run says whether its logits are widened.",
  "test_engine_training:EvalPrecision.*")
m("widened-logits-validation", F, "@[evaluationPolicy.widensLogits = policy.widensLogits;]@", ";", "Validation widens logits as training does.",
  "test_engine_training:EvalPrecision.*")
F = "engine/training/optimizer_plan.cpp"
m("decay-matrices", F, 'settings.decay == "all" || @[shape.size() > 1]@', "true", "`matrices` leaves biases without decay.",
  "test_golden:*matrices* test_engine_training:OptimizerPlan.*")
m("decay-all", F, 'return @[settings.decay == "all"]@ ||', "false", "`all` decays the biases as well.",
  "test_golden:*decay_all* test_engine_training:OptimizerPlan.*")
m("first-element", F, "@[storage.firstElement = part.first;]@", ";", "Each part's random numbers go by its place among all parameters.",
  "test_engine_training:OptimizerPlan.*")
m("update-seed", F, "plan.policy.weightUpdate, @[training.init.seed]@, 0, plan.moments}", "1", "Stochastic weight updates follow the run's seed.",
  "test_engine_training:OptimizerPlan.*")
m("lion-kind", F, 'part.count, s.beta1, @[s.beta2]@, decay, storage}, {{"exp_avg", Arena::Moment1}}, 9}', "s.beta1", "Lion's moment keeps beta2.",
  "test_engine_training:OptimizerPlan.*")
m("adam-kind", F, 'decay, storage, @[s.kind != "adam"]@},', "true", "adam's decay joins the gradient.", "test_engine_training:OptimizerPlan.*")
F = "engine/training/schedule.cpp"
SCHEDULE = "test_golden:*schedule* test_engine_training:Schedule.*"
m("warmup", F, "return static_cast<double>(@[step + 1]@) /", "step", "The first step of a warmup has a rate above zero.", SCHEDULE)
m("schedule-linear", F, 'settings.kind == "linear" ? @[1 - done]@ :', "1 - done / 2", "A linear schedule reaches zero at its total.", SCHEDULE)
m("schedule-cosine", F, "@[(1 + std::cos(std::numbers::pi * done)) / 2]@", "std::cos(std::numbers::pi * done / 2)",
  "A cosine schedule is half a period.", SCHEDULE)
m("schedule-step", F, "const std::int64_t times = @[after / settings.every]@;", "(after + 1) / settings.every",
  "A step schedule multiplies after every so many steps.", SCHEDULE)
m("schedule-after-warmup", F, "const std::int64_t after = @[step - settings.warmupSteps]@;", "step", "A schedule begins when the warmup is over.", SCHEDULE)
m("schedule-end", F, "@[std::min(static_cast<double>(after) / static_cast<double>(length), 1.0)]@",
  "static_cast<double>(after) / static_cast<double>(length)", "A schedule that has ended stays where it is.", SCHEDULE)
F = "engine/training/trainer.cpp"
m("counted-steps", F, "counters.optimizerStep += @[skipped ? 0 : 1]@;", "1", "A skipped step is not counted by the optimizer.",
  "test_golden:*fp16_adamw*")
m("skip-holds-schedule", F, '@[skipped && settings.optimizer.schedule.onSkip == "hold"]@ ?', "false", "A schedule that holds waits for skipped steps.",
  "test_engine_training:StepOrder.*")
m("momentum-begins", F, "(@[!skipped]@ && usesMomentum(settings.optimizer));", "true", "A skipped step does not fill the momentum buffer.",
  "test_engine_training:StepOrder.*")
m("scaler-hears", F, "t.scaler.update({@[foundInf]@, scalars.gradAbsMax});", "false", "The scaler hears of an overflow.", "test_golden:*fp16*")
F = "engine/data/batch_order.cpp"
m("epoch-order", F, "RandomUse::Shuffle, @[static_cast<std::uint32_t>(epoch)]@, i", "0u", "Each epoch has an order of its own.", "test_engine_data:BatchOrder.*")
m("sequential-order", F, "const std::int64_t inEpoch = @[position % m_count]@;", "i % m_count", "Batches follow each other through the data.",
  "test_golden:*fp32_adamw* test_engine_data")
