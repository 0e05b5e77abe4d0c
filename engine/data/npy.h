// SPDX-License-Identifier: Apache-2.0
// Reads NumPy's .npy: magic, version 1 to 3, a header that is a Python dictionary, little-endian values in C order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mantissa {

enum class NpyType : std::uint8_t { Float32, Float64, UInt8, Int32, Int64 };

struct NpyArray {
    NpyType type = NpyType::Float32;
    std::vector<std::int64_t> shape;  // at least one dimension
    std::string bytes;                // of the whole file
    std::size_t begin = 0;            // first byte of the values
    bool isFloat() const { return type == NpyType::Float32 || type == NpyType::Float64; }
    std::int64_t count() const;
    /// Element i, rounded once to fp32; infinite beyond fp32's range.
    float number(std::size_t i) const;
    /// Element i of an integer array.
    std::int64_t whole(std::size_t i) const;
};

/// Reads an array. Throws DataError with the file's name for any other file.
NpyArray readNpy(const std::filesystem::path& file);

}  // namespace mantissa
