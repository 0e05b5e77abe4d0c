// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npy_write.h"

#include <zlib.h>

#include <bit>
#include <limits>
#include <stdexcept>

namespace mantissa {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

template <typename T>
std::string npy(const char* type, std::span<const T> values, const std::vector<std::int64_t>& shape) {
    std::string dimensions;
    for (const std::int64_t size : shape) dimensions += std::to_string(size) + ", ";
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + dimensions + "), }";
    constexpr std::size_t kPrefix = 10, kAlignment = 64;
    header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
    header += '\n';
    std::string out("\x93NUMPY\x01\x00", 8);
    put(out, header.size(), 2);
    out += header;
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return out;
}

// PKWARE's APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr int kVersion = 20, kFirstDay = 0x21;  // 1980-01-01: equal arrays give equal files

/// Fields that the local header and the directory share: version to the lengths of name and extra field.
std::string memberFacts(const std::string& name, const std::string& bytes) {
    std::string facts;
    put(facts, kVersion, 2);
    put(facts, 0, 2);  // flags
    put(facts, 0, 2);  // stored
    put(facts, 0, 2);  // midnight
    put(facts, kFirstDay, 2);
    put(facts, crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
    put(facts, bytes.size(), 4);
    put(facts, bytes.size(), 4);
    put(facts, name.size(), 2);
    put(facts, 0, 2);
    return facts;
}

}  // namespace

std::string npyBytes(std::span<const float> values, const std::vector<std::int64_t>& shape) {
    return npy("<f4", values, shape);
}

std::string npyBytes(std::span<const std::int32_t> values, const std::vector<std::int64_t>& shape) {
    return npy("<i4", values, shape);
}

std::string npzBytes(const std::vector<std::pair<std::string, std::string>>& arrays) {
    std::string out, directory;
    for (const auto& [array, bytes] : arrays) {
        const std::string name = array + ".npy", facts = memberFacts(name, bytes);
        put(directory, kCentral, 4);
        put(directory, kVersion, 2);
        directory += facts;
        put(directory, 0, 2);  // comment
        put(directory, 0, 2);  // disk
        put(directory, 0, 2);  // attributes
        put(directory, 0, 4);
        put(directory, out.size(), 4);
        directory += name;
        put(out, kLocal, 4);
        out += facts + name;
        out += bytes;
    }
    const std::size_t begin = out.size();
    if (begin > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("an .npz file ends at 4 GiB");
    out += directory;
    put(out, kEnd, 4);
    put(out, 0, 4);  // disks
    put(out, arrays.size(), 2);
    put(out, arrays.size(), 2);
    put(out, directory.size(), 4);
    put(out, begin, 4);
    put(out, 0, 2);  // comment
    return out;
}

}  // namespace mantissa
