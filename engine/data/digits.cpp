// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <charconv>
#include <stdexcept>

#include "engine/data/dataset.h"
#include "resources/embedded.h"

namespace mantissa {
namespace {

constexpr std::int64_t kFeatures = 64, kClasses = 10, kTrainCount = 1437;
constexpr float kPixelMax = 16;

std::string inflateEmbedded(std::string_view path) {
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.path != path) continue;
        z_stream stream{};
        constexpr int kGzip = 16 + MAX_WBITS;
        if (inflateInit2(&stream, kGzip) != Z_OK) throw std::runtime_error("zlib could not start");
        stream.next_in = const_cast<unsigned char*>(file.bytes.data());
        stream.avail_in = static_cast<uInt>(file.bytes.size());
        std::string text;
        int status = Z_OK;
        while (status == Z_OK) {
            char block[1 << 16];
            stream.next_out = reinterpret_cast<unsigned char*>(block);
            stream.avail_out = sizeof block;
            status = inflate(&stream, Z_NO_FLUSH);
            text.append(block, sizeof block - stream.avail_out);
        }
        inflateEnd(&stream);
        if (status != Z_STREAM_END) throw std::runtime_error("the embedded " + std::string(path) + " is damaged");
        return text;
    }
    throw std::runtime_error("this build carries no " + std::string(path));
}

/// A line: 64 pixels of 0..16 and the label, separated by commas.
std::shared_ptr<const Dataset> parseDigits(const std::string& text) {
    auto data = std::make_shared<Dataset>();
    data->name = "digits";
    data->credit = "E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI, 1998";
    data->features = kFeatures;
    data->classes = kClasses;
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::int64_t sample = 0; at < end; ++sample) {
        const bool trains = sample < kTrainCount;
        std::vector<float>& inputs = trains ? data->trainInputs : data->validationInputs;
        for (std::int64_t column = 0; column <= kFeatures; ++column) {
            int value = 0;
            const auto [next, error] = std::from_chars(at, end, value);
            if (error != std::errc()) throw std::runtime_error("the embedded digits are damaged");
            at = next < end ? next + 1 : next;
            if (column < kFeatures) {
                inputs.push_back(static_cast<float>(value) / kPixelMax);
            } else {
                (trains ? data->trainLabels : data->validationLabels).push_back(value);
            }
        }
        while (at < end && (*at == '\n' || *at == '\r')) ++at;
    }
    return data;
}

}  // namespace

const std::vector<std::string>& datasetNames() {
    static const std::vector<std::string> kNames{"digits"};
    return kNames;
}

std::shared_ptr<const Dataset> loadDataset(const std::string& name) {
    if (name != "digits") throw std::invalid_argument("data set '" + name + "' is not known");
    static const std::shared_ptr<const Dataset> kDigits = parseDigits(inflateEmbedded("data/digits.csv.gz"));
    return kDigits;
}

}  // namespace mantissa
