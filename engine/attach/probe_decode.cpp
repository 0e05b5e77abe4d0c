// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/probe_decode.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/data/one_line.h"
#include "engine/data/tokens.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/json_reader.h"
#include "engine/experiment/values.h"
#include "engine/wire/packed.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxModules = 20'000, kMaxBadWeights = 64, kMaxOptimizers = 64, kMaxDimensions = 16, kMaxOperations = 20'000,
                      kMaxSentences = 100;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;

/// One printable line of any bytes.
std::string lineOf(const std::string& text) {
    return cutToBytes(oneLine(shownText(text)), kMaxProbeText);
}

/// A message's map. All accessors throw WireError with the key.
class Fields {
public:
    Fields(const Json& map, std::string where) : m_map(map), m_where(std::move(where)) {
        if (!map.is_object()) throw WireError(m_where + " is not a map");
    }

    /// null if the key is missing
    const Json& at(const char* key) const {
        static const Json kNull;
        const auto found = m_map.find(key);
        return found == m_map.end() ? kNull : *found;
    }
    std::string text(const char* key) const {
        const Json& value = at(key);
        if (value.is_null()) return {};
        if (!value.is_string()) fail(key, "is not text");
        return lineOf(value.get_ref<const std::string&>());
    }
    std::optional<double> number(const char* key) const {
        const Json& value = at(key);
        if (value.is_null()) return std::nullopt;
        if (!value.is_number()) fail(key, "is not a number");
        return value.get<double>();
    }
    /// A count from `least` to `most`, also if sent as a float, as by a growth tracker.
    std::int64_t count(const char* key, std::int64_t ifMissing, std::int64_t least = 0, std::int64_t most = kMaxSteps) const {
        const std::optional<double> value = number(key);
        if (!value) return ifMissing;
        if (!(*value >= static_cast<double>(least) && *value <= static_cast<double>(most)) || *value != std::floor(*value))
            fail(key, "is out of range");
        return static_cast<std::int64_t>(*value);
    }
    /// A count that is required.
    std::int64_t neededCount(const char* key, std::int64_t most = kMaxSteps) const {
        if (at(key).is_null()) fail(key, "is missing");
        return count(key, 0, 0, most);
    }
    std::optional<bool> flag(const char* key) const {
        const Json& value = at(key);
        if (value.is_null()) return std::nullopt;
        if (!value.is_boolean()) fail(key, "is not true or false");
        return value.get<bool>();
    }
    bool isSet(const char* key) const { return flag(key).value_or(false); }
    std::optional<Fields> map(const char* key) const {
        return at(key).is_null() ? std::nullopt : std::optional<Fields>(std::in_place, at(key), "'" + std::string(key) + "' of " + m_where);
    }
    /// Calls `take` for each element of a list, at most `most`.
    template <class Take>
    void each(const char* key, std::size_t most, Take take) const {
        const Json& list = at(key);
        if (list.is_null()) return;
        if (!list.is_array()) fail(key, "is not a list");
        if (list.size() > most) fail(key, "has " + std::to_string(list.size()) + " elements, and may have " + std::to_string(most));
        for (const Json& element : list) take(element, "an element of '" + std::string(key) + "' of " + m_where);
    }
    std::vector<std::string> texts(const char* key, std::size_t most) const {
        std::vector<std::string> all;
        each(key, most, [&](const Json& each, const std::string& where) {
            if (!each.is_string()) throw WireError(where + " is not text");
            all.push_back(lineOf(each.get_ref<const std::string&>()));
        });
        return all;
    }
    std::vector<std::int64_t> shape() const {
        std::vector<std::int64_t> shape;
        each("shape", kMaxDimensions, [&](const Json& each, const std::string& where) {
            if (!each.is_number_integer() || each.get<double>() < 0 || each.get<double>() > static_cast<double>(kMaxElements))
                throw WireError(where + " is no length");
            shape.push_back(each.get<std::int64_t>());
        });
        return shape;
    }
    std::span<const std::uint8_t> bytes(const char* key) const {
        const Json& value = at(key);
        if (!value.is_binary()) fail(key, "is not a column");
        return value.get_binary();
    }
    template <class T>
    std::vector<T> column(const char* key, std::size_t count) const {
        const std::span<const std::uint8_t> packed = bytes(key);
        if (packed.size() != count * sizeof(T)) fail(key, "is not a column of " + std::to_string(count));
        std::vector<T> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = packedAt<T>(packed, i * sizeof(T));
        return values;
    }
    [[noreturn]] void fail(const char* key, const std::string& what) const {
        throw WireError("'" + std::string(key) + "' of " + m_where + " " + what);
    }

private:
    const Json& m_map;
    std::string m_where;
};

