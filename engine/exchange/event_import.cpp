// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/event_import.h"

#include <bit>
#include <istream>
#include <optional>

#include "engine/exchange/event_file.h"
#include "engine/exchange/protobuf.h"

namespace mantissa {
namespace {

using protobuf::FieldReader;

constexpr std::uint64_t kMaxEventBytes = 64u << 20;  // graphs and pictures are events too

bool isBytes(const protobuf::Field& field, int number) {
    return field.number == static_cast<std::uint64_t>(number) && field.kind == protobuf::FieldKind::Bytes;
}

/// The one number that a tensor holds; nothing for other tensors.
std::optional<double> scalarOf(std::string_view tensor) {
    std::uint64_t dtype = 0;
    std::string_view packed;
    FieldReader fields(tensor);
    for (protobuf::Field field; fields.next(field);) {
        if (field.number == event_file::tensor::kDtype && field.kind == protobuf::FieldKind::Varint) dtype = field.value;
        const bool isContent = field.number == event_file::tensor::kContent || field.number == event_file::tensor::kFloats ||
                               field.number == event_file::tensor::kDoubles;
        if (!isContent || field.kind == protobuf::FieldKind::Varint) continue;
        if (!packed.empty()) return std::nullopt;  // several elements
        packed = field.bytes;                      // packed or not, and as content, it is the element's little-endian bytes
    }
    if (fields.isBroken()) return std::nullopt;
    if (dtype == event_file::tensor::kFloat32 && packed.size() == 4) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(protobuf::littleEndian(packed)));
    }
    if (dtype == event_file::tensor::kFloat64 && packed.size() == 8) return std::bit_cast<double>(protobuf::littleEndian(packed));
    return std::nullopt;
}

/// The plug-in that shows a tag's values; empty: not said.
std::string_view pluginOf(std::string_view metadata) {
    std::string_view name;
    FieldReader fields(metadata);
    for (protobuf::Field field; fields.next(field);) {
        if (!isBytes(field, event_file::metadata::kPluginData)) continue;
        FieldReader plugin(field.bytes);
        for (protobuf::Field inner; plugin.next(inner);) {
            if (isBytes(inner, event_file::metadata::kPluginName)) name = inner.bytes;
        }
    }
    return name;
}

}  // namespace

void EventImport::read(std::istream& in, std::uint64_t bytes, const std::string& source) {
    std::string head(event_file::kHeadBytes, '\0'), payload, sum(event_file::kTailBytes, '\0');
    const auto take = [&](std::string& into, FilePlace place) {
        if (!in.read(into.data(), static_cast<std::streamsize>(into.size()))) refuseAt(source, place, "cannot be read");
    };
    for (std::uint64_t offset = 0; offset < bytes;) {
        const FilePlace place{"byte", offset};
        const auto breakOff = [&] { m_builder.addRemark("the last record is cut and was left out"); };
        if (bytes - offset < event_file::kHeadBytes) return breakOff();
        take(head, place);
        const std::string_view length = std::string_view(head).substr(0, 8);
        if (protobuf::littleEndian(std::string_view(head).substr(8)) != event_file::maskedCrc32c(length)) {
            refuseAt(source, place, "the check sum of a record's length is wrong");
        }
        const std::uint64_t size = protobuf::littleEndian(length), left = bytes - offset - event_file::kHeadBytes;
        if (left < event_file::kTailBytes || size > left - event_file::kTailBytes) return breakOff();
        if (size > kMaxEventBytes) refuseAt(source, place, "an event of " + std::to_string(size) + " bytes, more than is read of one");
        payload.resize(size);
        take(payload, place);
        take(sum, place);
        if (protobuf::littleEndian(sum) != event_file::maskedCrc32c(payload)) refuseAt(source, place, "a record's check sum is wrong");
        takeEvent(payload, place, source);
        offset += event_file::kHeadBytes + size + event_file::kTailBytes;
    }
}

void EventImport::takeEvent(std::string_view event, FilePlace place, const std::string& source) {
    std::int64_t step = 0;
    std::vector<std::string_view> summaries;
    FieldReader fields(event);
    for (protobuf::Field field; fields.next(field);) {
        if (field.number == event_file::event::kStep && field.kind == protobuf::FieldKind::Varint)
            step = static_cast<std::int64_t>(field.value);
        if (isBytes(field, event_file::event::kSummary)) summaries.push_back(field.bytes);
        const bool isVersion = isBytes(field, event_file::event::kFileVersionText);
        if (isVersion && place.number == 0 && field.bytes != event_file::kFileVersion) {
            refuseAt(source, place, "its version is none that is known, which is " + std::string(event_file::kFileVersion));
        }
    }
    if (fields.isBroken()) refuseAt(source, place, "an event that breaks off");
    for (const std::string_view summary : summaries) {
        FieldReader values(summary);
        for (protobuf::Field value; values.next(value);) {
            if (isBytes(value, event_file::summary::kValue)) takeValue(value.bytes, step, place, source);
        }
        if (values.isBroken()) refuseAt(source, place, "a summary that breaks off");
    }
}

void EventImport::takeValue(std::string_view value, std::int64_t step, FilePlace place, const std::string& source) {
    std::string_view tag, plugin;
    std::optional<double> number;
    FieldReader fields(value);
    for (protobuf::Field field; fields.next(field);) {
        if (isBytes(field, event_file::value::kTag)) tag = field.bytes;
        if (field.number == event_file::value::kSimpleValue && field.kind == protobuf::FieldKind::Fixed32) number = field.asFloat();
        if (isBytes(field, event_file::value::kTensor)) number = scalarOf(field.bytes);
        if (isBytes(field, event_file::value::kMetadata)) plugin = pluginOf(field.bytes);
    }
    if (fields.isBroken()) refuseAt(source, place, "a value that breaks off");
    const int column = m_builder.columnOf(tag, place);
    if (!plugin.empty() && plugin != "scalars") m_otherTags.emplace(tag);
    if (column < 0 || !number || m_otherTags.contains(tag)) return;
    if (step < 0) refuseAt(source, place, "step " + std::to_string(step) + ": steps count from 0");
    m_builder.add(column, step, *number, place);
}

}  // namespace mantissa
