// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

#include <algorithm>

#include "engine/experiment/field_kinds.h"

namespace mantissa {
namespace {

/// A scaler's key that overrides the preset's value; null restores that. Written only if it overrides.
template <class Read, class Access>
Field scalerOverride(std::string key, std::string label, Json schema, Read read, Access access) {
    Field field{"scaler",
                std::move(key),
                std::move(label),
                true,
                [=](RunSettings& run, const Json& value) {
                    access(run).reset();
                    if (!value.is_null()) access(run) = read(value);
                },
                [=](const RunSettings& run) { return access(run) ? std::optional<Json>(*access(run)) : std::nullopt; },
                nullptr,
                FieldKind::Number,
                {},
                "the preset's"};
    field.schema = nullableSchema(std::move(schema));
    return field;
}

// ---- Fields with their own reader ----

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

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const ScalerPreset& preset : scalerPresets()) names.emplace_back(preset.name);
    return names;
}

std::vector<Field> makeFields() {
    const auto init = [](auto& run) -> auto& {
        return run.training.init;
    };
    const auto scaler = [](auto& run) -> auto& {
        return run.training.scaler;
    };
    constexpr auto kAnyNumber = [](const Json& value) { return readNumber(value); };
    constexpr auto kCount = [](const Json& value) { return readInteger(value, 1, kMaxSteps); };
    const Json anyNumber = numberSchema(Bound::Any), count = integerSchema(1, kMaxSteps);

    std::vector<Field> all;
    all.push_back({"", "name", "name", false, readName, [](const RunSettings& run) { return std::optional<Json>(run.name); }, nullptr});
    all.back().schema = plainTextSchema(kMaxNameBytes);
    for (Field& field : dataFields()) all.push_back(std::move(field));
    for (Field& field : modelFields()) all.push_back(std::move(field));
    all.push_back(seed(
        "init", [=](auto& r) -> auto& { return init(r).seed; }));
    all.push_back(
        {"init",
         "weights",
         "initial weights",
         false,
         [=](RunSettings& run, const Json& value) { init(run).weights = readText(value); },
         [=](const RunSettings& run) { return init(run).weights.empty() ? std::nullopt : std::optional<Json>(init(run).weights); },
         nullptr,
         FieldKind::Path,
         {},
         "drawn from the seed"});
    all.back().schema = textSchema();
    for (Field& field : optimizerFields()) all.push_back(std::move(field));
    all.push_back(
        {"",
         "clip_grad_norm",
         "clip",
         true,
         [](RunSettings& run, const Json& value) {
             run.training.clipGradNorm.reset();
             if (value.is_null()) return;
             const double bound = readNumber(value);
             check(bound, Bound::Positive);
             run.training.clipGradNorm = bound;
         },
         [](const RunSettings& run) { return std::optional<Json>(run.training.clipGradNorm ? Json(*run.training.clipGradNorm) : Json()); },
         nullptr,
         FieldKind::Number,
         {},
         "off"});
    all.back().schema = nullableSchema(numberSchema(Bound::Positive));
    all.push_back(choice("", "unscale", "unscale", [](auto& r) -> auto& { return r.training.unscale; }, {"before_clip", "after_clip"}));
    all.back().isLive = true;
    all.back().choiceLabels = {"before clipping", "after clipping"};
    all.push_back({"", "zero_grad", "zero_grad every step", true,
                   [](RunSettings& run, const Json& value) { run.training.zeroGrad = readFlag(value); },
                   [](const RunSettings& run) { return std::optional<Json>(run.training.zeroGrad); }, nullptr, FieldKind::Flag});
    all.back().schema = flagSchema();
    all.push_back(integer(
        "", "accumulate", "micro-batches", true, [](auto& r) -> auto& { return r.training.accumulate; }, 1, 1'000'000));
    all.push_back(integer(
        "", "steps", "steps", true, [](auto& r) -> auto& { return r.training.steps; }, 0, kMaxSteps));
    all.push_back(integer(
        "", "validation_interval", "validation interval", true, [](auto& r) -> auto& { return r.training.validationInterval; }, 1,
        kMaxSteps));
    all.push_back({"",
                   "validation_epochs",
                   "epochs between validations",
                   true,
                   [](RunSettings& run, const Json& value) {
                       double& epochs = run.training.validationEpochs;
                       epochs = value.is_null() ? 0 : readNumber(value);
                       if (!value.is_null()) check(epochs, Bound::Positive);
                   },
                   [](const RunSettings& run) {
                       const double epochs = run.training.validationEpochs;
                       return epochs > 0 ? std::optional<Json>(epochs) : std::nullopt;
                   },
                   nullptr,
                   FieldKind::Number,
                   {},
                   "by steps"});
    all.back().schema = nullableSchema(numberSchema(Bound::Positive));
    std::vector<std::string> languageModels;
    std::copy_if(modelKinds().begin(), modelKinds().end(), std::back_inserter(languageModels), takesTokens);
    all.push_back(onlyFor(
        languageModels, "model", [](const RunSettings& run) -> const std::string& { return run.training.model.kind; },
        integer(
            "", "sample_tokens", "text sample", true, [](auto& r) -> auto& { return r.training.sampleTokens; }, 0, 100'000)));
    all.push_back({"", "precision", "precision", true, readPrecision,
                   [](const RunSettings& run) { return std::optional<Json>(writePrecision(run.training.precision)); }, nullptr});
    all.back().schema = precisionSchema();
    all.push_back({"", "eval_precision", "validation precision", true, readEvalPrecision,
                   [](const RunSettings& run) {
                       return std::optional<Json>(run.training.evalPrecision.empty() ? Json() : Json(run.training.evalPrecision));
                   },
                   nullptr, FieldKind::Choice, policyNames(), "as it trains"});
    all.back().schema = nullableSchema(choiceSchema(policyNames()));
    // A scaler that follows from the precision is not written, and is derived again on reading.
    all.push_back({"scaler", "preset", "loss scaler", true,
                   [=](RunSettings& run, const Json& value) { scaler(run).preset = readChoice(value, "scaler preset", presetNames()); },
                   [=](const RunSettings& run) { return run.isScalerChosen ? std::optional<Json>(scaler(run).preset) : std::nullopt; },
                   nullptr, FieldKind::Choice, presetNames(), "as the precision needs"});
    all.back().schema = choiceSchema(presetNames());
    all.push_back(scalerOverride(
        "init_scale", "initial scale", anyNumber, kAnyNumber, [=](auto& r) -> auto& { return scaler(r).initScale; }));
    all.push_back(scalerOverride(
        "growth_factor", "growth factor", anyNumber, kAnyNumber, [=](auto& r) -> auto& { return scaler(r).growthFactor; }));
    all.push_back(scalerOverride(
        "backoff_factor", "backoff factor", anyNumber, kAnyNumber, [=](auto& r) -> auto& { return scaler(r).backoffFactor; }));
    all.push_back(scalerOverride(
        "growth_interval", "growth interval", count, kCount, [=](auto& r) -> auto& { return scaler(r).growthInterval; }));
    all.push_back(scalerOverride(
        "min_scale", "smallest scale", anyNumber, kAnyNumber, [=](auto& r) -> auto& { return scaler(r).minScale; }));
    all.push_back(scalerOverride(
        "max_scale", "largest scale", anyNumber, kAnyNumber, [=](auto& r) -> auto& { return scaler(r).maxScale; }));
    all.push_back(scalerOverride(
        "hysteresis", "hysteresis", count, kCount, [=](auto& r) -> auto& { return scaler(r).hysteresis; }));
    return all;
}

}  // namespace

Field onlyFor(std::vector<std::string> kinds, const char* what, std::function<const std::string&(const RunSettings&)> kind, Field field) {
    const auto belongs = [kinds, kind](const RunSettings& run) { return std::find(kinds.begin(), kinds.end(), kind(run)) != kinds.end(); };
    field.write = [belongs, inner = field.write](const RunSettings& run) { return belongs(run) ? inner(run) : std::nullopt; };
    field.whyNot = [belongs, kinds, kind, what, key = field.key](const RunSettings& run) -> std::string {
        if (belongs(run)) return "";
        const std::string known = kinds.size() > 1 ? listed(kinds) + " have" : "'" + kinds.front() + "' has";
        return std::string(what) + " '" + kind(run) + "' has no " + key + ", only " + known;
    };
    return field;
}

const std::vector<Field>& fields() {
    static const std::vector<Field> kFields = makeFields();
    return kFields;
}

bool isMergedGroup(std::string_view key) {
    return key == "data" || key == "model" || key == "loss" || key == "init" || key == "optimizer";
}

std::string kindKey(std::string_view group) {
    return group == "data" ? "name" : "kind";
}

bool isKind(const Field& field) {
    return isMergedGroup(field.group) && field.key == kindKey(field.group);
}

bool isAllowed(const Field& field, const RunSettings& run) {
    return !field.whyNot || field.whyNot(run).empty();
}

const std::vector<TopText>& topTexts() {
    static const std::vector<TopText> kTexts{
        {"$schema", "The JSON Schema of this file, for editors. Mantissa does not read it.", nullptr},
        {"title", "A text for people.", &Experiment::title},
        {"description", "A text for people: what the experiment shows.", &Experiment::description},
        {"look_for", "A text for people: what to do, and what to look for.", &Experiment::lookFor},
        {"group", "The group of a bundled experiment. It has no effect in other files.", &Experiment::group}};
    return kTexts;
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
    std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;  // a greater distance means another word
    std::vector<std::size_t> row;
    for (const std::string& candidate : known) {
        // the difference in length is a lower bound of the distance
        if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) >= fewest) continue;
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

InputError noSuchRun(const std::string& name, const std::vector<std::string>& known, const std::string& source,
                     const std::string& pointer) {
    return InputError(source, pointer, "there is no run '" + name + "'" + didYouMean(name, known));
}

}  // namespace mantissa
