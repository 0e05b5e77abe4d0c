// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

#include <algorithm>

#include "engine/experiment/field_kinds.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxHidden = 1000;

/// A scaler's key that overrides the preset's own value; null gives that back. Written only where it overrides.
template <class Read, class Access>
Field scalerOverride(std::string key, std::string label, Read read, Access access) {
    return {"scaler",
            std::move(key),
            std::move(label),
            true,
            [=](RunSettings& run, const Json& value) {
                access(run).reset();
                if (!value.is_null()) access(run) = read(value);
            },
            [=](const RunSettings& run) { return access(run) ? std::optional<Json>(*access(run)) : std::nullopt; },
            nullptr};
}

Field onlyFor(const char* kind, Field field) {
    field.write = [kind, inner = field.write](const RunSettings& run) {
        return run.training.optimizer.kind == kind ? inner(run) : std::nullopt;
    };
    field.whyNot = [kind, key = field.key](const RunSettings& run) {
        const std::string& actual = run.training.optimizer.kind;
        return actual == kind ? "" : "optimizer '" + actual + "' has no " + key + ", only '" + kind + "' has";
    };
    return field;
}

// ---- Fields of their own kind ----

void readEvalPrecision(RunSettings& run, const Json& value) {
    run.training.evalPrecision = value.is_null() ? "" : readChoice(value, "precision", policyNames());
}

void readName(RunSettings& run, const Json& value) {
    const std::string name = readPlainText(value, kMaxNameBytes);
    std::string part;
    for (const char c : name + "/") {
        if (c != '/' && c != '\\') {
            part += c;
        } else {
            if (part == "..") refuse("'" + name + "' would lead out of the output folder");
            part.clear();
        }
    }
    if (name.front() == '/' || name.front() == '\\') refuse("'" + name + "' would lead out of the output folder");
    run.name = name;
}

void readHidden(RunSettings& run, const Json& value) {
    if (!value.is_array()) refuse("must be a list of widths, as [128, 128]");
    if (value.size() > kMaxHidden) refuse("has more than " + std::to_string(kMaxHidden) + " layers");
    std::vector<std::int64_t> widths;
    for (const Json& width : value) {
        try {
            widths.push_back(readInteger(width, 1, kMaxCount));
        } catch (BadValue& bad) {
            throw BadValue{pointerStep(widths.size()), bad.sentence};
        }
    }
    run.training.model.hidden = std::move(widths);
}

void readKind(RunSettings& run, const Json& value) {
    OptimizerSettings& optimizer = run.training.optimizer;
    optimizer.kind = readChoice(value, "optimizer", {"adamw", "sgd"});
    optimizer.weightDecay = optimizer.kind == "sgd" ? 0 : OptimizerSettings{}.weightDecay;  // torch.optim's defaults
}

void readBetas(RunSettings& run, const Json& value) {
    if (!value.is_array() || value.size() != 2) refuse("must be a list of two numbers, as [0.9, 0.999]");
    double betas[2];
    for (std::size_t i = 0; i < 2; ++i) {
        try {
            check(betas[i] = readNumber(value[i]), Bound::BelowOne);
        } catch (BadValue& bad) {
            throw BadValue{pointerStep(i), bad.sentence};
        }
    }
    run.training.optimizer.beta1 = betas[0];
    run.training.optimizer.beta2 = betas[1];
}

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const ScalerPreset& preset : scalerPresets()) names.emplace_back(preset.name);
    return names;
}

