// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npy.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "engine/data/files.h"

namespace mantissa {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kMostHeaderBytes = 64 << 10;
constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit

struct TypeFacts {
    const char* descr;
    NpyType type;
    std::int64_t bytes;
};
constexpr TypeFacts kTypes[] = {{"<f4", NpyType::Float32, 4},
                                {"<f8", NpyType::Float64, 8},
                                {"|u1", NpyType::UInt8, 1},
                                {"<i4", NpyType::Int32, 4},
                                {"<i8", NpyType::Int64, 8}};

/// The header's dictionary: 'descr' text, 'fortran_order' True or False, 'shape' a tuple of integers; each once, in any order.
class Header {
public:
    Header(const std::filesystem::path& file, std::string_view text) : m_file(file), m_text(text) {}

    void read() {
        expect('{');
        while (!take('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr" && !m_descr) {
                m_descr = readDescr();
            } else if (key == "fortran_order" && !m_isFortran) {
                m_isFortran = readBool();
            } else if (key == "shape" && !m_shape) {
                m_shape = readShape();
            } else {
                refuse("its header has the key '" + key + "' twice, or should not have it");
            }
            if (!take(',')) {
                expect('}');
                break;
            }
        }
        skipSpace();
        if (m_at < m_text.size()) refuse("its header goes on behind the dictionary");
        if (!m_descr || !m_isFortran || !m_shape) refuse("its header lacks 'descr', 'fortran_order' or 'shape'");
        if (*m_isFortran) refuse("is in Fortran's order, only C's is read (numpy.ascontiguousarray)");
    }
    const std::string& descr() const { return *m_descr; }
    const std::vector<std::int64_t>& shape() const { return *m_shape; }

private:
    const std::filesystem::path& m_file;
    std::string_view m_text;
    std::size_t m_at = 0;
    std::optional<std::string> m_descr;
    std::optional<bool> m_isFortran;
    std::optional<std::vector<std::int64_t>> m_shape;

    [[noreturn]] void refuse(const std::string& sentence) const { refuseFile(m_file, sentence); }
    void skipSpace() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) ++m_at;
    }
    bool take(char c) {
        skipSpace();
        if (m_at == m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    void expect(char c) {
        if (!take(c)) refuse("its header is no dictionary: '" + std::string(1, c) + "' is missing at its byte " + std::to_string(m_at));
    }
    std::string quoted() {
        const char quote = take('"') ? '"' : '\'';
        if (quote == '\'') expect('\'');
        const std::size_t end = m_text.find(quote, m_at);
        if (end == std::string_view::npos) refuse("its header has a text that does not end");
        const std::string text(m_text.substr(m_at, end - m_at));
        m_at = end + 1;
        return text;
    }
    std::string readDescr() {
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] == '[') refuse("holds records of several fields, only plain numbers are read");
        return quoted();
    }
    bool readBool() {
        skipSpace();
        for (const std::string_view word : {"True", "False"}) {
            if (!m_text.substr(m_at).starts_with(word)) continue;
            m_at += word.size();
            return word == "True";
        }
        refuse("its header's 'fortran_order' is neither True nor False");
    }
    std::vector<std::int64_t> readShape() {
        std::vector<std::int64_t> shape;
        expect('(');
        while (!take(')')) {
            skipSpace();
            std::int64_t size = 0;
            const char* begin = m_text.data() + m_at;
            const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), size);
            if (error != std::errc() || size < 0) refuse("its shape is not a list of whole numbers from 0");
            if (shape.size() == kMostDimensions) refuse("has more than 32 dimensions");
            m_at += static_cast<std::size_t>(end - begin);
            shape.push_back(size);
            if (!take(',')) {
                expect(')');
                break;
            }
        }
        return shape;
    }
};

template <typename T>
T valueAt(const NpyArray& array, std::size_t i) {
    T value;
    std::memcpy(&value, array.bytes.data() + array.begin + i * sizeof(T), sizeof(T));
    return value;
}

}  // namespace

std::int64_t NpyArray::count() const {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) product *= size;
    return product;
}

float NpyArray::number(std::size_t i) const {
    if (type == NpyType::Float32) return valueAt<float>(*this, i);
    if (type == NpyType::Float64) return static_cast<float>(valueAt<double>(*this, i));
    return static_cast<float>(whole(i));
}

std::int64_t NpyArray::whole(std::size_t i) const {
    if (type == NpyType::UInt8) return valueAt<std::uint8_t>(*this, i);
    if (type == NpyType::Int32) return valueAt<std::int32_t>(*this, i);
    return valueAt<std::int64_t>(*this, i);
}

NpyArray readNpy(const std::filesystem::path& file) {
    NpyArray array;
    array.bytes = readFile(file);
    const std::string_view bytes = array.bytes;
    if (!bytes.starts_with("\x93NUMPY")) refuseFile(file, "is not a .npy file: it does not begin with \\x93NUMPY");
    if (bytes.size() < 8) refuseFile(file, "ends within its header");
    const int version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3 || bytes[7] != 0)
        refuseFile(file, "is of version " + std::to_string(version) + "." + std::to_string(static_cast<unsigned char>(bytes[7])) +
                             ", only 1.0 to 3.0 are read");
    const std::size_t lengthBytes = version == 1 ? 2 : 4, headerAt = 8 + lengthBytes;
    if (bytes.size() < headerAt) refuseFile(file, "ends within its header");
    std::size_t headerBytes = 0;
    std::memcpy(&headerBytes, bytes.data() + 8, lengthBytes);
    if (headerBytes > kMostHeaderBytes) refuseFile(file, "its header is longer than 64 KiB");
    if (headerBytes > bytes.size() - headerAt) refuseFile(file, "ends within its header");
    Header header(file, bytes.substr(headerAt, headerBytes));
    header.read();

    const TypeFacts* known = nullptr;
    for (const TypeFacts& facts : kTypes) {
        if (header.descr() == facts.descr) known = &facts;
    }
    if (known == nullptr) refuseFile(file, "holds values of type '" + header.descr() + "', only <f4 <f8 |u1 <i4 <i8 are read");
    array.type = known->type;
    array.shape = header.shape();
    array.begin = headerAt + headerBytes;
    if (array.shape.empty()) refuseFile(file, "is a single value, not an array");
    std::int64_t promised = known->bytes;
    for (const std::int64_t size : array.shape) {
        if (__builtin_mul_overflow(promised, size, &promised)) refuseFile(file, "its shape is larger than 2^63 bytes");
    }
    if (static_cast<std::uint64_t>(promised) != bytes.size() - array.begin)
        refuseFile(file, "its shape wants " + std::to_string(promised) + " bytes of values, and it has " +
                             std::to_string(bytes.size() - array.begin));
    return array;
}

}  // namespace mantissa