/// Dtype of PyTorch's name in the probe's short form; nothing if unknown here.
std::optional<Dtype> dtypeOf(const std::string& name) {
    if (name == "f32" || name == "f64") return Dtype::F32;
    if (name == "f16") return Dtype::F16;
    if (name == "bf16") return Dtype::BF16;
    return dtypeFromName(name);
}

/// Nothing for a role of a newer probe.
std::optional<TensorRole> roleOf(const Fields& fields) {
    const std::string name = fields.text("role");
    if (name.empty()) fields.fail("role", "is missing");
    for (const TensorRole role : {TensorRole::Value, TensorRole::Gradient, TensorRole::WeightGradient, TensorRole::Update,
                                  TensorRole::Weight, TensorRole::Statistic})
        if (name == roleName(role)) return role;
    return std::nullopt;
}

ProbeHello helloOf(const Fields& fields) {
    if (const std::int64_t protocol = fields.count("protocol", 0); protocol != kProbeProtocol)
        throw WireError("the probe speaks version " + std::to_string(protocol) + " of the protocol, and this program version " +
                        std::to_string(kProbeProtocol));
    ProbeHello hello{.probe = fields.text("probe"),
                     .torch = fields.text("torch"),
                     .cuda = fields.text("cuda"),
                     .python = fields.text("python"),
                     .run = fields.text("run"),
                     .name = fields.text("name"),
                     .token = fields.text("token"),
                     .host = fields.text("host"),
                     .device = fields.text("device"),
                     .model = fields.text("model"),
                     .pid = fields.count("pid", 0),
                     .rank = fields.count("rank", 0),
                     .world = fields.count("world", 1),
                     .parameters = fields.count("parameters", 0, 0, kMaxElements)};
    fields.each("modules", kMaxModules, [&](const Json& each, const std::string& where) {
        const Fields module(each, where);
        hello.modules.push_back({module.text("path"), module.text("class")});
    });
    if (const auto scaler = fields.map("scaler")) {
        hello.hasScaler = true;
        hello.initScale = scaler->number("init_scale").value_or(hello.initScale);
        hello.growthFactor = scaler->number("growth_factor").value_or(hello.growthFactor);
        hello.backoffFactor = scaler->number("backoff_factor").value_or(hello.backoffFactor);
        hello.growthInterval = scaler->count("growth_interval", hello.growthInterval);
    }
    return hello;
}

TensorsDescribed tensorsOf(const Fields& fields) {
    TensorsDescribed described;
    fields.each("tensors", kMaxWatchedTensors, [&](const Json& each, const std::string& where) {
        const Fields tensor(each, where);
        const auto dtype = dtypeOf(tensor.text("dtype"));
        const auto role = roleOf(tensor);
        if (!dtype || !role) return;  // of a newer probe
        described.tensors.push_back({.id = static_cast<std::uint32_t>(tensor.neededCount("id", kMaxWatchedTensors - 1)),
                                     .name = tensor.text("name"),
                                     .module = tensor.text("module"),
                                     .cls = tensor.text("class"),
                                     .role = *role,
                                     .dtype = *dtype,
                                     .shape = tensor.shape(),
                                     .elements = tensor.count("elements", 0, 0, kMaxElements)});
    });
    return described;
}

