// SPDX-License-Identifier: Apache-2.0
// The counterpart of settings_export.cpp, with its sources.
#include "engine/exchange/settings_import.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "engine/exchange/flat_yaml.h"
#include "engine/experiment/json_reader.h"
#include "engine/telemetry/joined.h"

namespace mantissa {
namespace {

constexpr double kMostSteps = 1e15;  // a double is exact up to there

/// An object of a file. The import reads keys one by one; unread keys are left out of the experiment.
class Keys {
public:
    Keys(const Json& object, const SettingsFile& file, std::string pointer = "")
        : m_object(object), m_file(file), m_pointer(std::move(pointer)) {
        if (!object.is_object()) refuse("", "must be an object");
    }

    [[noreturn]] void refuse(const std::string& key, const std::string& sentence) const {
        throw InputError(m_file.source, m_pointer + (key.empty() ? "" : pointerStep(key)), sentence);
    }
    bool has(const char* key) const { return m_object.contains(key); }
    /// Whether another file sets the value.
    bool isAuto(const char* key) const { return has(key) && m_object[key] == Json("auto"); }

    std::optional<double> number(const char* key) { return valueOf<double>(key, &Json::is_number, "a number"); }
    std::optional<std::int64_t> whole(const char* key) {
        const std::optional<double> value = number(key);
        if (value && (std::round(*value) != *value || std::abs(*value) > kMostSteps)) refuse(key, "must be a whole number");
        return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
    }
    std::optional<bool> truth(const char* key) { return valueOf<bool>(key, &Json::is_boolean, "true or false"); }
    std::optional<std::string> text(const char* key) { return valueOf<std::string>(key, &Json::is_string, "text"); }
    std::optional<Keys> object(const char* key) {
        const Json* value = find(key);
        return value == nullptr ? std::nullopt : std::optional(Keys(*value, m_file, m_pointer + pointerStep(key)));
    }
    /// The keys of an object that the file leaves out; `nothing` outlives them.
    Keys withoutKeys(const Json& nothing) const { return Keys(nothing, m_file, m_pointer); }
    /// Two numbers, such as betas.
    std::optional<std::pair<double, double>> pair(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_array() || value->size() != 2 || !(*value)[0].is_number() || !(*value)[1].is_number())
            refuse(key, "must be two numbers");
        return std::pair((*value)[0].get<double>(), (*value)[1].get<double>());
    }

    /// Adds the keys that have a value and were not read.
    void addUnread(std::vector<std::string>& names) const {
        for (const auto& [key, value] : m_object.items()) {
            const bool isSaid = !value.is_null() && value != Json(false) && value != Json("") && !(value.is_structured() && value.empty());
            if (isSaid && !m_read.contains(key)) names.push_back(m_pointer.empty() ? key : m_pointer.substr(1) + "/" + key);
        }
    }

private:
    const Json& m_object;
    const SettingsFile& m_file;
    std::string m_pointer;
    std::set<std::string> m_read;

    /// Null for a missing key, for null, and for "auto": another file sets it.
    const Json* find(const char* key) {
        const auto found = m_object.find(key);
        m_read.insert(key);
        return found == m_object.end() || found->is_null() || *found == Json("auto") ? nullptr : &*found;
    }
    template <typename T>
    std::optional<T> valueOf(const char* key, bool (Json::*isOne)() const noexcept, const char* what) {
        const Json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!(value->*isOne)()) refuse(key, std::string("must be ") + what);
        return value->get<T>();
    }
};

/// The result: the run as in an experiment file, and what such a file cannot express.
struct Reading {
    Json run = Json::object();
    std::vector<std::string> leftOut, unread;
    bool othersSayFp16 = false;  // for a DeepSpeed file that leaves the choice to other files

    template <typename T>
    void set(const char* group, const char* key, const T& value) {
        (group[0] == '\0' ? run : run[group])[key] = value;
    }
    template <typename T>
    void setIf(const char* group, const char* key, const std::optional<T>& value) {
        if (value) set(group, key, *value);
    }
    void setClip(std::optional<double> norm) {
        if (!norm) return;
        run.erase("clip_grad_norm");
        if (*norm > 0) set("", "clip_grad_norm", *norm);
    }
    /// Clears the group's settings of an earlier file.
    void restart(const char* group) { run[group] = Json::object(); }
};

