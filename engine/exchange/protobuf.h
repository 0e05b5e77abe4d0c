// SPDX-License-Identifier: Apache-2.0
// The subset of protocol buffers' wire format in event files (protobuf.dev/programming-guides/encoding): fields of varints, four or eight
// little-endian bytes, and length-prefixed bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa::protobuf {

void putVarint(std::string& message, int field, std::uint64_t value);
void putDouble(std::string& message, int field, double value);
void putFloat(std::string& message, int field, float value);
void putBytes(std::string& message, int field, std::string_view bytes);

/// Little-endian numbers of `size` bytes.
void putLittleEndian(std::string& bytes, std::uint64_t value, int size);
std::uint64_t littleEndian(std::string_view bytes);

enum class FieldKind : std::uint8_t { Varint, Fixed64, Bytes, Fixed32 };

struct Field {
    std::uint64_t number = 0;
    FieldKind kind = FieldKind::Varint;
    std::uint64_t value = 0;  // the varint, or the bits of a fixed field
    std::string_view bytes;
    /// Whether it has this number and kind.
    bool is(int wanted, FieldKind ofKind) const { return number == static_cast<std::uint64_t>(wanted) && kind == ofKind; }
    bool isBytes(int wanted) const { return is(wanted, FieldKind::Bytes); }
    double asDouble() const;
    float asFloat() const;
};

/// Iterates over the fields of one message, which must outlive it.
class FieldReader {
public:
    explicit FieldReader(std::string_view message) : m_rest(message) {}
    /// Reads the next field. Returns false at the end, or if the message is truncated or malformed: see isBroken.
    bool next(Field& field);
    bool isBroken() const { return m_isBroken; }

private:
    std::string_view m_rest;
    bool m_isBroken = false;
    bool takeVarint(std::uint64_t& value);
    bool take(std::size_t count, std::string_view& bytes);
    bool breakOff();
};

}  // namespace mantissa::protobuf
