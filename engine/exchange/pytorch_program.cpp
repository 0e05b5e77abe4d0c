// SPDX-License-Identifier: Apache-2.0
// The PyTorch program, with the trainer's order of a step.
#include "engine/exchange/python_text.h"
#include "engine/exchange/snippet_parts.h"

namespace mantissa {
namespace {

using python::fill;
using python::number;

constexpr const char* kTorchProgram = R"(@imports@import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(@seed@)
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = @tf32@


@data@

@model@

def load_weights(path):
    """A safetensors file: its header's length, the header, numbers of FP32."""
    raw, weights = path.read_bytes(), {}
    start = 8 + int.from_bytes(raw[:8], "little")
    for name, tensor in json.loads(raw[8:start]).items():
        begin, end = tensor["data_offsets"]
        values = np.frombuffer(raw[start + begin : start + end], "<f4")
        weights[name] = torch.from_numpy(values.reshape(tensor["shape"]).copy())
    return weights


model.load_state_dict(load_weights(here.with_suffix(".initial.safetensors"))@tied@)
model = model.to(@place@)

@optimizer_class@@schedule@@scaler_class@@groups@
optimizer = @optimizer@
@scheduler@
@scaler@
@autocast@


@narrow_loss@def loss_of(x, y, is_training=True):
    """The mean loss, in FP32, and the outputs."""
    model.train(is_training)
    x, y = torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)
    @layout@
    @cast@
    outputs = model(x)
    return @loss@, outputs


@validate@

log = open(here.with_suffix(".pytorch.csv"), "w")
print("step,loss,loss_scale,skipped_total,grad_norm", file=log)
source, skipped = batches(), 0
for step in range(@steps@):
    @zero_grad@
@micro_batches@
@update@
    @scheduler_step@
    print(step, loss, @scale@, skipped, float(norm), sep=",", file=log, flush=True)
    if step % 10 == 0:
        print(f"step {step}: loss {loss:.6f}, @scale_text@gradient norm {float(norm):.4g}")
    if (step + 1) % @interval@ == 0 or step + 1 == @steps@:
        validate(step)
)";

/// Not F.cross_entropy, which would compute all of it in the low format outside of autocast.
constexpr const char* kNarrowLoss = R"(class LogSoftmax(torch.autograd.Function):
    """Log-probabilities in the format of the logits, as CUDA's autocast computes them: rounded once, and the backward pass reads the rounded ones."""

    @staticmethod
    def forward(ctx, logits):
        log_p = F.log_softmax(logits.float(), -1).to(logits.dtype)
        ctx.save_for_backward(log_p)
        return log_p

    @staticmethod
    def backward(ctx, gradient):
        (log_p,), g = ctx.saved_tensors, gradient.float()
        return (g - log_p.float().exp() * g.sum(-1, keepdim=True)).to(log_p.dtype)


def cross_entropy(logits, labels, label_smoothing=0.0):
    """F.cross_entropy as CUDA's autocast computes it."""
    log_p = LogSoftmax.apply(logits)
    loss = F.nll_loss(log_p.float(), labels)
    if label_smoothing == 0:
        return loss
    return (1 - label_smoothing) * loss - label_smoothing / logits.shape[-1] * log_p.sum(-1, dtype=torch.float32).mean()


)";

constexpr const char* kOneBatch = R"(    part = loss_of(*next(source))[0]
    @backward@
    loss = part.item())";

constexpr const char* kMicroBatches = R"(    loss = 0.0
    for _ in range(@accumulate@):
        part = loss_of(*next(source))[0] / @accumulate@
        @backward@
        loss += part.item())";

