// SPDX-License-Identifier: Apache-2.0
// Faults injected into one step: their values and checks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"
#include "engine/experiment/value_schema.h"

namespace mantissa {
namespace {

/// Views of all parameters, named by what the optimizer's instructions write.
constexpr const char* kOptimizerTensors[] = {"gradients", "parameters"};

/// Whether every plan of the graph has an instruction that writes this floating-point value.
bool isMade(const Graph& graph, int index) {
    switch (graph.values[static_cast<std::size_t>(index)].role) {
        case ValueRole::Labels:
        case ValueRole::Indices:
        case ValueRole::Parameter:
            return false;
        case ValueRole::Input:
            return !graph.takesTokens;
        default:
            return std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {  // a mask is written in place
                return opFacts(node.kind).forward == OpKind::CausalMask && node.outputs.front() == index;
            });
    }
}

/// The words for non-finite values: JSON has no such numbers. They are short in files, and longer in JSON output.
const std::vector<std::pair<std::string, float>>& specialWords() {
    static const std::vector<std::pair<std::string, float>> kWords{{"inf", INFINITY},      {"-inf", -INFINITY},      {"nan", NAN},
                                                                   {"Infinity", INFINITY}, {"-Infinity", -INFINITY}, {"NaN", NAN}};
    return kWords;
}

/// The name before " as ", which a copy in another format has.
std::string withoutFormat(const std::string& tensor) {
    const std::size_t at = tensor.rfind(" as ");
    if (at == std::string::npos) return tensor;
    const std::string format = tensor.substr(at + 4);
    const bool isFormat = std::any_of(kAllDtypes.begin(), kAllDtypes.end(), [&](Dtype dtype) { return facts(dtype).name == format; });
    return isFormat ? tensor.substr(0, at) : tensor;
}

std::optional<BadValue> whyNoTensor(const TensorInjection& injection, const Graph& graph, bool knowsSizes) {
    const std::string name = withoutFormat(injection.tensor);
    const bool isCopy = name != injection.tensor;
    std::vector<std::string> known(std::begin(kOptimizerTensors), std::end(kOptimizerTensors));
    if (std::find(known.begin(), known.end(), injection.tensor) != known.end()) return std::nullopt;
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
        const Value& value = graph.values[i];
        const bool isParameter = value.role == ValueRole::Parameter;
        if (isParameter && !isCopy && value.name == name)
            return BadValue{"/tensor", "a step does not make '" + name + "' (did you mean '" + name + ".grad'?)"};
        if (!isMade(graph, static_cast<int>(i)) && !(isCopy && isParameter)) continue;
        if (value.name != name) {
            known.push_back(value.name);
            continue;
        }
        const std::int64_t count = elementCount(value.shape);
        if (!knowsSizes || injection.element.value_or(0) < count) return std::nullopt;
        return BadValue{"/element", "tensor '" + name + "' has elements 0 to " + std::to_string(count - 1)};
    }
    return BadValue{"/tensor", "the model makes no tensor '" + injection.tensor + "'" + didYouMean(injection.tensor, known)};
}

std::optional<BadValue> whyNoTensor(const TensorInjection& injection, const RunSettings& run, const Dataset* dataset) {
    const auto askedOf = [&](Graph graph) {
        appendBackward(graph);
        return whyNoTensor(injection, graph, dataset != nullptr);
    };
    const ModelSettings& model = run.training.model;
    if (dataset != nullptr) return askedOf(buildModel(model, run.training.data.batchSize, shapeOf(*dataset)));
    const std::string& data = run.training.data.name;
    if (data == "npy" && !askedOf(graphOf(model, true))) return std::nullopt;  // classes or targets: known only from the file
    return askedOf(graphOf(model, data == "synthetic-regression"));
}

}  // namespace

bool isInjection(std::string_view pointer) {
    return pointer == kInjectInputPointer || pointer == kInjectLabelPointer || pointer == kInjectTensorPointer;
}

Json injectionSchemas() {
    Json value{{"anyOf", {numberSchema(Bound::Any), {{"enum", Json::array()}}}}};
    for (const auto& [word, special] : specialWords()) value["anyOf"][1]["enum"].push_back(word);
    Json tensor =
        objectSchema({{"tensor", textSchema()}, {"value", value}, {"element", integerSchema(0, std::numeric_limits<std::int64_t>::max())}});
    tensor["required"] = {"tensor", "value"};
    return {{kInjectInputPointer, value}, {kInjectLabelPointer, value}, {kInjectTensorPointer, tensor}};
}

float injectedValue(const Json& value, const std::string& pointer) {
    if (value.is_number() && std::isfinite(value.get<double>())) return static_cast<float>(value.get<double>());
    for (const auto& [word, special] : specialWords()) {
        if (value == word) return special;
    }
    throw InputError("", pointer, "must be a number, \"inf\", \"-inf\" or \"nan\"");
}

TensorInjection injectedTensor(const Json& value) {
    const std::string pointer = kInjectTensorPointer;
    const auto refused = [&](const std::string& below, const std::string& sentence) { return InputError("", pointer + below, sentence); };
    if (!value.is_object()) throw refused("", R"(must be an object, as {"tensor": "layers.0.output", "value": "inf"})");
    for (const auto& [key, each] : value.items()) {
        if (key != "tensor" && key != "value" && key != "element")
            throw refused(pointerStep(key), "unknown key" + didYouMean(key, {"tensor", "value", "element"}));
    }
    for (const char* needed : {"tensor", "value"}) {
        if (!value.contains(needed)) throw refused("", std::string("needs a '") + needed + "'");
    }
    TensorInjection injection;
    injection.value = injectedValue(value["value"], pointer + "/value");
    try {
        injection.tensor = readText(value["tensor"]);
    } catch (const BadValue& bad) {
        throw refused("/tensor", bad.sentence);
    }
    try {
        if (value.contains("element")) injection.element = readInteger(value["element"], 0, std::numeric_limits<std::int64_t>::max());
    } catch (const BadValue& bad) {
        throw refused("/element", bad.sentence);
    }
    return injection;
}

std::optional<BadValue> whyNotInjected(const RunSettings& run, const std::string& pointer, const Json& value, const Dataset* dataset) {
    const std::string& model = run.training.model.kind;
    try {
        if (pointer == kInjectTensorPointer) {
            return whyNoTensor(injectedTensor(value), run, dataset);
        }
        injectedValue(value, pointer);
    } catch (const InputError& error) {
        return BadValue{error.pointer().substr(pointer.size()), error.sentence()};
    }
    if (takesTokens(model)) return BadValue{"", "tokens are whole numbers, nothing else can be put in their place"};
    if (pointer == kInjectInputPointer) return std::nullopt;
    const std::string& data = run.training.data.name;
    const bool hasTargets = dataset != nullptr ? dataset->kind == DataKind::Regression : data == "npy" || data == "synthetic-regression";
    if (!learnsTargets(model) && hasTargets) return BadValue{"", "the targets of model '" + model + "' are its inputs: use /inject/input"};
    if (!hasTargets) return BadValue{"", "labels are classes, only the targets of a regression are numbers that another can stand in for"};
    return std::nullopt;
}

}  // namespace mantissa
