// SPDX-License-Identifier: Apache-2.0
// Encodes messages as CBOR maps: {"type", "body"}, with "id" for commands. Steps are columns of packed little-endian numbers.
#include "engine/wire/wire.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/experiment/json_reader.h"
#include "engine/wire/codec.h"
#include "engine/wire/packed.h"

namespace mantissa {
namespace {

static_assert(kMaxJsonBytes < kMaxFrameBytes / 2, "the text of an experiment travels in one frame");

/// The enumerations of the wire, each by its last value.
constexpr std::tuple kLastValues{LabState::Finished,
                                 StepVerdict::NormOverflow,
                                 SilentKind::NoProgress,
                                 GaugeKind::LostDecay,
                                 QuestionWork::Measuring,
                                 Severity::Bad,
                                 TextArgument::Kind::Text,
                                 RunKind::Watched,
                                 WatchLink::Followed,
                                 Instrumentation::Blocks,
                                 TensorRole::Statistic,
                                 ElementKind::NonFinite,
                                 kAllDirections.back(),
                                 LinearOperand::OutputGradient,
                                 static_cast<Dtype>(kAllDtypes.size() - 1),
                                 TimeLimit::Launch,
                                 OperationKind::Conversion,
                                 static_cast<Metric>(kMetricCount - 1)};

constexpr const char *kCellsKey = "magnitudes", *kSketchKey = "sketch";

constexpr std::pair<const char*, double> kNonFinite[] = {{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                                         {"Infinity", std::numeric_limits<double>::infinity()},
                                                         {"-Infinity", -std::numeric_limits<double>::infinity()}};

std::optional<double> nonFiniteOf(const std::string& word) {
    for (const auto& [name, value] : kNonFinite)
        if (word == name) return value;
    return std::nullopt;
}

}  // namespace

class Writer {
public:
    explicit Writer(Json& object) : m_object(object) { m_object = Json::object(); }

    template <class T>
    void operator()(const char* key, const T& value) {
        put(m_object[key], value);
    }

    void columns(const std::vector<StepRecord>& records) {
        m_object["count"] = records.size();
        eachColumn([&](const char* key, auto member) {
            using T = std::remove_cvref_t<decltype(StepRecord{}.*member)>;
            std::vector<std::uint8_t> bytes(records.size() * sizeof(T));
            std::uint8_t* next = bytes.data();
            for (const StepRecord& record : records) {
                const auto bits = littleEndian(std::bit_cast<BitsOf<T>>(record.*member));
                std::memcpy(next, &bits, sizeof bits);
                next += sizeof bits;
            }
            m_object[key] = Json::binary(std::move(bytes));
        });
    }

    void cells(const std::vector<Histogram::Cell>& cells) { m_object[kCellsKey] = Json::binary(packCells(cells)); }
    /// Omitted if empty.
    void sketch(const Sketch& sketch) {
        if (!sketch.empty()) m_object[kSketchKey] = Json::binary(packFloats(sketch));
    }
    void floats(const char* key, const std::vector<float>& numbers, std::int64_t) { m_object[key] = Json::binary(packFloats(numbers)); }

private:
    Json& m_object;

    template <class T>
    static void put(Json& to, const T& value) {
        if constexpr (std::is_enum_v<T>) {
            to = static_cast<int>(value);
        } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Json>) {
            to = value;
        } else if constexpr (std::is_same_v<T, RunSettings>) {
            to = runToJson(value);
        } else {
            Writer inner(to);
            rowOf<T>(kValues).describe(inner, value);
        }
    }
    template <class T>
    static void put(Json& to, const std::vector<T>& values) {
        to = Json::array();
        for (const T& value : values) put(to.emplace_back(), value);
    }
};

class Reader {
public:
    Reader(const Json& object, const std::string& where, Missing missing = Missing::IsRefused)
        : m_object(object), m_where(where), m_missing(missing) {
        if (!object.is_object()) throw WireError(where + " is not a map");
    }

    template <class T>
    void operator()(const char* key, T& value) {
        if (m_missing == Missing::IsDefault && !m_object.contains(key)) return;
        get(at(key), value, key);
    }

    void columns(std::vector<StepRecord>& records) {
        std::uint64_t count = 0;
        (*this)("count", count);
        if (count > kMaxFrameBytes) throw WireError("'count' of " + m_where + " is out of range");
        bool isSized = false;
        eachColumn([&](const char* key, auto member) {
            using T = std::remove_cvref_t<decltype(StepRecord{}.*member)>;
            const Json& column = at(key);
            if (!column.is_binary() || column.get_binary().size() != count * sizeof(T))
                fail(key, "is not a column of " + std::to_string(count));
            if (!std::exchange(isSized, true)) records.resize(count);  // only after a column has proved the count
            const std::vector<std::uint8_t>& bytes = column.get_binary();
            for (std::size_t i = 0; i < records.size(); ++i) records[i].*member = packedAt<T>(bytes, i * sizeof(T));
        });
    }