constexpr const char* kValidateClasses = R"(@torch.no_grad()
def validate(step):
    total, right = 0.0, 0
    for i in range(0, len(x_val), @batch@):
        x, y = x_val[i : i + @batch@], y_val[i : i + @batch@]
        loss, outputs = loss_of(x, y, is_training=False)
        total += loss.item() * len(x)
        right += (outputs.argmax(-1).cpu() == torch.from_numpy(y)).sum().item()
    print(f"step {step}: validation loss {total / len(x_val):.6f}, accuracy {right / y_val.size:.4f}, skipped {skipped}")
)";

constexpr const char* kValidateTargets = R"(@torch.no_grad()
def validate(step):
    total = 0.0
    for i in range(0, len(x_val), @batch@):
        x, y = x_val[i : i + @batch@], y_val[i : i + @batch@]
        total += loss_of(x, y, is_training=False)[0].item() * len(x)
    print(f"step {step}: validation loss {total / len(x_val):.6f}, skipped {skipped}")
)";

constexpr const char* kLion = R"(class Lion(torch.optim.Optimizer):
    """Chen et al. 2023: the sign of a mean of gradients, and decay as AdamW has it."""

    def __init__(self, params, lr, betas, weight_decay):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            a, b = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_((a * m + (1 - a) * p.grad).sign(), alpha=-group["lr"])
                m.mul_(b).add_(p.grad, alpha=1 - b)


)";

/// One optimizer for GradScaler and the schedule, in place of torch.optim.Muon and AdamW.
constexpr const char* kMuon = R"(def orthogonal(g, steps, dtype):
    """The Newton-Schulz iteration of torch.optim.Muon, in a format of choice."""
    x = g.to(dtype)
    x = x.T if g.size(0) > g.size(1) else x
    x = x / x.norm().clamp(min=1e-7)
    for _ in range(steps):
        a = x @ x.T
        x = torch.addmm(x, torch.addmm(a, a, a, beta=-4.775, alpha=2.0315), x, beta=3.4445)
    return x.T if g.size(0) > g.size(1) else x