/// Sets Hugging Face's or DeepSpeed's AdamW, Adam, SGD or Lion. False if `name` is none of them: AdamW is used.
bool setOptimizer(Reading& to, std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool isSgd = name == "sgd", isLion = name == "lion" || name == "lion_32bit", isAdam = name == "adam";
    const bool isAdamW = name.starts_with("adamw") && !name.ends_with("bit") && !name.ends_with("8bit");
    to.set("optimizer", "kind", isSgd ? "sgd" : isLion ? "lion" : isAdam ? "adam" : "adamw");
    return isSgd || isLion || isAdam || isAdamW;
}

void setAdam(Reading& to, const std::optional<std::pair<double, double>>& betas, std::optional<double> epsilon) {
    const std::string kind = to.run["optimizer"].value("kind", "adamw");
    if (kind == "sgd") return;
    if (betas) to.set("optimizer", "betas", Json::array({betas->first, betas->second}));
    if (kind != "lion") to.setIf("optimizer", "eps", epsilon);
}

/// "momentum=0.9,nesterov=true" of TrainingArguments.optim_args, for SGD.
void setSgdArguments(Reading& to, const std::string& arguments) {
    std::istringstream parts(arguments);
    for (std::string part; std::getline(parts, part, ',');) {
        part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
        const std::string key = part.substr(0, part.find('=')), value = part.substr(std::min(part.size(), key.size() + 1));
        if (key == "nesterov") {
            to.set("optimizer", "nesterov", value == "true" || value == "True" || value == "1");
        } else if (key == "momentum" || key == "dampening") {
            to.set("optimizer", key.c_str(), std::strtod(value.c_str(), nullptr));
        } else {
            to.leftOut.push_back("optim_args: " + part + ".");
        }
    }
}

void readHuggingFace(const Json& json, const SettingsFile& file, Reading& to) {
    // transformers/training_args.py, version 5: the defaults of TrainingArguments
    static const Json kDefaults{{"per_device_train_batch_size", 8},
                                {"learning_rate", 5e-5},
                                {"lr_scheduler_type", "linear"},
                                {"optim", "adamw_torch"},
                                {"weight_decay", 0.0},
                                {"adam_beta1", 0.9},
                                {"adam_beta2", 0.999},
                                {"max_grad_norm", 1.0},
                                {"seed", 42},
                                {"warmup_steps", 0},
                                {"max_steps", -1}};
    Json all = kDefaults;
    for (const auto& [key, value] : json.items())
        if (!value.is_null() && value != Json("auto")) all[key] = value;
    Keys keys(all, file);
    const std::string optimizer = *keys.text("optim");
    if (!setOptimizer(to, optimizer)) to.leftOut.push_back("the optimizer '" + optimizer + "'; AdamW stands for it.");
    to.setIf("optimizer", "lr", keys.number("learning_rate"));
    to.setIf("optimizer", "weight_decay", keys.number("weight_decay"));
    to.set("optimizer", "decay", "matrices");  // Trainer leaves biases and norms out
    const double beta1 = *keys.number("adam_beta1"), beta2 = *keys.number("adam_beta2");
    setAdam(to, std::pair(beta1, beta2), keys.number("adam_epsilon"));
    if (const auto arguments = keys.text("optim_args")) {
        if (optimizer == "sgd") setSgdArguments(to, *arguments);
        if (optimizer != "sgd") to.leftOut.push_back("optim_args.");
    }

    const std::int64_t steps = keys.whole("max_steps").value_or(-1);
    if (steps > 0) to.set("", "steps", steps);
    if (steps <= 0) to.leftOut.push_back("num_train_epochs, as there is no max_steps: the steps are the default ones.");
    (void)keys.number("num_train_epochs");
    const std::string schedule = *keys.text("lr_scheduler_type");
    const bool isKnown = schedule == "linear" || schedule == "cosine" || schedule == "constant" || schedule == "constant_with_warmup";
    if (!isKnown) to.leftOut.push_back("the schedule '" + schedule + "'; the learning rate is constant.");
    const double warmup = keys.number("warmup_steps").value_or(0), ratio = keys.number("warmup_ratio").value_or(0);
    const double share = warmup > 0 && warmup < 1 ? warmup : ratio;
    const double warmupSteps = warmup >= 1 ? warmup : std::ceil(share * static_cast<double>(std::max<std::int64_t>(steps, 0)));
    if (warmupSteps > kMostSteps) keys.refuse(warmup >= 1 ? "warmup_steps" : "warmup_ratio", "is too large");
    Json rate{{"kind", schedule == "linear" || schedule == "cosine" ? schedule : "constant"}};
    if (warmupSteps > 0 && schedule != "constant") rate["warmup_steps"] = static_cast<std::int64_t>(warmupSteps);
    if (rate.contains("warmup_steps"))
        to.leftOut.push_back("the warm-up's first step at a learning rate of 0; here it begins at its first part.");
    to.set("optimizer", "schedule", rate);
    to.set("optimizer", "schedule_on_skip", "hold");  // Trainer steps the schedule only where the optimizer has stepped

    to.setIf("data", "batch_size", keys.whole("per_device_train_batch_size"));
    (void)keys.whole("per_device_eval_batch_size");
    to.setIf("", "accumulate", keys.whole("gradient_accumulation_steps"));
    to.setClip(keys.number("max_grad_norm"));
    if (const double smoothing = keys.number("label_smoothing_factor").value_or(0); smoothing != 0)
        to.set("model", "label_smoothing", smoothing);
    const bool isFp16 = keys.truth("fp16").value_or(false), isBf16 = keys.truth("bf16").value_or(false),
               isTf32 = keys.truth("tf32").value_or(false);
    if (isFp16 && isBf16) throw InputError(file.source, "/fp16", "fp16 and bf16 are both true");
    to.set("", "precision", isFp16 ? "fp16" : isBf16 ? "bf16" : isTf32 ? "tf32" : "fp32");
    const bool isFp16Eval = keys.truth("fp16_full_eval").value_or(false), isBf16Eval = keys.truth("bf16_full_eval").value_or(false);
    if (isFp16Eval || isBf16Eval) to.set("", "eval_precision", isFp16Eval ? "pure-fp16" : "pure-bf16");
    const std::int64_t seed = *keys.whole("seed");
    to.set("init", "seed", seed);
    to.set("data", "seed", keys.whole("data_seed").value_or(seed));
    const std::string sampling = keys.text("train_sampling_strategy").value_or("random");
    to.set("data", "order", sampling == "sequential" ? "sequential" : "shuffled");
    if (sampling != "sequential" && sampling != "random") to.leftOut.push_back("the sampling '" + sampling + "'; batches are shuffled.");
    if (keys.text("eval_strategy").value_or("no") == "steps" || keys.has("eval_steps"))
        to.setIf("", "validation_interval", keys.whole("eval_steps"));
    for (const char* ofTheProgram : {"output_dir", "run_name"}) (void)keys.text(ofTheProgram);
    keys.addUnread(to.unread);
}

