// SPDX-License-Identifier: Apache-2.0
#include "engine/data/files.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <memory>

namespace mantissa {

namespace fs = std::filesystem;

void refuseFile(const fs::path& file, const std::string& sentence) {
    throw DataError("path", file.string() + ": " + sentence);
}

std::string readFile(const fs::path& file, std::int64_t most) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) refuseFile(file, "there is no such file");
    if (error) refuseFile(file, "cannot be read: " + error.message());
    if (!fs::is_regular_file(status)) refuseFile(file, "is not a file");
    const std::uintmax_t size = fs::file_size(file, error);
    if (error) refuseFile(file, "cannot be read: " + error.message());
    if (size > static_cast<std::uintmax_t>(most))
        refuseFile(file, "is of " + std::to_string(size) + " bytes, the most that is read is " + std::to_string(most));
    std::ifstream in(file, std::ios::binary);
    std::string bytes(size, '\0');
    if (!in || !in.read(bytes.data(), static_cast<std::streamsize>(size))) refuseFile(file, "cannot be read");
    return bytes;
}

fs::path folderOf(const DataSettings& settings, const char* holds) {
    const fs::path folder = settings.path;
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (!fs::exists(status)) refuseFile(folder, std::string("there is no such folder; one is wanted that holds ") + holds);
    if (!fs::is_directory(status)) refuseFile(folder, std::string("is not a folder; one is wanted that holds ") + holds);
    return folder;
}

std::string gunzip(const fs::path& file, std::string_view packed, std::int64_t most, bool& isWhole) {
    z_stream stream{};
    constexpr int kGzip = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
    std::string bytes;
    std::size_t taken = 0;
    int status = Z_OK;
    while (status == Z_OK && static_cast<std::int64_t>(bytes.size()) < most) {
        if (stream.avail_in == 0) {  // zlib's counts have 32 bits
            const std::size_t next = std::min<std::size_t>(packed.size() - taken, 1u << 30);
            stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data() + taken));
            stream.avail_in = static_cast<uInt>(next);
            taken += next;
        }
        char block[1 << 16];
        const std::size_t room = std::min(sizeof block, static_cast<std::size_t>(most) - bytes.size());
        stream.next_out = reinterpret_cast<unsigned char*>(block);
        stream.avail_out = static_cast<uInt>(room);
        status = inflate(&stream, Z_NO_FLUSH);
        bytes.append(block, room - stream.avail_out);
    }
    isWhole = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR) refuseFile(file, "its gzip data is cut short");
    if (status != Z_OK && status != Z_STREAM_END) refuseFile(file, "its gzip data is damaged");
    if (isWhole && (stream.avail_in > 0 || taken < packed.size())) refuseFile(file, "holds more behind the end of its gzip data");
    return bytes;
}

void requireFits(const std::string& key, const std::string& what, double samples, double valuesEach) {
    const double bytes = samples * valuesEach * static_cast<double>(sizeof(float));
    if (samples > std::numeric_limits<std::int32_t>::max())
        throw DataError(key, what + " more than 2^31 - 1 samples, the most that can be counted");
    if (bytes > static_cast<double>(kMostDataBytes))
        throw DataError(key, what + " more than 8 GiB of fp32, the most that is held in memory");
}

}  // namespace mantissa
