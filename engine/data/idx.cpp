// SPDX-License-Identifier: Apache-2.0
// MNIST's files. IDX: two zero bytes, the type (8: unsigned bytes), the number of dimensions, each of them as u32 big-endian, then the
// data.
#include <cstdio>

#include "engine/data/files.h"
#include "engine/data/readers.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kIdxClasses = 10;
constexpr float kPixelMax = 255;
/// deflate's limit: a bit pair may represent 258 bytes, plus a header. A larger announced size is invalid.
constexpr std::uint64_t kMostInflation = 1032;

struct Idx {
    fs::path file;
    std::vector<std::uint64_t> shape;
    std::string bytes;  // including the header
    std::size_t headerBytes = 0;
    std::uint8_t at(std::size_t i) const { return static_cast<std::uint8_t>(bytes[headerBytes + i]); }
};

/// The file, or the one with .gz appended.
fs::path present(const fs::path& folder, const char* name) {
    const fs::path plain = folder / name, packed = folder / (std::string(name) + ".gz");
    std::error_code error;
    if (fs::exists(plain, error)) return plain;
    if (fs::exists(packed, error)) return packed;
    refuseFile(plain, "there is no such file, nor one with .gz behind its name");
}

std::string hex(unsigned value) {
    char text[8];
    std::snprintf(text, sizeof text, "0x%02x", value & 0xffu);
    return text;
}

/// `images`: null if the file holds images, of 3 dimensions; else it holds as many labels, of 1 dimension.
Idx readIdx(const fs::path& file, const Idx* images) {
    const std::size_t dimensions = images == nullptr ? 3 : 1;
    const std::string stored = readFile(file);
    const bool isPacked = file.extension() == ".gz";
    Idx idx;
    idx.file = file;
    idx.headerBytes = 4 + 4 * dimensions;
    bool isWhole = true;
    const std::string header =
        isPacked ? gunzip(file, stored, static_cast<std::int64_t>(idx.headerBytes), isWhole) : stored.substr(0, idx.headerBytes);
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(header[i]); };
    if (header.size() < 4) refuseFile(file, "is of " + std::to_string(header.size()) + " bytes, shorter than the header of an IDX file");
    if (byte(0) != 0 || byte(1) != 0) refuseFile(file, "is not an IDX file: it does not begin with two zero bytes");
    if (byte(2) != 8) refuseFile(file, "holds values of type " + hex(byte(2)) + ", only 0x08, unsigned bytes, is read");
    if (byte(3) != dimensions)
        refuseFile(file, "has " + std::to_string(byte(3)) + " dimensions, not the " + std::to_string(dimensions) + " of " +
                             (dimensions == 3 ? "images" : "labels"));
    if (header.size() < idx.headerBytes) refuseFile(file, "ends within its header");

    std::uint64_t promised = idx.headerBytes, count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        const std::size_t at = 4 + 4 * d;
        idx.shape.push_back(std::uint64_t{byte(at)} << 24 | std::uint64_t{byte(at + 1)} << 16 | std::uint64_t{byte(at + 2)} << 8 |
                            byte(at + 3));
        if (idx.shape.back() == 0) refuseFile(file, "dimension " + std::to_string(d) + " is 0");
        if (__builtin_mul_overflow(count, idx.shape.back(), &count)) refuseFile(file, "its header promises more than 2^64 bytes");
    }
    if (__builtin_add_overflow(promised, count, &promised)) refuseFile(file, "its header promises more than 2^64 bytes");
    const std::string asPromised = "its header promises " + std::to_string(promised) + " bytes, ";
    if (!isPacked && stored.size() != promised) refuseFile(file, asPromised + "but it has " + std::to_string(stored.size()));
    if (isPacked && (promised / kMostInflation > stored.size() || promised > static_cast<std::uint64_t>(kMostDataBytes)))
        refuseFile(file, asPromised + "which its " + std::to_string(stored.size()) + " bytes of gzip cannot hold");
    if (images == nullptr) {
        requireFits("path", file.string() + ": holds", static_cast<double>(idx.shape[0]), static_cast<double>(count / idx.shape[0]));
    } else if (idx.shape[0] != images->shape[0]) {
        refuseFile(file, "holds " + std::to_string(idx.shape[0]) + " labels for the " + std::to_string(images->shape[0]) + " images of " +
                             images->file.filename().string());
    }
    if (!isPacked) {
        idx.bytes = stored;
        return idx;
    }
    idx.bytes = gunzip(file, stored, static_cast<std::int64_t>(promised) + 1, isWhole);  // one more byte than allowed
    if (!isWhole) refuseFile(file, asPromised + "but it has more");
    if (idx.bytes.size() != promised) refuseFile(file, asPromised + "but it has " + std::to_string(idx.bytes.size()));
    return idx;
}

struct Part {
    std::uint64_t height = 0, width = 0;
    std::vector<float>& inputs;
    std::vector<std::int32_t>& labels;
};

void readPart(const fs::path& images, const fs::path& labels, Part& part) {
    const Idx pixels = readIdx(images, nullptr);
    part.height = pixels.shape[1];
    part.width = pixels.shape[2];
    const std::uint64_t each = part.height * part.width;
    const Idx classes = readIdx(labels, &pixels);
    for (std::size_t i = 0; i < classes.shape[0]; ++i) {
        if (classes.at(i) >= kIdxClasses)
            refuseFile(labels, "label " + std::to_string(i) + " is " + std::to_string(classes.at(i)) + ", the largest is 9");
        part.labels.push_back(classes.at(i));
    }
    part.inputs.resize(static_cast<std::size_t>(pixels.shape[0] * each));
    for (std::size_t i = 0; i < part.inputs.size(); ++i) part.inputs[i] = static_cast<float>(pixels.at(i)) / kPixelMax;
}

}  // namespace

ReadData readMnist(const DataSettings& settings) {
    const fs::path folder = folderOf(settings, "MNIST's four files, as train-images-idx3-ubyte or train-images-idx3-ubyte.gz");
    ReadData read;
    for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
        read.files.push_back(present(folder, name));
    Dataset& data = read.data;
    data.credit = "MNIST: Y. LeCun, C. Cortes, C. Burges, 1998; or files in its format";
    Part train{.inputs = data.trainInputs, .labels = data.trainLabels};
    Part validation{.inputs = data.validationInputs, .labels = data.validationLabels};
    readPart(read.files[0], read.files[1], train);
    readPart(read.files[2], read.files[3], validation);
    const auto size = [](const Part& part) { return std::to_string(part.height) + "x" + std::to_string(part.width); };
    if (size(train) != size(validation))
        refuseFile(read.files[2], "its images are of " + size(validation) + " pixels, those that train of " + size(train));
    data.features = static_cast<std::int64_t>(train.height * train.width);
    data.image = {static_cast<std::int64_t>(train.height), static_cast<std::int64_t>(train.width), 1};
    data.classes = kIdxClasses;
    return read;
}

}  // namespace mantissa