    void cells(std::vector<Histogram::Cell>& cells) {
        const auto packed = bytesOf(at(kCellsKey));
        auto unpacked = packed ? unpackCells(*packed) : std::nullopt;
        if (!unpacked) fail(kCellsKey, "is not a list of cells");
        cells = std::move(*unpacked);
    }
    void sketch(Sketch& sketch) {
        sketch.clear();
        if (!m_object.contains(kSketchKey)) return;
        const auto packed = bytesOf(at(kSketchKey));
        if (!packed || packed->size() != kSketchSize * sizeof(float))
            fail(kSketchKey, "is not " + std::to_string(kSketchSize) + " numbers");
        sketch = unpackFloats(*packed);
    }
    void floats(const char* key, std::vector<float>& numbers, std::int64_t count) {
        const auto packed = bytesOf(at(key));
        if (!packed || count < 0 || packed->size() != static_cast<std::uint64_t>(count) * sizeof(float))
            fail(key, "is not " + std::to_string(count) + " numbers");
        numbers = unpackFloats(*packed);
    }

private:
    const Json& m_object;
    std::string m_where;
    Missing m_missing;

    /// Recordings store messages as text.
    static std::optional<std::vector<std::uint8_t>> bytesOf(const Json& from) {
        if (from.is_string()) return bytesOfHex(from.get_ref<const std::string&>());
        return from.is_binary() ? std::optional<std::vector<std::uint8_t>>(from.get_binary()) : std::nullopt;
    }
    [[noreturn]] void fail(const char* key, const std::string& what) const {
        throw WireError("'" + std::string(key) + "' of " + m_where + " " + what);
    }
    const Json& at(const char* key) const {
        const auto found = m_object.find(key);
        if (found == m_object.end()) fail(key, "is missing");
        return *found;
    }

    /// Nothing if invalid. Recordings store messages as text, in which non-finite numbers are words; earlier ones have null.
    std::optional<double> numberOf(const Json& from) const {
        if (from.is_number()) return from.get<double>();
        if (m_missing != Missing::IsDefault) return std::nullopt;
        if (from.is_null()) return std::numeric_limits<double>::quiet_NaN();
        return from.is_string() ? nonFiniteOf(from.get_ref<const std::string&>()) : std::nullopt;
    }

