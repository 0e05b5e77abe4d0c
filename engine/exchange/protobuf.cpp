// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/protobuf.h"

#include <bit>

namespace mantissa::protobuf {
namespace {

// Wire types of the encoding. Groups (3 and 4) are obsolete.
constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

void putRawVarint(std::string& message, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) message += static_cast<char>(0x80 | (value & 0x7f));
    message += static_cast<char>(value);
}

void putKey(std::string& message, int field, std::uint64_t wireType) {
    putRawVarint(message, static_cast<std::uint64_t>(field) << 3 | wireType);
}

}  // namespace

void putLittleEndian(std::string& bytes, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

void putVarint(std::string& message, int field, std::uint64_t value) {
    putKey(message, field, kVarint);
    putRawVarint(message, value);
}

void putDouble(std::string& message, int field, double value) {
    putKey(message, field, kFixed64);
    putLittleEndian(message, std::bit_cast<std::uint64_t>(value), 8);
}

void putFloat(std::string& message, int field, float value) {
    putKey(message, field, kFixed32);
    putLittleEndian(message, std::bit_cast<std::uint32_t>(value), 4);
}

void putBytes(std::string& message, int field, std::string_view bytes) {
    putKey(message, field, kBytes);
    putRawVarint(message, bytes.size());
    message += bytes;
}

double Field::asDouble() const {
    return std::bit_cast<double>(value);
}

float Field::asFloat() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}

bool FieldReader::breakOff() {
    m_isBroken = true;
    m_rest = {};
    return false;
}

bool FieldReader::takeVarint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (m_rest.empty()) return breakOff();
        const auto byte = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return breakOff();
}

bool FieldReader::take(std::size_t count, std::string_view& bytes) {
    if (count > m_rest.size()) return breakOff();
    bytes = m_rest.substr(0, count);
    m_rest.remove_prefix(count);
    return true;
}

bool FieldReader::next(Field& field) {
    field = {};
    std::uint64_t key = 0;
    if (m_rest.empty() || !takeVarint(key)) return false;
    field.number = key >> 3;
    switch (key & 7) {
        case kVarint:
            return takeVarint(field.value);
        case kFixed64:
        case kFixed32:
            field.kind = (key & 7) == kFixed64 ? FieldKind::Fixed64 : FieldKind::Fixed32;
            if (!take((key & 7) == kFixed64 ? 8 : 4, field.bytes)) return false;
            field.value = littleEndian(field.bytes);
            return true;
        case kBytes: {
            field.kind = FieldKind::Bytes;
            std::uint64_t size = 0;
            return takeVarint(size) && take(size, field.bytes);
        }
        default:
            return breakOff();
    }
}

}  // namespace mantissa::protobuf
