// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files: scalars, and the curves that a histogram can give.
#include <bit>
#include <istream>
#include <map>
#include <optional>

#include "engine/exchange/event_file.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/protobuf.h"

namespace mantissa {
namespace {

using protobuf::FieldReader;

constexpr std::uint64_t kMaxEventBytes = 64u << 20;  // graphs and pictures are events too

/// The little-endian bytes of a tensor's elements, if stored in one piece: as content, packed, or as a single element.
struct TensorBytes {
    std::uint64_t dtype = 0;
    std::string_view bytes;
};
std::optional<TensorBytes> bytesOf(std::string_view tensor) {
    TensorBytes found;
    FieldReader fields(tensor);
    for (protobuf::Field field; fields.next(field);) {
        if (field.is(event_file::tensor::kDtype, protobuf::FieldKind::Varint)) found.dtype = field.value;
        const bool isContent = field.number == event_file::tensor::kContent || field.number == event_file::tensor::kFloats ||
                               field.number == event_file::tensor::kDoubles;
        if (!isContent || field.kind == protobuf::FieldKind::Varint) continue;
        if (!found.bytes.empty()) return std::nullopt;  // several pieces
        found.bytes = field.bytes;
    }
    return fields.isBroken() ? std::nullopt : std::optional(found);
}

/// The number in a tensor of one element; nullopt for other tensors.
std::optional<double> scalarOf(std::string_view tensor) {
    const std::optional<TensorBytes> found = bytesOf(tensor);
    if (!found) return std::nullopt;
    if (found->dtype == event_file::tensor::kFloat32 && found->bytes.size() == 4) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(protobuf::littleEndian(found->bytes)));
    }
    if (found->dtype == event_file::tensor::kFloat64 && found->bytes.size() == 8)
        return std::bit_cast<double>(protobuf::littleEndian(found->bytes));
    return std::nullopt;
}

/// Facts of a histogram that need no assumption about the values within a bucket.
struct HistogramFacts {
    double min = 0, max = 0, count = 0;
};

/// Reads a HistogramProto. An empty histogram has no bounds.
std::optional<HistogramFacts> histogramOf(std::string_view message) {
    HistogramFacts facts;
    FieldReader fields(message);
    for (protobuf::Field field; fields.next(field);) {
        if (field.kind != protobuf::FieldKind::Fixed64) continue;
        if (field.number == event_file::histogram::kMin) facts.min = field.asDouble();
        if (field.number == event_file::histogram::kMax) facts.max = field.asDouble();
        if (field.number == event_file::histogram::kCount) facts.count = field.asDouble();
    }
    return fields.isBroken() ? std::nullopt : std::optional(facts);
}

/// Reads the histogram plug-in's tensor: float64 [buckets, 3], of left edge, right edge and count. The outer edges are the smallest and the
/// largest value; empty buckets at the ends are padding.
std::optional<HistogramFacts> histogramOfTensor(std::string_view tensor) {
    constexpr std::size_t kBucketBytes = 3 * sizeof(double);
    const std::optional<TensorBytes> found = bytesOf(tensor);
    if (!found || found->dtype != event_file::tensor::kFloat64 || found->bytes.size() % kBucketBytes != 0) return std::nullopt;
    HistogramFacts facts;
    for (std::size_t at = 0; at < found->bytes.size(); at += kBucketBytes) {
        const auto number = [&](std::size_t column) {
            return std::bit_cast<double>(protobuf::littleEndian(found->bytes.substr(at + column * sizeof(double), sizeof(double))));
        };
        const double count = number(2);
        if (!(count > 0)) continue;
        if (facts.count == 0) facts.min = number(0);
        facts.max = number(1);
        facts.count += count;
    }
    return facts;
}

/// The plug-in that shows a tag's values; empty if not given.
std::string_view pluginOf(std::string_view metadata) {
    std::string_view name;
    FieldReader fields(metadata);
    for (protobuf::Field field; fields.next(field);) {
        if (!field.isBytes(event_file::metadata::kPluginData)) continue;
        FieldReader plugin(field.bytes);
        for (protobuf::Field inner; plugin.next(inner);) {
            if (inner.isBytes(event_file::metadata::kPluginName)) name = inner.bytes;
        }
    }
    return name;
}

class EventReader : public LogReader {
public:
    EventReader(RunBuilder& builder, std::string source) : LogReader(builder), m_source(std::move(source)) {}

