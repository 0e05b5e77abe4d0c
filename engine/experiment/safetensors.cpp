// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/safetensors.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "engine/experiment/json_reader.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

struct FileDtype {
    const char* name;
    std::uint64_t bytes;
    std::optional<Dtype> dtype;  // set for formats that weights can have
};
constexpr FileDtype kFileDtypes[] = {
    {"F32", 4, Dtype::F32}, {"F16", 2, Dtype::F16}, {"BF16", 2, Dtype::BF16}, {"F64", 8, {}}, {"I64", 8, {}},     {"U64", 8, {}},
    {"I32", 4, {}},         {"U32", 4, {}},         {"I16", 2, {}},           {"U16", 2, {}}, {"F8_E4M3", 1, {}}, {"F8_E5M2", 1, {}},
    {"I8", 1, {}},          {"U8", 1, {}},          {"BOOL", 1, {}},
};

const char* typeName(Dtype dtype) {
    return std::find_if(std::begin(kFileDtypes), std::end(kFileDtypes), [&](const FileDtype& d) { return d.dtype == dtype; })->name;
}

struct Entry {
    std::string name;
    std::optional<Dtype> dtype;  // nothing: not weights, not read
    Shape shape;
    std::uint64_t begin = 0, end = 0;  // within the data
};

class HeaderReader {
public:
    HeaderReader(std::string source, std::uint64_t dataBytes) : m_source(std::move(source)), m_dataBytes(dataBytes) {}

    std::vector<Entry> read(const std::string& text) const {
        if (!text.starts_with('{')) throw InputError(m_source, "", "the header does not begin with '{'");
        const Json header = readJson(text, m_source, kMaxHeaderBytes);
        std::vector<Entry> entries;
        for (const auto& [name, value] : header.items()) {
            if (name == "__metadata__") {
                checkMetadata(value);
            } else {
                entries.push_back(readEntry(name, value));
            }
        }
        checkCoverage(entries);
        return entries;
    }

private:
    std::string m_source;
    std::uint64_t m_dataBytes;

    [[noreturn]] void refuse(const std::string& name, const char* key, const std::string& sentence) const {
        throw InputError(m_source, pointerStep(name) + (*key != '\0' ? pointerStep(key) : ""), sentence);
    }

    void checkMetadata(const Json& metadata) const {
        if (!metadata.is_object()) refuse("__metadata__", "", "must be an object");
        for (const auto& [key, value] : metadata.items()) {
            if (!value.is_string()) refuse("__metadata__", key.c_str(), "must be text");
        }
    }

