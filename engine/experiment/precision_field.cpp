// SPDX-License-Identifier: Apache-2.0
// The run's `precision`: "bf16", or {"policy": "bf16", "autocast": "keras", "overrides": {"layers.2": "fp32",
// "linear": {"weight_grad": "fp16"}}}, or {"policy": "fp8", "fp8": {"scaling": "current"}, "accumulator": "hopper", "promote_every": 128}.
#include <algorithm>
#include <functional>

#include "engine/experiment/json_reader.h"
#include "engine/experiment/value_schema.h"

namespace mantissa {
namespace {

/// Reads a nested value and adds its key to errors.
template <typename Read>
auto readAt(const std::string& key, Read read) {
    try {
        return read();
    } catch (BadValue& bad) {
        throw BadValue{pointerStep(key) + bad.below, bad.sentence};
    }
}

Direction readDirection(const std::string& key) {
    std::vector<std::string> known;
    for (const Direction direction : kAllDirections) {
        if (directionName(direction) == key) return direction;
        known.emplace_back(directionName(direction));
    }
    throw BadValue{pointerStep(key), "unknown key, only " + listed(known) + didYouMean(key, known)};
}

std::string nameOf(Dtype dtype) {
    return std::string(facts(dtype).name);
}

std::vector<std::string> computeNames() {
    std::vector<std::string> names;
    for (const Dtype dtype : kComputeDtypes) names.push_back(nameOf(dtype));
    for (const Dtype dtype : {Dtype::E4M3, Dtype::E5M2}) names.push_back(nameOf(dtype));
    return names;
}

/// "fp8" has the meaning of this policy: e4m3 forward, e5m2 for both gradients.
const char* const kHybrid = "fp8";
PrecisionOverride hybridAt(const std::string& place) {
    PrecisionOverride forced{place, Dtype::E5M2};
    forced.force(Direction::Forward, Dtype::E4M3);
    return forced;
}

/// The words for one format everywhere.
std::vector<std::string> overrideNames() {
    std::vector<std::string> names = computeNames();
    names.emplace_back(kHybrid);
    return names;
}

Json overridesSchema() {
    Json directions = Json::object();
    for (const Direction direction : kAllDirections) directions[std::string(directionName(direction))] = choiceSchema(computeNames());
    Json byDirection = objectSchema(std::move(directions));
    byDirection["minProperties"] = 1;
    return {{"type", "object"},
            {"description", "The formats of layers or kinds of operations, whatever the policy."},
            {"additionalProperties", {{"anyOf", {choiceSchema(overrideNames()), byDirection}}}}};
}

PrecisionOverride readOverride(const std::string& place, const Json& value) {
    if (!value.is_object()) {
        const std::string name = readChoice(value, "format", overrideNames());
        return name == kHybrid ? hybridAt(place) : PrecisionOverride{place, *dtypeFromName(name)};
    }
    if (value.empty()) refuse("must name a format for one of forward input_grad weight_grad");
    std::optional<PrecisionOverride> forced;
    for (const auto& [key, inner] : value.items()) {
        const Direction direction = readDirection(key);
        const Dtype dtype = readAt(key, [&, &json = inner] { return *dtypeFromName(readChoice(json, "format", computeNames())); });
        if (forced) {
            forced->force(direction, dtype);
        } else {
            forced.emplace(place, direction, dtype);
        }
    }
    return *forced;
}

Json writeOverride(const PrecisionOverride& forced) {
    if (forced.isSameEverywhere()) return nameOf(*forced.in(Direction::Forward));
    if (forced == hybridAt(forced.place)) return kHybrid;
    Json json = Json::object();
    for (const Direction direction : kAllDirections) {
        if (forced.in(direction)) json[std::string(directionName(direction))] = nameOf(*forced.in(direction));
    }
    return json;
}

/// A key of an object: its schema, its reader, and its writer for values that differ from the default.
struct Key {
    std::string name;
    Json schema;
    std::function<void(PrecisionSettings&, const Json&)> read;
    std::function<std::optional<Json>(const PrecisionSettings&)> write;
};

/// Returns a writer of a member that is not its default, as `text` formats it.
template <typename Member, typename Text>
auto writerOf(Member member, Text text) {
    return [=](const PrecisionSettings& p) -> std::optional<Json> {
        PrecisionSettings given = p, plain;
        return member(given) == member(plain) ? std::nullopt : std::optional<Json>(text(member(given)));
    };
}

Json described(Json schema, const char* help, Json byDefault) {
    schema["description"] = help;
    schema["default"] = std::move(byDefault);
    return schema;
}

/// A key with one of several words.
template <typename Member>
Key choiceKey(const char* name, const char* what, const char* help, const std::vector<std::string>& words, Member member) {
    PrecisionSettings plain;
    return {name, described(choiceSchema(words), help, member(plain)),
            [=](PrecisionSettings& p, const Json& value) { member(p) = readChoice(value, what, words); },
            writerOf(member, [](const std::string& word) { return word; })};
}

/// A key whose words name enumerators.
template <typename FromName, typename ToName, typename Member>
Key namedKey(const char* name, const char* what, const char* help, const std::vector<std::string>& words, FromName fromName, ToName toName,
             Member member) {
    PrecisionSettings plain;
    return {name, described(choiceSchema(words), help, toName(member(plain))),
            [=](PrecisionSettings& p, const Json& value) { member(p) = *fromName(readChoice(value, what, words)); },
            writerOf(member, [=](auto named) { return std::string(toName(named)); })};
}

template <typename Member>
Key integerKey(const char* name, const char* help, std::int64_t least, std::int64_t most, Member member) {
    PrecisionSettings plain;
    return {name, described(integerSchema(least, most), help, member(plain)),
            [=](PrecisionSettings& p, const Json& value) { member(p) = readInteger(value, least, most); },
            writerOf(member, [](std::int64_t value) { return value; })};
}

void readKeys(const std::vector<Key>& keys, PrecisionSettings& precision, const Json& object) {
    for (const auto& [name, json] : object.items()) {
        const auto key = std::find_if(keys.begin(), keys.end(), [&name = name](const Key& k) { return k.name == name; });
        if (key == keys.end()) {
            std::vector<std::string> known;
            for (const Key& k : keys) known.push_back(k.name);
            throw BadValue{pointerStep(name), "unknown key, only " + listed(known) + didYouMean(name, known)};
        }
        readAt(name, [&, &inner = json] { key->read(precision, inner); });
    }
}

Json writeKeys(const std::vector<Key>& keys, const PrecisionSettings& precision) {
    Json json = Json::object();
    for (const Key& key : keys) {
        if (const auto value = key.write(precision)) json[key.name] = *value;
    }
    return json;
}

Json schemaOf(const std::vector<Key>& keys, const char* help) {
    Json properties = Json::object();
    for (const Key& key : keys) properties[key.name] = key.schema;
    Json schema = objectSchema(std::move(properties));
    schema["description"] = help;
    return schema;
}

/// A key with an object of `keys`, which outlive it.
Key objectKey(const char* name, const char* help, const char* example, const std::vector<Key>& keys) {
    return {name, schemaOf(keys, help),
            [example, &keys](PrecisionSettings& p, const Json& value) {
                if (!value.is_object()) refuse(std::string("must be an object, as ") + example + ", not " + kindOf(value));
                readKeys(keys, p, value);
            },
            [&keys](const PrecisionSettings& p) -> std::optional<Json> {
                Json json = writeKeys(keys, p);
                return json.empty() ? std::nullopt : std::optional<Json>(std::move(json));
            }};
}

const std::vector<Key>& fp8Keys() {
    static const std::vector<Key> kKeys{
        choiceKey("scaling", "scaling", "Where the scales of fp8 tensors come from: previous steps, or the tensor itself.",
                  {"delayed", "current"}, [](PrecisionSettings& p) -> std::string& { return p.fp8.scaling; }),
        integerKey("margin", "Scales are 2^-margin times the largest that fits.", 0, 16,
                   [](PrecisionSettings& p) -> std::int64_t& { return p.fp8.margin; }),
        integerKey("amax_history_len", "The number of steps that delayed scaling uses.", 1, 65536,
                   [](PrecisionSettings& p) -> std::int64_t& { return p.fp8.amaxHistoryLen; }),
        choiceKey("amax_compute_algo", "algorithm", "What delayed scaling takes of these steps: the largest value, or the most recent.",
                  {"max", "most_recent"}, [](PrecisionSettings& p) -> std::string& { return p.fp8.amaxComputeAlgo; }),
    };
    return kKeys;
}

/// A key of the `blocks` object: a member that is empty unless the run sets it.
template <typename Value, typename Read, typename Text>
Key blockKey(const char* name, Json schema, const char* help, std::optional<Value> BlockSettings::*member, Read read, Text text) {
    schema["description"] = help;
    return {name, std::move(schema), [=](PrecisionSettings& p, const Json& value) { p.blocks.*member = read(value); },
            [=](const PrecisionSettings& p) -> std::optional<Json> {
                return p.blocks.*member ? std::optional<Json>(text(*(p.blocks.*member))) : std::nullopt;
            }};
}

template <typename Value, std::size_t count>
std::vector<std::string> namesOf(const std::array<Value, count>& all, std::string_view (*name)(Value)) {
    std::vector<std::string> names;
    for (const Value each : all) names.emplace_back(name(each));
    return names;
}

/// The element formats of gradients in any block policy.
std::vector<std::string> allGradientElements() {
    std::vector<std::string> names;
    for (const BlockPolicy& policy : blockPolicies()) {
        for (std::string& name : gradientElements(policy.name)) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
        }
    }
    return names;
}

const std::vector<Key>& blockKeys() {
    static const std::vector<Key> kKeys = [] {
        const std::vector<std::string> rules = namesOf(kAllScaleRules, scaleRuleName),
                                       dialects = namesOf(kAllNvfp4Dialects, nvfp4DialectName), elements = allGradientElements();
        const auto same = [](const auto& value) { return value; };
        return std::vector<Key>{
            blockKey(
                "scale_rule", choiceSchema(rules),
                "How a scale follows from the largest magnitude of its block, in MX formats and block FP8.", &BlockSettings::scaleRule,
                [=](const Json& v) { return *scaleRuleFromName(readChoice(v, "rule", rules)); },
                [](ScaleRule rule) { return std::string(scaleRuleName(rule)); }),
            blockKey(
                "dialect", choiceSchema(dialects), "The implementation whose order of operations nvfp4 follows.", &BlockSettings::dialect,
                [=](const Json& v) { return *nvfp4DialectFromName(readChoice(v, "dialect", dialects)); },
                [](Nvfp4Dialect dialect) { return std::string(nvfp4DialectName(dialect)); }),
            blockKey(
                "gradients", choiceSchema(elements), "The element format of gradients.", &BlockSettings::gradients,
                [=](const Json& v) { return readChoice(v, "format", elements); }, same),
            blockKey("square_weights", flagSchema(), "Whether weights are quantised in square blocks, once for both products.",
                     &BlockSettings::hasSquareWeights, readFlag, same),
            blockKey("rotate", flagSchema(), "Whether the operands of the weight gradient get the random Hadamard transform.",
                     &BlockSettings::rotates, readFlag, same),
            blockKey("stochastic", flagSchema(), "Whether gradients are rounded stochastically.", &BlockSettings::roundsStochastically,
                     readFlag, same),
            blockKey("requantize_input", flagSchema(),
                     "Whether the weight gradient's input is quantised from its rows in blocks, not from bf16.",
                     &BlockSettings::requantizesInput, readFlag, same),
            blockKey(
                "keep_last", numberSchema(Bound::UpToOne), "The share of the model's blocks, from the end, that stays in bf16.",
                &BlockSettings::keepLast, [](const Json& v) { return readNumber(v, Bound::UpToOne); }, same),
        };
    }();
    return kKeys;
}

void readOverrides(PrecisionSettings& precision, const Json& value) {
    if (!value.is_object()) refuse("must be an object from layer to format, not " + kindOf(value));
    for (const auto& [place, forced] : value.items()) {
        precision.overrides.push_back(readAt(place, [&place = place, &forced = forced] { return readOverride(place, forced); }));
    }
}

/// Stochastic rounding is not available for operands.
std::vector<std::string> operandRoundings() {
    std::vector<std::string> names;
    for (const Rounding rounding : kAllRoundings) {
        if (rounding != Rounding::Stochastic) names.emplace_back(roundingName(rounding));
    }
    return names;
}

const std::vector<Key>& precisionKeys() {
    static const std::vector<Key> kKeys{
        {"policy", described(choiceSchema(policyNames()), "The formats of products and weights.", PrecisionSettings{}.policy),
         [](PrecisionSettings& p, const Json& value) { p.policy = readChoice(value, "precision", policyNames()); },
         [](const PrecisionSettings& p) -> std::optional<Json> { return p.policy; }},
        choiceKey("autocast", "autocast list", "The list of the operations that run in the policy's narrow format.", autocastListNames(),
                  [](PrecisionSettings& p) -> std::string& { return p.autocast; }),
        {"overrides", overridesSchema(), readOverrides,
         [](const PrecisionSettings& p) {
             std::optional<Json> json;
             for (const PrecisionOverride& forced : p.overrides) {
                 if (!json) json = Json::object();
                 (*json)[forced.place] = writeOverride(forced);
             }
             return json;
         }},
        objectKey("fp8", "The scaling of fp8 tensors.", R"({"scaling": "current"})", fp8Keys()),
        objectKey("blocks", "The recipe of a policy in a block format.", R"({"stochastic": false})", blockKeys()),
        namedKey("tf32_rounding", "rounding", "How operands of products in tf32 are rounded.", operandRoundings(), roundingFromName,
                 roundingName, [](PrecisionSettings& p) -> Rounding& { return p.products.tf32Rounding; }),
        namedKey("accumulator", "accumulator", "How products in narrow formats are summed: in a format, or as on a GPU's tensor cores.",
                 namesOf(kAllAccumulators, accumulatorName), accumulatorFromName, accumulatorName,
                 [](PrecisionSettings& p) -> Accumulator& { return p.products.accumulator; }),
        namedKey("weight_update", "weight update", "How pure policies write weights.", weightUpdateNames(), weightUpdateFromName,
                 weightUpdateName, [](PrecisionSettings& p) -> WeightUpdate& { return p.weightUpdate; }),
        integerKey("promote_every", "The number of elements after which a partial sum moves to a sum in fp32. 0: never.", 0, 1 << 20,
                   [](PrecisionSettings& p) -> std::int64_t& { return p.products.promoteEvery; }),
    };
    return kKeys;
}

}  // namespace

void readPrecision(RunSettings& run, const Json& value) {
    PrecisionSettings precision;
    if (value.is_string()) {
        precision.policy = readChoice(value, "precision", policyNames());
    } else if (value.is_object()) {
        readKeys(precisionKeys(), precision, value);
    } else {
        refuse("must be a policy's name, or an object as {\"policy\": \"fp8\", \"accumulator\": \"hopper\"}, not " + kindOf(value));
    }
    run.training.precision = std::move(precision);
}

Json precisionSchema() {
    return {{"anyOf", {choiceSchema(policyNames()), schemaOf(precisionKeys(), "A policy with more settings.")}}};
}

Json writePrecision(const PrecisionSettings& precision) {
    Json json = writeKeys(precisionKeys(), precision);
    return json.size() == 1 ? json["policy"] : json;
}

}  // namespace mantissa