class MuonWithAdamW(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) for the weights of hidden linear layers, AdamW for the other parameters."""

    def __init__(self, model, lr, momentum, nesterov, betas, eps, weight_decay, decays, factor, steps, dtype):
        hidden = {id(m.weight) for m in model.modules() if isinstance(m, nn.Linear)}
        hidden -= {id([m.weight for m in model.modules() if isinstance(m, nn.Linear)][-1])}
        self.muon = hidden
        self.options = (momentum, nesterov, betas, eps, weight_decay, decays, factor, steps, dtype)
        super().__init__(model.parameters(), dict(lr=lr))

    @torch.no_grad()
    def step(self):
        momentum, nesterov, (beta1, beta2), eps, weight_decay, decays, factor, steps, dtype = self.options
        for group in self.param_groups:
            for p in group["params"]:
                state, lr = self.state[p], group["lr"]
                m = state.setdefault("m", torch.zeros_like(p))
                if decays(p):
                    p.mul_(1 - lr * weight_decay)
                if id(p) in self.muon:
                    m.lerp_(p.grad, 1 - momentum)
                    update = p.grad.lerp(m, momentum) if nesterov else m
                    p.add_(orthogonal(update, steps, dtype).to(p.dtype), alpha=-lr * factor(*p.shape))
                else:
                    v = state.setdefault("v", torch.zeros_like(p))
                    t = state["t"] = state.get("t", 0) + 1
                    m.lerp_(p.grad, 1 - beta1)
                    v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                    p.addcdiv_(m, v.sqrt() / (1 - beta2**t) ** 0.5 + eps, value=-lr / (1 - beta1**t))


)";

constexpr const char* kGradScaler = R"(scaler = torch.amp.GradScaler(
    device, init_scale=@first@, growth_factor=@growth@, backoff_factor=@backoff@, growth_interval=@interval@
)
stepped = []
optimizer.register_step_post_hook(lambda *_: stepped.append(True)))";

constexpr const char* kUpdateByGradScaler = R"(    scale = scaler.get_scale()
@unscale_and_clip@
    stepped.clear()
    scaler.step(optimizer)
    scaler.update()
    was_skipped = not stepped
    skipped += was_skipped)";

constexpr const char* kUpdateByOurs = R"(    grads = [p.grad for p in model.parameters()]
    scale, was_skipped = scaler.scale, bool(scaler.found_inf(grads))
@unscale_and_clip@
    if not was_skipped:
        optimizer.step()
    scaler.update(was_skipped, abs_max)
    skipped += was_skipped)";

constexpr const char* kUpdateUnscaled = R"(    norm = @norm@
    optimizer.step())";

struct Formats {
    std::string dtype;  // of autocast, or of the weights of a pure run; empty: FP32
    bool isPure = false;
};

Formats formatsOf(const std::string& policy) {
    const bool isPurePolicy = isPure(policy);
    if (policy == "fp16" || policy == "pure-fp16") return {"torch.float16", isPurePolicy};
    if (policy == "fp32" || policy == "tf32") return {};
    return {"torch.bfloat16", isPurePolicy};  // bf16, pure-bf16; also fp8 and auto, as the headings state
}

/// Whether torch's own scaler can replace this one: it has no bounds, and refuses gradients in FP16.
bool isGradScaler(const ScalerSettings& s, const Formats& formats) {
    return s.preset == "pytorch" && !s.minScale && !s.maxScale && !formats.isPure;
}

std::string muonOf(const OptimizerSettings& o) {
    const char* factor = o.adjustLrFn == "original"             ? "max(1, a / b) ** 0.5"
                         : o.adjustLrFn == "spectral_unclamped" ? "(a / b) ** 0.5"
                                                                : "0.2 * max(a, b) ** 0.5";
    const char* dtype = o.nsDtype == "bf16" ? "torch.bfloat16" : o.nsDtype == "fp16" ? "torch.float16" : "torch.float32";
    return "MuonWithAdamW(\n    model, lr=" + number(o.lr) + ", momentum=" + number(o.momentum) +
           ", nesterov=" + python::truth(o.nesterov) + ", betas=(" + number(o.beta1) + ", " + number(o.beta2) +
           "), eps=" + number(o.epsilon) + ",\n    weight_decay=" + number(o.weightDecay) +
           ", decays=lambda p: " + (o.decay == "matrices" ? "p.dim() > 1" : "True") + ", factor=lambda a, b: " + factor +
           ", steps=" + number(o.nsSteps) + ", dtype=" + dtype + ",\n)";
}

/// Of a pure run the fused form, which computes in FP32 as the lab does; the others round to 16 bits after each operation.
std::string optimizerOf(const OptimizerSettings& o, bool isPure) {
    const std::string parameters = o.decay == "matrices" ? "groups" : "model.parameters()";
    const std::string begin = "(" + parameters + ", lr=" + number(o.lr);
    const std::string betas = ", betas=(" + number(o.beta1) + ", " + number(o.beta2) + ")";
    const std::string decay = ", weight_decay=" + number(o.weightDecay);
    if (o.kind == "lion") return "Lion" + begin + betas + decay + ")";
    if (o.kind == "muon") return muonOf(o);
    const std::string fused = isPure ? ", fused=True)" : ")";
    if (o.kind == "sgd") {
        return "torch.optim.SGD" + begin + ", momentum=" + number(o.momentum) + ", dampening=" + number(o.dampening) +
               ", nesterov=" + python::truth(o.nesterov) + decay + fused;
    }
    return std::string("torch.optim.") + (o.kind == "adamw" ? "AdamW" : "Adam") + begin + betas + ", eps=" + number(o.epsilon) + decay +
           fused;
}

/// Whether the loss has log-probabilities in 16 bits.
bool isNarrow(const RunSettings& run, const DataShape& data, const Formats& formats) {
    return python::hasClasses(run, data) && !formats.dtype.empty() && !python::widensLogits(run);
}

std::string lossOf(const RunSettings& run, const DataShape& data, bool isNarrow) {
    if (!python::hasClasses(run, data)) return "F.mse_loss(outputs.float(), y)";
    const double smoothing = run.training.model.labelSmoothing;
    const std::string flat = takesTokens(run.training.model.kind) ? ".flatten(0, 1)" : "";
    const std::string labels = flat.empty() ? "y" : "y.flatten()";
    const std::string option = smoothing > 0 ? ", label_smoothing=" + number(smoothing) + " * is_training" : "";
    const std::string function = isNarrow ? "cross_entropy(outputs" : "F.cross_entropy(outputs.float()";
    return function + flat + ", " + labels + option + ")";
}

std::string scalerOf(const ScalerSettings& settings, const Formats& formats) {
    if (settings.preset == "none") return "";
    if (!isGradScaler(settings, formats)) return "scaler = LossScaler()";
    const ScalerPreset s = resolvedScaler(settings);
    return fill(kGradScaler, {{"first", number(s.initScale)},
                              {"growth", number(s.growthFactor)},
                              {"backoff", number(s.backoffFactor)},
                              {"interval", number(s.growthInterval)}});
}

std::string updateOf(const TrainingSettings& t, const Formats& formats) {
    const std::string bound = t.clipGradNorm ? number(*t.clipGradNorm) : "";
    const std::string clip = "nn.utils.clip_grad_norm_(model.parameters(), " + bound + ")";
    const std::string measure = "torch.stack([p.grad.float().norm() for p in model.parameters()]).norm()";
    const std::string norm = t.clipGradNorm ? clip : measure;
    if (t.scaler.preset == "none") return fill(kUpdateUnscaled, {{"norm", norm}});
    const bool isTorchs = isGradScaler(t.scaler, formats);
    const std::string unscale =
        isTorchs ? "    scaler.unscale_(optimizer)"
                 : "    for g in grads:\n        g.mul_(1 / scale)\n    abs_max = max(g.abs().max().item() for g in grads)";
    const bool isWrongOrder = t.unscale == "after_clip" && t.clipGradNorm;
    const std::string inOrder = unscale + "\n    norm = " + norm;
    const std::string inWrongOrder =
        "    # the wrong order, as the run has it: the bound meets gradients that are still scaled\n    norm = " + norm + " / scale\n" +
        unscale;
    return fill(isTorchs ? kUpdateByGradScaler : kUpdateByOurs, {{"unscale_and_clip", isWrongOrder ? inWrongOrder : inOrder}});
}

}  // namespace

std::string pytorchProgram(const RunSettings& run, const DataShape& data, const std::vector<std::string>& remarks) {
    const TrainingSettings& t = run.training;
    const Formats formats = formatsOf(t.precision.policy);
    const bool hasScaler = t.scaler.preset != "none";
    const bool hasSchedule = !python::scheduleFunction(t).empty();
    const bool isHeld = t.optimizer.schedule.onSkip == "hold" && hasScaler;
    const bool isToTransform = takesImages(t.model.kind);

    std::vector<std::string> leftOut = python::leftOutEverywhere(run);
    if (takesTokens(t.model.kind) && t.model.dropout > 0) leftOut.push_back("the run's draws of dropout; PyTorch makes its own.");
    if (t.optimizer.kind == "muon" && t.optimizer.nsDtype == "tf32")
        leftOut.push_back("tf32 in the Newton-Schulz iteration; its products follow allow_tf32 here.");
    if (formats.isPure && (t.optimizer.kind == "muon" || t.optimizer.kind == "lion"))
        leftOut.push_back("the optimizer's arithmetic in FP32; this program's rounds to 16 bits after each operation.");
    if (t.precision.policy == "pure-fp16" && t.clipGradNorm)
        leftOut.push_back("the gradient norm in double; clip_grad_norm_ takes it in FP16, where it is Inf above 65504 and clips to 0.");
    leftOut.insert(leftOut.end(), remarks.begin(), remarks.end());
    const bool isTied = takesTokens(t.model.kind) && t.model.tieWeights;
    const std::string outputs =
        formats.dtype.empty() || formats.isPure ? "    outputs = model(x)\n" : "    with autocast:\n        outputs = model(x)\n";
    const std::string context =
        formats.dtype.empty() || formats.isPure ? "" : "autocast = torch.autocast(device, dtype=" + formats.dtype + ")";
    const std::string backward = !hasScaler                        ? "part.backward()"
                                 : isGradScaler(t.scaler, formats) ? "scaler.scale(part).backward()"
                                                                   : "(part * scaler.scale).backward()";
    const std::string classes = python::hasClasses(run, data) ? kValidateClasses : kValidateTargets;
    std::string program = kTorchProgram;
    program.replace(program.find("    outputs = model(x)\n"), std::string("    outputs = model(x)\n").size(), outputs);
    program = fill(program, {{"seed", std::to_string(t.init.seed)},
                             {"tf32", python::truth(t.precision.policy == "tf32")},
                             {"data", python::dataFunctions(run, data)},
                             {"model", pytorchModel(t.model, data)},
                             {"tied", isTied ? ", strict=False" : ""},
                             {"place", formats.isPure ? "device, " + formats.dtype : "device"},
                             {"optimizer_class", t.optimizer.kind == "lion"   ? kLion
                                                 : t.optimizer.kind == "muon" ? kMuon
                                                                              : ""},
                             {"schedule", python::scheduleFunction(t)},
                             {"scaler_class", hasScaler && !isGradScaler(t.scaler, formats) ? pytorchScaler(t.scaler) + "\n" : ""},
                             {"groups", t.optimizer.decay == "matrices" && t.optimizer.kind != "muon" ? R"(groups = [
    {"params": [p for p in model.parameters() if p.dim() > 1]},
    {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0},
])"
                                                                                                      : ""},
                             {"optimizer", optimizerOf(t.optimizer, formats.isPure)},
                             {"scheduler", hasSchedule ? "scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_factor)" : ""},
                             {"scaler", scalerOf(t.scaler, formats)},
                             {"autocast", context},
                             {"layout", isToTransform ? "x = x.permute(0, 3, 1, 2)" : ""},
                             {"cast", formats.isPure && !takesTokens(t.model.kind) ? "x = x.to(" + formats.dtype + ")" : ""},
                             {"narrow_loss", isNarrow(run, data, formats) ? kNarrowLoss : ""},
                             {"loss", lossOf(run, data, isNarrow(run, data, formats))},
                             {"validate", classes},
                             {"batch", number(t.data.batchSize)},
                             {"steps", number(programSteps(t))},
                             {"zero_grad", t.zeroGrad ? "optimizer.zero_grad()"
                                                      : "# no zero_grad, as the run has it: the wrong program, whose gradients add up"},
                             {"micro_batches", t.accumulate > 1 ? kMicroBatches : kOneBatch},
                             {"accumulate", number(t.accumulate)},
                             {"backward", backward},
                             {"update", updateOf(t, formats)},
                             {"scheduler_step", !hasSchedule ? ""
                                                : isHeld     ? "if not was_skipped:\n        scheduler.step()"
                                                             : "scheduler.step()"},
                             {"scale", hasScaler ? "scale" : "1.0"},
                             {"scale_text", hasScaler ? "scale {scale:.9g}, " : ""},
                             {"interval", number(t.validationInterval)}});
    const std::string imports = python::importsOf(program);
    return python::heading(run, formats.isPure ? "PyTorch, 2.4 or later" : "PyTorch, 2.3 or later",
                           "It begins with the run's weights and takes its batches, so losses can be held against the run's.", leftOut) +
           fill(program, {{"imports", imports}});
}

}  // namespace mantissa
