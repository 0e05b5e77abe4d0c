// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

#include <algorithm>

#include "engine/experiment/field_kinds.h"

namespace mantissa {
namespace {

/// A scaler's key that overrides the preset's value; null restores that. Written only if it overrides.
template <class Value>
Field scalerOverride(const char* key, const char* label, std::optional<Value> ScalerSettings::*member) {
    Field field;
    if constexpr (std::is_same_v<Value, double>) {
        field = number(key, label, member, Bound::Any);
    } else {
        field = integer(key, label, member, 1, kMaxSteps);
    }
    field.kind = FieldKind::Number;
    return live(nullableField(optionalField(std::move(field), member, "the preset's"), member));
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
    using Settings = TrainingSettings;
    std::vector<Field> all;
    all.push_back({"", "name", "name", false, readName, [](const RunSettings& run) { return std::optional<Json>(run.name); }, nullptr});
    all.back().schema = plainTextSchema(kMaxNameBytes);
    for (Field& field : dataFields()) all.push_back(std::move(field));
    for (Field& field : modelFields()) all.push_back(std::move(field));
    all.push_back(seed(&InitSettings::seed));
    const Field weights = fieldOf("weights", "initial weights", &InitSettings::weights, FieldKind::Path, textSchema(), readText);
    all.push_back(optionalField(weights, &InitSettings::weights, "drawn from the seed"));
    for (Field& field : optimizerFields()) all.push_back(std::move(field));
    const Field clip = number("clip_grad_norm", "clip", &Settings::clipGradNorm, Bound::Positive);
    all.push_back(live(nullableField(clip, &Settings::clipGradNorm)));
    all.back().unset = "off";
    all.push_back(
        live(choice("unscale", "unscale", &Settings::unscale, {"before_clip", "after_clip"}), {"before clipping", "after clipping"}));
    all.push_back(live(flag("zero_grad", "zero_grad every step", &Settings::zeroGrad)));
    all.push_back(live(integer("accumulate", "micro-batches", &Settings::accumulate, 1, 1'000'000)));
    all.push_back(live(integer("steps", "steps", &Settings::steps, 0, kMaxSteps)));
    all.push_back(live(integer("validation_interval", "validation interval", &Settings::validationInterval, 1, kMaxSteps)));
    const Field epochs = number("validation_epochs", "epochs between validations", &Settings::validationEpochs, Bound::Positive);
    all.push_back(live(nullableField(optionalField(epochs, &Settings::validationEpochs, "by steps"), &Settings::validationEpochs)));
    all.push_back(
        onlyFor("model", modelKindsThat(takesTokens), live(integer("sample_tokens", "text sample", &Settings::sampleTokens, 0, 100'000))));
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
    all.push_back(
        {"scaler", "preset", "loss scaler", true,
         [](RunSettings& run, const Json& value) { run.training.scaler.preset = readChoice(value, "scaler preset", presetNames()); },
         [](const RunSettings& run) { return run.isScalerChosen ? std::optional<Json>(run.training.scaler.preset) : std::nullopt; },
         nullptr, FieldKind::Choice, presetNames(), "as the precision needs"});
    all.back().schema = choiceSchema(presetNames());
    all.push_back(scalerOverride("init_scale", "initial scale", &ScalerSettings::initScale));
    all.push_back(scalerOverride("growth_factor", "growth factor", &ScalerSettings::growthFactor));
    all.push_back(scalerOverride("backoff_factor", "backoff factor", &ScalerSettings::backoffFactor));
    all.push_back(scalerOverride("growth_interval", "growth interval", &ScalerSettings::growthInterval));
    all.push_back(scalerOverride("min_scale", "smallest scale", &ScalerSettings::minScale));
    all.push_back(scalerOverride("max_scale", "largest scale", &ScalerSettings::maxScale));
    all.push_back(scalerOverride("hysteresis", "hysteresis", &ScalerSettings::hysteresis));
    return all;
}

const std::string& kindIn(const std::string& group, const RunSettings& run) {
    const TrainingSettings& training = run.training;
    return group == "data" ? training.data.name : group == "model" ? training.model.kind : training.optimizer.kind;
}

}  // namespace

Field live(Field field, std::vector<std::string> choiceLabels) {
    field.isLive = true;
    if (!choiceLabels.empty()) field.choiceLabels = std::move(choiceLabels);
    return field;
}

Field onlyFor(const std::string& group, std::vector<std::string> kinds, Field field) {
    const auto belongs = [=](const RunSettings& run) { return std::find(kinds.begin(), kinds.end(), kindIn(group, run)) != kinds.end(); };
    field.write = [belongs, inner = field.write](const RunSettings& run) { return belongs(run) ? inner(run) : std::nullopt; };
    field.whyNot = [belongs, kinds, group, key = field.key](const RunSettings& run) -> std::string {
        if (belongs(run)) return "";
        const std::string known = kinds.size() > 1 ? listed(kinds) + " have" : "'" + kinds.front() + "' has";
        return (group == "data" ? "data set" : group) + " '" + kindIn(group, run) + "' has no " + key + ", only " + known;
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