void readAccelerate(const Json& json, const SettingsFile& file, Reading& to) {
    Keys keys(json, file);
    if (const auto mixed = keys.text("mixed_precision")) to.set("", "precision", *mixed == "no" ? "fp32" : *mixed);
    to.setIf("", "accumulate", keys.whole("gradient_accumulation_steps"));
    if (auto deepSpeed = keys.object("deepspeed_config")) {
        to.setIf("", "accumulate", deepSpeed->whole("gradient_accumulation_steps"));
        to.setClip(deepSpeed->number("gradient_clipping"));
        deepSpeed->addUnread(to.unread);
    }
    for (const char* ofTheMachine : {"compute_environment", "distributed_type", "main_training_function", "rdzv_backend"})
        (void)keys.text(ofTheMachine);
    keys.addUnread(to.unread);
}

void readDeepSpeedSchedule(Keys& scheduler, Reading& to) {
    const std::string type = scheduler.text("type").value_or("");
    Json rate{{"kind", "constant"}};
    const Json nothing = Json::object();
    auto p = scheduler.object("params");
    const bool isSaid = p || !type.empty();
    if (!p) p.emplace(scheduler.withoutKeys(nothing));
    if (isSaid) {
        const auto setTotal = [&](const char* key) {
            if (const auto total = p->whole(key)) rate["total_steps"] = *total;
        };
        if (type == "WarmupLR" || type == "WarmupDecayLR" || type == "WarmupCosineLR") {
            rate["kind"] = type == "WarmupDecayLR" ? "linear" : type == "WarmupCosineLR" ? "cosine" : "constant";
            rate["warmup_steps"] = p->whole("warmup_num_steps").value_or(1000);
            if (type != "WarmupLR") setTotal("total_num_steps");
            if (type != "WarmupCosineLR") {
                const std::optional<double> most = p->number("warmup_max_lr");
                if (!p->isAuto("warmup_max_lr")) to.set("optimizer", "lr", most.value_or(0.001));
            }
            if (p->text("warmup_type").value_or("log") == "log") to.leftOut.push_back("the logarithmic warm-up; it is linear.");
            if (p->number("warmup_min_lr").value_or(0) != 0 || p->number("warmup_min_ratio").value_or(0) != 0)
                to.leftOut.push_back("the learning rate that the warm-up begins at.");
            if (type == "WarmupCosineLR" && p->number("cos_min_ratio").value_or(0.0001) != 0)
                to.leftOut.push_back("the learning rate that the schedule ends at; it is 0.");
            to.leftOut.push_back("the warm-up's first step at a learning rate of 0; here it begins at its first part.");
        } else if (type == "LinearLR" && p->number("end_factor").value_or(1) == 0 && p->number("start_factor").value_or(1.0 / 3) == 1) {
            rate["kind"] = "linear";
            rate["total_steps"] = p->whole("total_iters").value_or(5);
        } else if (type == "CosineAnnealingLR") {
            rate["kind"] = "cosine";
            setTotal("T_max");
            to.leftOut.push_back("the rise of the learning rate after T_max steps; it stays 0.");
        } else if (type == "StepLR") {
            rate["kind"] = "step";
            if (const auto every = p->whole("step_size")) rate["every"] = *every;
            rate["factor"] = p->number("gamma").value_or(0.1);
        } else {
            to.leftOut.push_back("the schedule '" + type + "'; the learning rate is constant.");
        }
        p->addUnread(to.unread);
    }
    to.set("optimizer", "schedule", rate);
    scheduler.addUnread(to.unread);
}

