// SPDX-License-Identifier: Apache-2.0
// Small true files of each format, byte by byte, and a folder to put them in.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace mantissa {

inline std::string bigEndian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
}

/// An IDX file of unsigned bytes; `values` may be of another number than `shape` says.
inline std::string idxFile(const std::vector<std::uint32_t>& shape, const std::string& values) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(shape.size())};
    for (const std::uint32_t size : shape) bytes += bigEndian(size);
    return bytes + values;
}

inline std::string gzip(const std::string& bytes) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&stream, bytes.size()), '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// `header` as given, padded as NumPy pads it.
inline std::string npyFile(std::string header, const std::string& values, int version = 1) {
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    while ((8 + lengthBytes + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (std::size_t i = 0; i < lengthBytes; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
    return bytes + header + values;
}

inline std::string npyHeader(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

/// Values in this machine's order, which is the files'.
template <typename T>
std::string packed(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// A folder of a test's own.
class DataFolder {
public:
    DataFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_data_XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        m_path = pattern;
    }
    ~DataFolder() { std::filesystem::remove_all(m_path); }
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    void write(const std::string& name, const std::string& bytes) const { std::ofstream(m_path / name, std::ios::binary) << bytes; }

    /// Three images of 2x3 that train and one that validates.
    void writeMnist() const {
        write("train-images-idx3-ubyte", idxFile({3, 2, 3}, std::string("\x00\x01\x02\x03\x04\x05", 6) + std::string(11, '\x33') + '\xff'));
        write("train-labels-idx1-ubyte", idxFile({3}, std::string("\x07\x00\x09", 3)));
        write("t10k-images-idx3-ubyte", idxFile({1, 2, 3}, std::string(6, '\x66')));
        write("t10k-labels-idx1-ubyte", idxFile({1}, "\x04"));
    }
    static std::string cifarRecord(int label, int seed) {
        std::string record(3073, static_cast<char>(label));
        for (int i = 0; i < 3072; ++i) record[static_cast<std::size_t>(1 + i)] = static_cast<char>(i * 7 + seed);
        return record;
    }
    /// Two records in each of the five batches, one that validates.
    void writeCifar() const {
        for (int b = 1; b <= 5; ++b) write("data_batch_" + std::to_string(b) + ".bin", cifarRecord(b, b) + cifarRecord(9 - b, 100 + b));
        write("test_batch.bin", cifarRecord(0, 50));
    }
    /// Five samples of two features with labels 0, 1, 2.
    void writeNpy() const {
        write("x.npy", npyFile(npyHeader("<f4", "(5, 2)"), packed<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
        write("y.npy", npyFile(npyHeader("<i8", "(5,)"), packed<std::int64_t>({0, 1, 2, 1, 0})));
    }

private:
    std::filesystem::path m_path;
};

}  // namespace mantissa