    void read(std::istream& in, std::uint64_t bytes, bool mayGrow) override {
        std::string head(event_file::kHeadBytes, '\0'), payload, sum(event_file::kTailBytes, '\0');
        const auto take = [&](std::string& into, FilePlace place) {
            if (!in.read(into.data(), static_cast<std::streamsize>(into.size()))) refuseAt(m_source, place, "cannot be read");
        };
        const auto breakOff = [&] {
            if (!mayGrow) m_builder.addRemark("the last record is cut and was left out");
        };
        while (m_position < bytes) {
            const FilePlace place{"byte", m_position};
            if (bytes - m_position < event_file::kHeadBytes) return breakOff();
            take(head, place);
            const std::string_view length = std::string_view(head).substr(0, 8);
            if (protobuf::littleEndian(std::string_view(head).substr(8)) != event_file::maskedCrc32c(length)) {
                refuseAt(m_source, place, "the check sum of a record's length is wrong");
            }
            const std::uint64_t size = protobuf::littleEndian(length), left = bytes - m_position - event_file::kHeadBytes;
            if (left < event_file::kTailBytes || size > left - event_file::kTailBytes) return breakOff();
            if (size > kMaxEventBytes)
                refuseAt(m_source, place, "an event of " + std::to_string(size) + " bytes, more than is read of one");
            payload.resize(size);
            take(payload, place);
            take(sum, place);
            if (protobuf::littleEndian(sum) != event_file::maskedCrc32c(payload))
                refuseAt(m_source, place, "a record's check sum is wrong");
            takeEvent(payload, place);
            m_position += event_file::kHeadBytes + size + event_file::kTailBytes;
        }
    }
    std::uint64_t position() const override { return m_position; }

private:
    std::string m_source;
    std::uint64_t m_position = 0;
    std::map<std::string, std::string, std::less<>> m_plugins;  // by tag: only a tag's first value has metadata

    void takeEvent(std::string_view event, FilePlace place) {
        std::int64_t step = 0;
        std::vector<std::string_view> summaries;
        FieldReader fields(event);
        for (protobuf::Field field; fields.next(field);) {
            if (field.is(event_file::event::kStep, protobuf::FieldKind::Varint)) step = static_cast<std::int64_t>(field.value);
            if (field.isBytes(event_file::event::kSummary)) summaries.push_back(field.bytes);
            const bool isVersion = field.isBytes(event_file::event::kFileVersionText);
            if (isVersion && place.number == 0 && field.bytes != event_file::kFileVersion) {
                refuseAt(m_source, place, "its version is none that is known, which is " + std::string(event_file::kFileVersion));
            }
        }
        if (fields.isBroken()) refuseAt(m_source, place, "an event that breaks off");
        for (const std::string_view summary : summaries) {
            FieldReader values(summary);
            for (protobuf::Field value; values.next(value);) {
                if (value.isBytes(event_file::summary::kValue)) takeValue(value.bytes, step, place);
            }
            if (values.isBroken()) refuseAt(m_source, place, "a summary that breaks off");
        }
    }

    void takeValue(std::string_view value, std::int64_t step, FilePlace place) {
        std::string_view tag, tensor, histogram, plugin;
        std::optional<double> number;
        bool isHistogram = false;
        FieldReader fields(value);
        for (protobuf::Field field; fields.next(field);) {
            if (field.isBytes(event_file::value::kTag)) tag = field.bytes;
            if (field.is(event_file::value::kSimpleValue, protobuf::FieldKind::Fixed32)) number = field.asFloat();
            if (field.isBytes(event_file::value::kTensor)) tensor = field.bytes;
            if (field.isBytes(event_file::value::kHistogram)) histogram = field.bytes, isHistogram = true;
            if (field.isBytes(event_file::value::kMetadata)) plugin = pluginOf(field.bytes);
        }
        if (fields.isBroken()) refuseAt(m_source, place, "a value that breaks off");
        if (const auto known = m_plugins.find(tag); known != m_plugins.end())
            plugin = known->second;
        else if (!plugin.empty() && plugin != "scalars")
            m_plugins.emplace(tag, plugin);
        if (isHistogram) return takeHistogram(tag, histogramOf(histogram), step, place);
        if (plugin == "histograms") return takeHistogram(tag, histogramOfTensor(tensor), step, place);
        if (!tensor.empty() && !number) number = scalarOf(tensor);
        const int column = m_builder.columnOf(tag, place);
        if (column >= 0 && number && (plugin.empty() || plugin == "scalars")) add(column, step, *number, place);
    }

    void takeHistogram(std::string_view tag, const std::optional<HistogramFacts>& facts, std::int64_t step, FilePlace place) {
        if (!facts) return;
        const auto addPart = [&](const char* part, double number) {
            const int column = m_builder.columnOf(std::string(tag) + part, place, RunBuilder::NameKind::OfHistogram);
            if (column >= 0) add(column, step, number, place);
        };
        if (facts->count > 0) {
            addPart("/min", facts->min);
            addPart("/max", facts->max);
        }
        addPart("/count", facts->count);
    }

    void add(int column, std::int64_t step, double number, FilePlace place) {
        if (step < 0) refuseAt(m_source, place, "step " + std::to_string(step) + ": steps count from 0");
        m_builder.add(column, step, number, place);
    }
};

}  // namespace

std::unique_ptr<LogReader> makeEventReader(RunBuilder& builder, const std::string& source) {
    return std::make_unique<EventReader>(builder, source);
}

}  // namespace mantissa