void readDeepSpeedFp16(Keys& fp16, Reading& to) {
    if (!(fp16.isAuto("enabled") ? to.othersSayFp16 : fp16.truth("enabled").value_or(false))) return;
    to.set("", "precision", "fp16");
    to.restart("scaler");
    const double scale = fp16.number("loss_scale").value_or(0);
    const auto power = fp16.whole("initial_scale_power"), window = fp16.whole("loss_scale_window"), hysteresis = fp16.whole("hysteresis");
    const auto least = fp16.number("min_loss_scale");
    const bool isConsecutive = fp16.truth("consecutive_hysteresis").value_or(false);
    if (scale > 0) {
        to.set("scaler", "preset", "static");
        to.set("scaler", "init_scale", scale);
    } else {
        to.set("scaler", "preset", isConsecutive ? "deepspeed-consecutive" : "deepspeed");
        if (power && std::abs(*power) > 127) fp16.refuse("initial_scale_power", "must be a power of two that fp32 holds: -127 to 127");
        if (power) to.set("scaler", "init_scale", std::exp2(static_cast<double>(*power)));
        to.setIf("scaler", "growth_interval", window);
        to.setIf("scaler", "hysteresis", hysteresis);
        to.setIf("scaler", "min_scale", least);
    }
    fp16.addUnread(to.unread);
}

void readDeepSpeed(const Json& json, const SettingsFile& file, Reading& to) {
    Keys keys(json, file);
    const auto perDevice = keys.whole("train_micro_batch_size_per_gpu"), accumulate = keys.whole("gradient_accumulation_steps");
    const auto all = keys.whole("train_batch_size");
    to.setIf("", "accumulate", accumulate);
    if (perDevice) to.set("data", "batch_size", *perDevice);
    if (!perDevice && all) to.set("data", "batch_size", *all / std::max<std::int64_t>(accumulate.value_or(1), 1));
    to.setClip(keys.number("gradient_clipping"));
    if (auto optimizer = keys.object("optimizer")) {
        const std::string type = optimizer->text("type").value_or("AdamW");
        const Json before = to.run.value("optimizer", Json::object());
        to.restart("optimizer");
        if (!setOptimizer(to, type)) to.leftOut.push_back("the optimizer '" + type + "'; AdamW stands for it.");
        const bool isSame = Json(before.value("kind", "")) == to.run["optimizer"]["kind"];
        for (const char* kept : {"lr", "weight_decay", "decay", "schedule", "schedule_on_skip"})
            if (before.contains(kept)) to.set("optimizer", kept, before[kept]);
        for (const char* kept : {"betas", "eps", "momentum", "dampening", "nesterov"})
            if (isSame && before.contains(kept)) to.set("optimizer", kept, before[kept]);
        // DeepSpeed's own defaults
        if (!before.contains("weight_decay")) to.set("optimizer", "weight_decay", 0.0);
        if (to.run["optimizer"]["kind"] == "lion" && !(isSame && before.contains("betas")))
            to.set("optimizer", "betas", Json::array({0.9, 0.999}));
        if (auto p = optimizer->object("params")) {
            if (p->truth("torch_adam").value_or(false) && to.run["optimizer"]["kind"] == "adamw" && !before.contains("weight_decay"))
                to.set("optimizer", "weight_decay", 0.01);
            const bool decaysAsAdamW = p->truth("adam_w_mode").value_or(true);
            if (to.run["optimizer"]["kind"] == "adam" && decaysAsAdamW) to.set("optimizer", "kind", "adamw");
            to.setIf("optimizer", "lr", p->number("lr"));
            to.setIf("optimizer", "weight_decay", p->number("weight_decay"));
            setAdam(to, p->pair("betas"), p->number("eps"));
            if (to.run["optimizer"]["kind"] == "sgd") {
                to.setIf("optimizer", "momentum", p->number("momentum"));
                to.setIf("optimizer", "dampening", p->number("dampening"));
                to.setIf("optimizer", "nesterov", p->truth("nesterov"));
            }
            p->addUnread(to.unread);
        }
        optimizer->addUnread(to.unread);
    }
    to.set("optimizer", "schedule_on_skip", "hold");  // engine.py steps its schedule only where there was no overflow
    if (auto scheduler = keys.object("scheduler")) readDeepSpeedSchedule(*scheduler, to);
    if (auto fp16 = keys.object("fp16")) readDeepSpeedFp16(*fp16, to);
    for (const char* name : {"bf16", "bfloat16"}) {
        if (auto bf16 = keys.object(name)) {
            if (bf16->truth("enabled").value_or(false)) to.set("", "precision", "bf16");
            bf16->addUnread(to.unread);
        }
    }
    if (to.run.value("precision", "fp32") != "fp32")
        to.leftOut.push_back("that DeepSpeed converts the whole model; autocast keeps some operations in FP32.");
    const bool hasHysteresis = to.run.value("scaler", Json::object()).value("preset", "").starts_with("deepspeed");
    auto zero = keys.object("zero_optimization");
    const std::int64_t stage = zero ? zero->whole("stage").value_or(0) : 0;
    if (hasHysteresis && stage == 0)
        to.leftOut.push_back("that DeepSpeed's loss scaler has hysteresis under ZeRO alone, which this file has not.");
    if (zero) zero->addUnread(to.unread);
    keys.addUnread(to.unread);
}