    Entry readEntry(const std::string& name, const Json& value) const {
        if (!value.is_object()) refuse(name, "", "must be an object");
        for (const char* key : {"dtype", "shape", "data_offsets"}) {
            if (!value.contains(key)) refuse(name, key, "is missing");
        }
        if (value.size() != 3) refuse(name, "", "has keys beside dtype, shape and data_offsets");

        const std::string dtype = value["dtype"].is_string() ? value["dtype"].get<std::string>() : value["dtype"].dump();
        const auto* known =
            std::find_if(std::begin(kFileDtypes), std::end(kFileDtypes), [&](const FileDtype& d) { return dtype == d.name; });
        if (known == std::end(kFileDtypes)) refuse(name, "dtype", "dtype '" + dtype + "' is not known");
        if (!known->dtype && !isBookkeeping(name)) refuse(name, "dtype", "weights are read from F32, F16 and BF16, not from " + dtype);

        Entry entry;
        entry.name = name;
        entry.dtype = known->dtype;
        std::uint64_t bytes = known->bytes;
        if (!value["shape"].is_array()) refuse(name, "shape", "must be a list of sizes");
        for (const Json& size : value["shape"]) {
            if (!size.is_number_unsigned() || !std::in_range<std::int64_t>(size.get<std::uint64_t>()))
                refuse(name, "shape", "sizes are whole numbers from 0");
            if (__builtin_mul_overflow(bytes, size.get<std::uint64_t>(), &bytes)) refuse(name, "shape", "is larger than 2^64 bytes");
            entry.shape.push_back(size.get<std::int64_t>());
        }
        const Json& offsets = value["data_offsets"];
        if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() || !offsets[1].is_number_unsigned()) {
            refuse(name, "data_offsets", "must be two byte offsets");
        }
        entry.begin = offsets[0].get<std::uint64_t>();
        entry.end = offsets[1].get<std::uint64_t>();
        if (entry.begin > entry.end) refuse(name, "data_offsets", "ends before it begins");
        if (entry.end > m_dataBytes)
            refuse(name, "data_offsets", "ends at byte " + std::to_string(entry.end) + " of " + std::to_string(m_dataBytes));
        if (entry.end - entry.begin != bytes) {
            refuse(name, "data_offsets",
                   "spans " + std::to_string(entry.end - entry.begin) + " bytes, the shape needs " + std::to_string(bytes));
        }
        return entry;
    }

    /// Requires that the entries cover the data exactly once.
    void checkCoverage(const std::vector<Entry>& entries) const {
        std::vector<const Entry*> order;
        for (const Entry& entry : entries) order.push_back(&entry);
        std::sort(order.begin(), order.end(),
                  [](const Entry* a, const Entry* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
        std::uint64_t end = 0;
        for (const Entry* entry : order) {
            if (entry->begin < end) refuse(entry->name, "data_offsets", "overlaps another tensor");
            if (entry->begin > end)
                refuse(entry->name, "data_offsets", "leaves a hole of " + std::to_string(entry->begin - end) + " bytes before it");
            end = entry->end;
        }
        if (end != m_dataBytes) throw InputError(m_source, "", "has " + std::to_string(m_dataBytes - end) + " bytes after the last tensor");
    }
};

std::uint64_t littleEndian(const char* bytes, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

void putLittleEndian(std::string& out, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string readBytes(std::istream& in, std::uint64_t count, const std::string& source) {
    std::string bytes(count, '\0');
    if (!in.read(bytes.data(), static_cast<std::streamsize>(count))) throw InputError(source, "", "cannot be read");
    return bytes;
}

std::vector<NamedTensor> readTensors(std::istream& in, std::uintmax_t size, const std::string& source) {
    if (size < 8) throw InputError(source, "", "is too short for a safetensors file");
    const std::uint64_t headerBytes = littleEndian(readBytes(in, 8, source).data(), 8);
    if (headerBytes > kMaxHeaderBytes) throw InputError(source, "", "is not a safetensors file, or its header is longer than 100 MB");
    if (headerBytes > size - 8)
        throw InputError(source, "", "the header of " + std::to_string(headerBytes) + " bytes is longer than the file");
    const std::uint64_t dataBegin = 8 + headerBytes;
    const std::vector<Entry> entries = HeaderReader(source, size - dataBegin).read(readBytes(in, headerBytes, source));

    std::vector<NamedTensor> tensors;
    for (const Entry& entry : entries) {
        if (!entry.dtype) continue;
        in.seekg(static_cast<std::streamoff>(dataBegin + entry.begin));
        const std::string bytes = readBytes(in, entry.end - entry.begin, source);
        const std::size_t width = facts(*entry.dtype).storageBytes();
        NamedTensor tensor{entry.name, entry.shape, std::vector<float>(bytes.size() / width)};
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            tensor.values[i] = decodeBits(*entry.dtype, static_cast<std::uint32_t>(littleEndian(bytes.data() + i * width, width)));
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace

std::vector<NamedTensor> readSafetensors(const fs::path& path) {
    const std::string source = path.string();
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw InputError(source, "", "there is no such file");
    if (!fs::is_regular_file(status)) throw InputError(source, "", "is not a file");
    const std::uintmax_t size = fs::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    if (error || !in) throw InputError(source, "", "cannot be read");
    return readTensors(in, size, source);
}

std::vector<NamedTensor> parseSafetensors(std::string_view bytes, const std::string& source) {
    std::istringstream in{std::string(bytes)};
    return readTensors(in, bytes.size(), source);
}

void writeSafetensors(const fs::path& path, const std::vector<NamedTensor>& tensors) {
    Json header = Json::object();
    std::uint64_t end = 0;
    for (const NamedTensor& tensor : tensors) {
        const std::uint64_t begin = end;
        end += tensor.values.size() * facts(tensor.dtype).storageBytes();
        header[tensor.name] = {{"dtype", typeName(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');  // data starts at a multiple of 8
    std::string bytes;
    putLittleEndian(bytes, text.size(), 8);
    bytes += text;
    for (const NamedTensor& tensor : tensors) {
        for (const float value : tensor.values) putLittleEndian(bytes, encodeBits(tensor.dtype, value), facts(tensor.dtype).storageBytes());
    }

    fs::path unfinished = path;
    unfinished += ".part-" + std::to_string(getpid());
    std::ofstream out(unfinished, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    std::error_code error;
    if (out) fs::rename(unfinished, path, error);
    if (!out || error) {
        std::error_code ignored;
        fs::remove(unfinished, ignored);
        throw std::runtime_error(path.string() + ": cannot be written");
    }
}

}  // namespace mantissa