std::vector<Field> makeFields() {
    const auto model = [](auto& run) -> auto& {
        return run.training.model;
    };
    const auto init = [](auto& run) -> auto& {
        return run.training.init;
    };
    const auto opt = [](auto& run) -> auto& {
        return run.training.optimizer;
    };
    const auto scaler = [](auto& run) -> auto& {
        return run.training.scaler;
    };
    constexpr auto kAnyNumber = [](const Json& value) { return readNumber(value); };
    constexpr auto kCount = [](const Json& value) { return readInteger(value, 1, kMaxSteps); };

    std::vector<Field> all;
    all.push_back({"", "name", "name", false, readName, [](const RunSettings& run) { return std::optional<Json>(run.name); }, nullptr});
    for (Field& field : dataFields()) all.push_back(std::move(field));
    all.push_back(choice("model", "kind", "model", [=](auto& r) -> auto& { return model(r).kind; }, {"mlp"}));
    all.push_back({"model", "hidden", "hidden layers", false, readHidden,
                   [=](const RunSettings& run) { return std::optional<Json>(model(run).hidden); }, nullptr});
    all.push_back(choice("model", "activation", "activation", [=](auto& r) -> auto& { return model(r).activation; },
                         {"relu", "gelu", "tanh", "sigmoid"}));
    all.push_back(seed(
        "init", [=](auto& r) -> auto& { return init(r).seed; }));
    all.push_back(
        {"init", "weights", "initial weights", false, [=](RunSettings& run, const Json& value) { init(run).weights = readText(value); },
         [=](const RunSettings& run) { return init(run).weights.empty() ? std::nullopt : std::optional<Json>(init(run).weights); },
         nullptr});
    all.push_back({"optimizer", "kind", "optimizer", false, readKind,
                   [=](const RunSettings& run) { return std::optional<Json>(opt(run).kind); }, nullptr});
    all.push_back(number(
        "optimizer", "lr", "lr", [=](auto& r) -> auto& { return opt(r).lr; }, Bound::NotNegative));
    all.push_back(onlyFor("adamw", {"optimizer", "betas", "betas", true, readBetas,
                                    [=](const RunSettings& run) {
                                        return std::optional<Json>(Json::array({opt(run).beta1, opt(run).beta2}));
                                    },
                                    nullptr}));
    all.push_back(onlyFor("adamw", number(
                                       "optimizer", "eps", "eps", [=](auto& r) -> auto& { return opt(r).epsilon; }, Bound::NotNegative)));
    all.push_back(number(
        "optimizer", "weight_decay", "weight decay", [=](auto& r) -> auto& { return opt(r).weightDecay; }, Bound::NotNegative));
    all.push_back(
        onlyFor("sgd", number(
                           "optimizer", "momentum", "momentum", [=](auto& r) -> auto& { return opt(r).momentum; }, Bound::NotNegative)));
    all.push_back(
        onlyFor("sgd", number(
                           "optimizer", "dampening", "dampening", [=](auto& r) -> auto& { return opt(r).dampening; }, Bound::Any)));
    all.push_back(onlyFor("sgd", {"optimizer", "nesterov", "nesterov", true,
                                  [=](RunSettings& run, const Json& value) {
                                      if (!value.is_boolean()) refuse("must be true or false, not " + kindOf(value));
                                      opt(run).nesterov = value.get<bool>();
                                  },
                                  [=](const RunSettings& run) { return std::optional<Json>(opt(run).nesterov); }, nullptr}));
    all.push_back({"optimizer", "schedule", "schedule", true, readSchedule, writeSchedule, nullptr});
    all.push_back(choice("optimizer", "schedule_on_skip", "schedule on skip", [=](auto& r) -> auto& { return opt(r).schedule.onSkip; },
                         {"advance", "hold"}));
    all.back().isLive = true;
    all.push_back(
        {"", "clip_grad_norm", "clip", true,
         [](RunSettings& run, const Json& value) {
             run.training.clipGradNorm.reset();
             if (value.is_null()) return;
             const double bound = readNumber(value);
             check(bound, Bound::Positive);
             run.training.clipGradNorm = bound;
         },
         [](const RunSettings& run) { return std::optional<Json>(run.training.clipGradNorm ? Json(*run.training.clipGradNorm) : Json()); },
         nullptr});
    all.push_back(choice("", "unscale", "unscaling", [](auto& r) -> auto& { return r.training.unscale; }, {"before_clip", "after_clip"}));
    all.back().isLive = true;
    all.push_back(integer(
        "", "accumulate", "micro-batches", true, [](auto& r) -> auto& { return r.training.accumulate; }, 1, 1'000'000));
    all.push_back(integer(
        "", "steps", "steps", true, [](auto& r) -> auto& { return r.training.steps; }, 0, kMaxSteps));
    all.push_back(integer(
        "", "validation_interval", "validation interval", true, [](auto& r) -> auto& { return r.training.validationInterval; }, 1,
        kMaxSteps));
    all.push_back({"", "precision", "precision", true, readPrecision,
                   [](const RunSettings& run) { return std::optional<Json>(writePrecision(run.training.precision)); }, nullptr});
    all.push_back({"", "eval_precision", "validation precision", true, readEvalPrecision,
                   [](const RunSettings& run) {
                       return std::optional<Json>(run.training.evalPrecision.empty() ? Json() : Json(run.training.evalPrecision));
                   },
                   nullptr});
    // A scaler that follows from the precision is not written, so that reading it back finds it again.
    all.push_back({"scaler", "preset", "loss scaler", true,
                   [=](RunSettings& run, const Json& value) { scaler(run).preset = readChoice(value, "scaler preset", presetNames()); },
                   [=](const RunSettings& run) { return run.isScalerChosen ? std::optional<Json>(scaler(run).preset) : std::nullopt; },
                   nullptr});
    all.push_back(scalerOverride(
        "init_scale", "initial scale", kAnyNumber, [=](auto& r) -> auto& { return scaler(r).initScale; }));
    all.push_back(scalerOverride(
        "growth_factor", "growth factor", kAnyNumber, [=](auto& r) -> auto& { return scaler(r).growthFactor; }));
    all.push_back(scalerOverride(
        "backoff_factor", "backoff factor", kAnyNumber, [=](auto& r) -> auto& { return scaler(r).backoffFactor; }));
    all.push_back(scalerOverride(
        "growth_interval", "growth interval", kCount, [=](auto& r) -> auto& { return scaler(r).growthInterval; }));
    all.push_back(scalerOverride(
        "min_scale", "smallest scale", kAnyNumber, [=](auto& r) -> auto& { return scaler(r).minScale; }));
    all.push_back(scalerOverride(
        "max_scale", "largest scale", kAnyNumber, [=](auto& r) -> auto& { return scaler(r).maxScale; }));
    all.push_back(scalerOverride(
        "hysteresis", "hysteresis", kCount, [=](auto& r) -> auto& { return scaler(r).hysteresis; }));
    return all;
}

}  // namespace