OptimizerStep optimizerOf(const Fields& fields) {
    OptimizerStep optimizer{.name = fields.text("name"),
                            .isStepped = fields.isSet("stepped"),
                            .isSkipped = fields.isSet("skipped"),
                            .gradNorm = fields.number("grad_norm"),
                            .gradNormBeforeClip = fields.number("grad_norm_before_clip")};
    bool isFirst = true;
    fields.each("lr", kMaxWatchedTensors, [&](const Json& each, const std::string&) {
        if (std::exchange(isFirst, false) && each.is_number()) optimizer.lr = each.get<double>();
    });
    if (const Json& found = fields.at("found_inf"); found.is_object())
        for (const auto& [device, value] : found.items()) optimizer.hasFoundInf |= value.is_number() && value.get<double>() != 0;
    return optimizer;
}

std::optional<FirstBad> firstBadOf(const Fields& fields) {
    const auto role = roleOf(fields);
    if (!role) return std::nullopt;
    FirstBad bad{.name = fields.text("name"), .module = fields.text("module"), .role = *role, .isNan = fields.text("class") == "nan"};
    if (!fields.at("tensor").is_null()) bad.tensor = static_cast<std::uint32_t>(fields.count("tensor", 0, 0, kMaxWatchedTensors - 1));
    if (const auto evidence = fields.map("evidence")) {
        bad.areInputsFinite = evidence->flag("inputs_finite");
        bad.areWeightsFinite = evidence->flag("weights_finite");
        bad.areBuffersFinite = evidence->flag("buffers_finite");
        bad.hasChildren = evidence->isSet("has_children");
    }
    return bad;
}

ProbeStep stepOf(const Fields& fields) {
    ProbeStep step{.step = fields.neededCount("step"),
                   .loss = fields.number("loss"),
                   .microBatches = fields.count("micro_batches", 1),
                   .samples = fields.count("samples", 0, 0, kMaxElements),
                   .autocast = dtypeOf(fields.text("autocast")),
                   .lossScale = fields.number("loss_scale"),
                   .nextLossScale = fields.number("next_loss_scale"),
                   .nextGrowthTracker = fields.count("next_growth_tracker", 0),
                   .stepSeconds = static_cast<double>(fields.count("step_ns", 0, 0, kMaxElements)) * 1e-9,
                   .dataSeconds = static_cast<double>(fields.count("data_ns", 0, 0, kMaxElements)) * 1e-9,
                   .allocatedBytes = fields.count("allocated_bytes", -1, 0, kMaxElements),
                   .residentBytes = fields.count("resident_bytes", -1, 0, kMaxElements),
                   .badWeights = fields.texts("bad_weights", kMaxBadWeights),
                   .statisticsPeriod = fields.count("statistics_period", 0),
                   .dropped = fields.count("dropped", 0)};
    fields.each("optimizers", kMaxOptimizers,
                [&](const Json& each, const std::string& where) { step.optimizers.push_back(optimizerOf(Fields(each, where))); });
    if (const auto magnitudes = fields.map("magnitudes")) {
        const std::size_t count = magnitudes->bytes("tensor").size() / sizeof(std::uint32_t);
        const auto tensors = magnitudes->column<std::uint32_t>("tensor", count), bits = magnitudes->column<std::uint32_t>("bits", count);
        for (std::size_t i = 0; i < count; ++i) step.magnitudes.emplace_back(tensors[i], std::bit_cast<float>(bits[i] & 0x7FFFFFFFu));
    }
    if (const auto bad = fields.map("first_bad")) step.firstBad = firstBadOf(*bad);
    return step;
}

/// Classes and cells of one tensor must be counts of the same elements.
void check(const CountedTensor& tensor) {
    const ElementClasses& classes = tensor.classes;
    for (const std::int64_t count :
         {classes.negativeInf, classes.negative, classes.zero, classes.positive, classes.positiveInf, classes.nan, tensor.elements})
        if (count < 0 || count > kMaxElements) throw WireError("a count in 'records' of probe_statistics is out of range");
    if (classes.count() > tensor.elements || tensor.magnitudes.total() > classes.negative + classes.positive)
        throw WireError("'records' and 'cells' of probe_statistics count more elements than the tensor has");
}