    /// Recordings made before texts had arguments lack the capital and the period of gauges' sentences.
    static void complete(Text& sentence) {
        if (sentence.parts.size() != 1 || !sentence.parts[0].arguments.empty()) return;
        std::string& words = sentence.parts[0].pattern;
        if (words.empty() || words.ends_with('.')) return;
        if (words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
        words += '.';
    }

    template <class T>
    void get(const Json& from, T& value, const char* key) const {
        if constexpr (std::is_same_v<T, Json>) {
            value = from;
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (!from.is_string()) fail(key, "is not text");
            value = from.get<std::string>();
        } else if constexpr (std::is_same_v<T, bool>) {
            if (!from.is_boolean()) fail(key, "is not true or false");
            value = from.get<bool>();
        } else if constexpr (std::is_floating_point_v<T>) {
            const std::optional<double> number = numberOf(from);
            if (!number) fail(key, "is not a number");
            value = static_cast<T>(*number);
        } else if constexpr (std::is_enum_v<T>) {
            int number = 0;
            get(from, number, key);
            if (number < 0 || number > static_cast<int>(std::get<T>(kLastValues))) fail(key, "is not one of its values");
            value = static_cast<T>(number);
        } else if constexpr (std::is_integral_v<T>) {
            if (!from.is_number_integer()) fail(key, "is not a whole number");
            const bool fits =
                from.is_number_unsigned() ? std::in_range<T>(from.get<std::uint64_t>()) : std::in_range<T>(from.get<std::int64_t>());
            if (!fits) fail(key, "is out of range");
            value = from.get<T>();
        } else if constexpr (std::is_same_v<T, RunSettings>) {
            try {
                value = readSettings(from);  // the data's files may be missing here
            } catch (const InputError& error) {
                fail(key, std::string("is not a run: ") + error.what());
            }
        } else {
            if constexpr (std::is_same_v<T, Text>) {
                if (from.is_string()) {  // in recordings made before texts had arguments
                    value = Text::term(from.get<std::string>());
                    return;
                }
            }
            Reader inner(from, key, m_missing);
            rowOf<T>(kValues).describe(inner, value);
            if constexpr (std::is_same_v<T, Gauge>) complete(value.sentence);
        }
    }
    template <class T>
    void get(const Json& from, std::vector<T>& values, const char* key) const {
        if (!from.is_array()) fail(key, "is not a list");
        values.clear();
        for (const Json& element : from) get(element, values.emplace_back(), key);
    }
};

namespace {

template <class Variant, class... Rows>
Json messageOf(const Variant& body, const Table<Rows...>& table) {
    Json message = Json::object();
    std::visit(
        [&]<class T>(const T& value) {
            const auto& row = rowOf<T>(table);
            message["type"] = row.name;
            Writer writer(message["body"]);
            row.describe(writer, value);
        },
        body);
    return message;
}

/// The alternative of `Variant` that the message names.
template <class Variant, class... Rows>
Variant readBody(const Json& message, const Table<Rows...>& table, Missing missing = Missing::IsRefused) {
    static_assert(sizeof...(Rows) == std::variant_size_v<Variant>);
    std::string name;
    Json body;
    Reader reader(message, "the message");
    reader("type", name);
    reader("body", body);
    Variant result;
    const auto tryOne = [&]<class T, class... Fields>(const Row<T, Fields...>& row) {
        if (name != row.name) return false;
        Reader ofBody(body, name, missing);
        row.describe(ofBody, result.template emplace<T>());
        return true;
    };
    const bool isKnown = (tryOne(static_cast<const Rows&>(table)) || ...);
    if (!isKnown) throw WireError("a message of the unknown type '" + name.substr(0, 64) + "'");
    return result;
}

Json readPayload(std::span<const std::uint8_t> payload) {
    if (payload.size() > kMaxFrameBytes)
        throw WireError("a frame of " + std::to_string(payload.size()) + " bytes, over the limit of 16 MiB");
    try {
        return readCbor(payload);
    } catch (const InputError& error) {
        throw WireError(std::string("malformed frame: ") + error.what());
    }
}

}  // namespace

std::vector<std::uint8_t> frameOf(const Json& message) {
    std::vector<std::uint8_t> bytes(4);
    Json::to_cbor(message, bytes);
    const std::size_t length = bytes.size() - 4;
    if (length > kMaxFrameBytes) throw WireError("a message of " + std::to_string(length) + " bytes is over the frame limit of 16 MiB");
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(length >> (8 * i));
    return bytes;
}

void makeStorable(Json& message) {
    if (message.is_number_float()) {
        const double value = message.get<double>();
        if (std::isnan(value)) message = kNonFinite[0].first;
        if (std::isinf(value)) message = kNonFinite[value > 0 ? 1 : 2].first;
    } else if (message.is_binary()) {
        message = hexText(message.get_binary());
    } else if (message.is_structured()) {
        for (Json& each : message) makeStorable(each);
    }
}

Json messageOf(const CommandBody& body) {
    return messageOf(body, kCommands);
}

Json messageOf(const Event& event) {
    return messageOf(event, kEvents);
}

Event eventOf(const Json& message, Missing missing) {
    return readBody<Event>(message, kEvents, missing);
}

std::vector<std::uint8_t> encode(const Command& command) {
    Json message = messageOf(command.body);
    message["id"] = command.id;
    return frameOf(message);
}

std::vector<std::uint8_t> encode(const Event& event) {
    return frameOf(messageOf(event));
}

Command decodeCommand(std::span<const std::uint8_t> payload) {
    const Json message = readPayload(payload);
    Command command;
    Reader(message, "the message")("id", command.id);
    command.body = readBody<CommandBody>(message, kCommands);
    return command;
}

Event decodeEvent(std::span<const std::uint8_t> payload) {
    return eventOf(readPayload(payload));
}

void FrameReader::append(std::span<const std::uint8_t> bytes) {
    if (m_begin == m_bytes.size()) {
        m_bytes.clear();
        m_begin = 0;
    } else if (m_begin > m_bytes.size() / 2) {  // so each byte moves at most once on average
        m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(m_begin));
        m_begin = 0;
    }
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
}

std::optional<std::vector<std::uint8_t>> FrameReader::next() {
    if (m_bytes.size() - m_begin < 4) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length |= static_cast<std::size_t>(m_bytes[m_begin + i]) << (8 * i);
    if (length > kMaxFrameBytes) throw WireError("a frame of " + std::to_string(length) + " bytes, over the limit of 16 MiB");
    if (m_bytes.size() - m_begin - 4 < length) return std::nullopt;
    const auto begin = m_bytes.begin() + static_cast<std::ptrdiff_t>(m_begin + 4);
    m_begin += 4 + length;
    return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(length));
}

bool FrameReader::hasPartial() const {
    return m_begin < m_bytes.size();
}

}  // namespace mantissa
