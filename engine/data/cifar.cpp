// SPDX-License-Identifier: Apache-2.0
// CIFAR-10, binary version: records of a label and 32x32 pixels, the red plane first, then green, then blue.
#include <array>

#include "engine/data/files.h"
#include "engine/data/readers.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCifarSide = 32, kPlane = kCifarSide * kCifarSide, kChannels = 3, kRecord = 1 + kChannels * kPlane;
constexpr std::int64_t kCifarClasses = 10;
// Of the 50,000 training images / 255, as in common CIFAR-10 recipes. Constants, so that subsets are scaled alike.
constexpr double kMean[kChannels] = {0.4914, 0.4822, 0.4465}, kDeviation[kChannels] = {0.2470, 0.2435, 0.2616};

/// The value of each byte of a channel.
using Levels = std::array<std::array<float, 256>, kChannels>;
Levels makeLevels() {
    Levels levels;
    for (std::size_t c = 0; c < kChannels; ++c) {
        for (std::size_t byte = 0; byte < 256; ++byte)
            levels[c][byte] = static_cast<float>((static_cast<double>(byte) / 255.0 - kMean[c]) / kDeviation[c]);
    }
    return levels;
}

void readRecords(const fs::path& file, std::vector<float>& inputs, std::vector<std::int32_t>& labels) {
    static const Levels kLevels = makeLevels();
    const std::string bytes = readFile(file);
    if (bytes.empty()) refuseFile(file, "is empty");
    if (bytes.size() % kRecord != 0)
        refuseFile(file, "is of " + std::to_string(bytes.size()) + " bytes, not a multiple of " + std::to_string(kRecord));
    const std::size_t count = bytes.size() / kRecord;
    requireFits("path", file.string() + ": with it the data set holds", static_cast<double>(labels.size() + count), kRecord - 1);
    const std::size_t before = inputs.size();
    inputs.resize(before + count * (kRecord - 1));
    float* out = inputs.data() + before;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* record = reinterpret_cast<const unsigned char*>(bytes.data()) + i * kRecord;
        if (record[0] >= kCifarClasses)
            refuseFile(file, "label " + std::to_string(i) + " is " + std::to_string(record[0]) + ", the largest is 9");
        labels.push_back(record[0]);
        for (std::size_t c = 0; c < kChannels; ++c) {
            const unsigned char* plane = record + 1 + c * kPlane;
            const float* levels = kLevels[c].data();
            for (std::size_t pixel = 0; pixel < kPlane; ++pixel) out[pixel * kChannels + c] = levels[plane[pixel]];
        }
        out += kChannels * kPlane;
    }
}

}  // namespace

ReadData readCifar10(const DataSettings& settings) {
    const fs::path folder = folderOf(settings, "CIFAR-10's binary files, data_batch_1.bin to data_batch_5.bin and test_batch.bin");
    ReadData read;
    Dataset& data = read.data;
    data.credit = "CIFAR-10: A. Krizhevsky, 2009; or files in its format";
    data.features = kRecord - 1;
    data.image = {kCifarSide, kCifarSide, kChannels};
    data.classes = kCifarClasses;
    for (int batch = 1; batch <= 5; ++batch) {
        read.files.push_back(folder / ("data_batch_" + std::to_string(batch) + ".bin"));
        readRecords(read.files.back(), data.trainInputs, data.trainLabels);
    }
    read.files.push_back(folder / "test_batch.bin");
    readRecords(read.files.back(), data.validationInputs, data.validationLabels);
    return read;
}

}  // namespace mantissa
