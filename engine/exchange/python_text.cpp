// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/python_text.h"

#include <algorithm>

#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"

namespace mantissa::python {
std::string fill(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values) {
    std::string filled(text);
    for (const auto& [name, value] : values) {
        const std::string mark = "@" + std::string(name) + "@";
        for (std::size_t at = filled.find(mark); at != std::string::npos; at = filled.find(mark, at + value.size())) {
            const std::size_t begin = filled.find_last_of('\n', at) + 1, end = at + mark.size();
            const bool isWholeLine = filled.find_first_not_of(' ', begin) == at && end < filled.size() && filled[end] == '\n';
            if (value.empty() && isWholeLine) {
                filled.erase(begin, end + 1 - begin);
                at = begin;
            } else {
                filled.replace(at, mark.size(), value);
            }
        }
    }
    return filled;
}

std::string number(double value) {
    const std::string text = shortest(value);
    if (text.find_first_of("nf") != std::string::npos) return "float(\"" + text + "\")";
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string number(std::int64_t value) {
    return std::to_string(value);
}

std::string truth(bool value) {
    return value ? "True" : "False";
}

std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);  // JSON's escapes are Python's too
}

std::string list(const std::vector<std::int64_t>& values) {
    return "[" + joined(values, ", ", [](std::int64_t value) { return std::to_string(value); }) + "]";
}

std::string importsOf(std::string_view program) {
    std::string lines;
    for (const std::string module : {"ctypes", "gzip", "json", "math", "pathlib"}) {
        if (program.find(module + ".") != std::string_view::npos) lines += "import " + module + "\n";
    }
    return lines.empty() ? "" : lines + "\n";
}

std::string heading(const RunSettings& run, std::string_view framework, std::string_view beginning,
                    const std::vector<std::string>& leftOut) {
    std::string text = "# Written by mantissa " MANTISSA_VERSION ": the run " + quoted(run.name) + " in " + std::string(framework) +
                       ".\n# " + std::string(beginning) + "\n";
    for (const std::string& each : leftOut) text += "# Left out: " + each + "\n";
    return text;
}

void noteMuon(std::vector<std::string>& leftOut, const OptimizerSettings& optimizer) {
    if (optimizer.kind == "muon") leftOut.push_back("Muon of hidden matrices; AdamW updates all parameters here.");
}

std::int64_t gatedWidth(const ModelSettings& model, const DataShape& data) {
    std::int64_t width = 0;
    for (const ParameterShape& parameter : parameterShapes(model, data))
        if (parameter.name == "model.layers.0.mlp.gate_proj.weight") width = parameter.shape[0];
    return width;
}

std::vector<std::string> leftOutEverywhere(const RunSettings& run) {
    const TrainingSettings& t = run.training;
    const PrecisionSettings defaults, &p = t.precision;
    std::vector<std::string> out;
    if (p.policy == "auto") out.push_back("the choice that precision auto makes for a device; bf16 stands here.");
    if (p.policy == "fp8") out.push_back("fp8 products, which Transformer Engine has for PyTorch; this is the bf16 around them.");
    if (isBlockPolicy(p.policy)) {
        out.push_back(policyScreenName(p.policy) +
                      " products, which Transformer Engine and torchao have for PyTorch; this is the bf16 around them.");
    }
    if (p.autocast != defaults.autocast) out.push_back("the autocast list '" + p.autocast + "'; the framework's own holds.");
    for (const PrecisionOverride& each : p.overrides) out.push_back("the format of its own of " + each.place + ".");
    if (p.products != defaults.products) out.push_back("how products round their operands and form their sums.");
    if (p.weightUpdate != defaults.weightUpdate) out.push_back("weights written " + std::string(weightUpdateName(p.weightUpdate)) + ".");
    if (t.optimizer.stateDtype != OptimizerSettings().stateDtype)
        out.push_back("the optimizer's state in " + t.optimizer.stateDtype + "; here it has the weights' format.");
    if (!t.evalPrecision.empty()) out.push_back("validation in " + t.evalPrecision + "; it runs as training does.");
    if (t.model.fusedSoftmax != ModelSettings().fusedSoftmax)
        out.push_back("how fused attention rounds before it divides; the framework's own attention holds.");
    if (t.model.gradientCheckpointing) out.push_back("gradient checkpointing, which changes memory and no number.");
    if (t.validationEpochs > 0) out.push_back("validation each " + shortest(t.validationEpochs) + " epochs; it comes by steps.");
    return out;
}

bool hasClasses(const RunSettings& run, const DataShape& data) {
    return learnsClasses(run.training.model.kind) && data.targets == 0;
}

bool widensLogits(const RunSettings& run) {
    const PrecisionSettings& precision = run.training.precision;
    const bool isForced = std::any_of(precision.overrides.begin(), precision.overrides.end(), [](const PrecisionOverride& forced) {
        return forced.place == "loss" || forced.place == "cross_entropy";
    });
    return isForced || run.training.loss.logits == "fp32" || precision.autocast != "pytorch-cuda";
}

std::string scheduleFunction(const TrainingSettings& training) {
    const ScheduleSettings& s = training.optimizer.schedule;
    if (s.kind == "constant" && s.warmupSteps == 0) return "";
    const std::int64_t total = s.totalSteps > 0 ? s.totalSteps : training.steps;
    const std::int64_t length = std::max<std::int64_t>(total - s.warmupSteps, 1);
    std::string after = "1.0";
    if (s.kind == "step") after = number(s.factor) + " ** ((step - " + number(s.warmupSteps) + ") // " + number(s.every) + ")";
    const std::string done = "min((step - " + number(s.warmupSteps) + ") / " + number(length) + ", 1.0)";
    if (s.kind == "linear") after = "1 - " + done;
    if (s.kind == "cosine") after = "(1 + math.cos(math.pi * " + done + ")) / 2";
    const std::string warmup = fill(R"(    if step < @warmup@:
        return (step + 1) / @warmup@
)",
                                    {{"warmup", number(s.warmupSteps)}});
    return "def lr_factor(step):\n" + (s.warmupSteps > 0 ? warmup : "") + "    return " + after + "\n\n\n";
}

}  // namespace mantissa::python