const std::vector<Field>& fields() {
    static const std::vector<Field> kFields = makeFields();
    return kFields;
}

bool isMergedGroup(std::string_view key) {
    return key == "data" || key == "model" || key == "init" || key == "optimizer";
}

std::string kindKey(std::string_view group) {
    return group == "data" ? "name" : "kind";
}

bool isGroup(std::string_view key) {
    return isMergedGroup(key) || key == "scaler";
}

const Field* fieldAt(const std::string& pointer) {
    for (const Field& field : fields()) {
        const std::string own = field.pointer();
        if (pointer.starts_with(own) && (pointer.size() == own.size() || pointer[own.size()] == '/')) return &field;
    }
    return nullptr;
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& known) {
    const std::string* best = nullptr;
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;  // farther than this is another word
    std::vector<std::size_t> row;
    for (const std::string& candidate : known) {
        if (word.size() > candidate.size() + fewest) continue;  // longer by more than that is farther, megabytes of it too
        // Levenshtein distance, one row at a time
        row.resize(candidate.size() + 1);
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
        for (std::size_t i = 0; i < word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i + 1;
            for (std::size_t j = 0; j < candidate.size(); ++j) {
                const std::size_t replaced = diagonal + (word[i] == candidate[j] ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() < fewest) {
            fewest = row.back();
            best = &candidate;
        }
    }
    return best == nullptr ? "" : " (did you mean '" + *best + "'?)";
}

}  // namespace mantissa