enum class Kind { HuggingFace, Accelerate, DeepSpeed };

Kind kindOf(const Json& json, const SettingsFile& file) {
    const auto hasAny = [&](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(), [&](const char* name) { return json.contains(name); });
    };
    const auto isObject = [&](const char* name) { return json.contains(name) && json[name].is_object(); };
    if (hasAny({"runs"})) throw InputError(file.source, "", "is an experiment already");
    if (hasAny({"distributed_type", "compute_environment", "mixed_precision"})) return Kind::Accelerate;
    if (hasAny({"train_micro_batch_size_per_gpu", "train_batch_size", "zero_optimization", "gradient_clipping"}) || isObject("fp16") ||
        isObject("bf16") || isObject("optimizer"))
        return Kind::DeepSpeed;
    if (hasAny({"per_device_train_batch_size", "learning_rate", "lr_scheduler_type", "output_dir", "max_grad_norm", "max_steps", "optim",
                "fp16", "bf16"}))
        return Kind::HuggingFace;
    throw InputError(file.source, "", "has no key of TrainingArguments, of Accelerate's configuration or of DeepSpeed's");
}

Json readFile(const SettingsFile& file) {
    const std::size_t first = file.text.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string::npos && file.text[first] == '{';
    Json json = isJson ? readJson(file.text, file.source) : readFlatYaml(file.text, file.source);
    if (!json.is_object()) throw InputError(file.source, "", "must be an object");
    return json;
}

}  // namespace

ImportedSettings importSettings(const std::vector<SettingsFile>& files, const std::string& name) {
    Reading reading;
    reading.run["name"] = name;
    reading.leftOut.push_back("the model and the data set, which the training program brings; these are the default ones.");
    std::vector<Json> read;
    for (const SettingsFile& file : files) {
        const Json& json = read.emplace_back(readFile(file));
        reading.othersSayFp16 |= json.value("fp16", Json()) == Json(true) || json.value("mixed_precision", Json()) == Json("fp16");
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        const SettingsFile& file = files[i];
        const Json& json = read[i];
        const Kind kind = kindOf(json, file);
        (kind == Kind::HuggingFace ? readHuggingFace : kind == Kind::Accelerate ? readAccelerate : readDeepSpeed)(json, file, reading);
    }
    if (!reading.unread.empty()) reading.leftOut.push_back("keys without an equivalent: " + joined(reading.unread) + ".");
    const Json experiment{{"title", name}, {"runs", Json::array({reading.run})}};
    return {parseExperiment(experiment.dump(), files.empty() ? "" : files.back().source), std::move(reading.leftOut)};
}

}  // namespace mantissa