ProbeStatistics statisticsOf(const Fields& fields) {
    constexpr std::size_t kRecordBytes = 72;
    const auto count = static_cast<std::size_t>(fields.neededCount("count", kMaxWatchedTensors));
    ProbeStatistics statistics{.step = fields.neededCount("step"),
                               .lossScale = fields.number("loss_scale").value_or(1),
                               .areGradientsScaled = fields.isSet("gradients_are_scaled"),
                               .areWeightGradientsScaled = fields.isSet("weight_gradients_are_scaled"),
                               .areBeforeClipping = fields.isSet("before_clipping")};
    const auto tensors = fields.column<std::uint32_t>("tensor", count), lengths = fields.column<std::uint32_t>("cell_bytes", count);
    const auto elements = fields.column<std::int64_t>("elements", count);
    const std::span<const std::uint8_t> records = fields.bytes("records");
    std::span<const std::uint8_t> cells = fields.bytes("cells");
    const auto sketches = fields.at("sketches").is_null() ? std::vector<float>() : fields.column<float>("sketches", count * kSketchSize);
    if (records.size() != count * kRecordBytes) fields.fail("records", "is not a column of " + std::to_string(count));
    for (std::size_t i = 0; i < count; ++i) {
        const std::span<const std::uint8_t> record = records.subspan(i * kRecordBytes, kRecordBytes);
        const auto whole = [&](std::size_t index) { return packedAt<std::int64_t>(record, index * 8); };
        if (lengths[i] > cells.size()) fields.fail("cells", "is shorter than its lists");
        auto list = unpackCells(cells.first(lengths[i]));
        if (!list) fields.fail("cells", "is not a list of cells");
        cells = cells.subspan(lengths[i]);
        CountedTensor& tensor = statistics.tensors.emplace_back();
        tensor.tensor = tensors[i];
        tensor.elements = elements[i];
        tensor.classes = {.negativeInf = whole(0),
                          .negative = whole(1),
                          .zero = whole(2),
                          .positive = whole(3),
                          .positiveInf = whole(4),
                          .nan = whole(5),
                          .firstNonFinite = whole(6),
                          .absMax = packedAt<double>(record, 56)};
        tensor.smallest = packedAt<double>(record, 64);
        tensor.magnitudes.cells = std::move(*list);
        const auto sketch = sketches.begin() + static_cast<std::ptrdiff_t>(i) * kSketchSize;
        if (!sketches.empty()) tensor.sketch.assign(sketch, sketch + kSketchSize);
        check(tensor);
    }
    return statistics;
}

OperationsCaptured operationsOf(const Fields& fields) {
    OperationsCaptured captured{
        .step = fields.neededCount("step"), .operations = {}, .leftOut = fields.count("left_out", 0), .problem = fields.text("problem")};
    fields.each("operations", kMaxOperations, [&](const Json& each, const std::string& where) {
        const Fields operation(each, where);
        captured.operations.push_back({.operation = operation.text("operation"),
                                       .module = operation.text("module"),
                                       .phase = operation.text("phase"),
                                       .dtype = operation.text("dtype"),
                                       .shape = operation.shape(),
                                       .absMax = operation.number("abs_max").value_or(kUnknown)});
    });
    captured.firstBad = fields.count("first_bad", -1, 0, static_cast<std::int64_t>(captured.operations.size()) - 1);
    return captured;
}

}  // namespace

std::optional<ProbeMessage> decodeProbeMessage(std::span<const std::uint8_t> payload) {
    Json message;
    try {
        message = readCbor(payload);
    } catch (const InputError& error) {
        throw WireError(std::string("malformed frame: ") + error.what());
    }
    const Fields outer(message, "the message");
    const std::string type = outer.text("type");
    const Fields body(outer.at("body"), type);
    if (type == "probe_hello") return helloOf(body);
    if (type == "tensors_described") return tensorsOf(body);
    if (type == "probe_step") return stepOf(body);
    if (type == "probe_statistics") return statisticsOf(body);
    if (type == "operations_captured") return operationsOf(body);
    if (type == "probe_problem") return ProbeProblem{body.texts("sentences", kMaxSentences)};
    if (type == "probe_end") return ProbeEnd{body.count("steps", 0), body.count("dropped", 0)};
    return std::nullopt;
}

std::vector<std::uint8_t> encode(ProbeRequest request) {
    return frameOf({{"type", request == ProbeRequest::MeasureNow ? "look_now" : "capture_step"}, {"body", Json::object()}});
}

}  // namespace mantissa
