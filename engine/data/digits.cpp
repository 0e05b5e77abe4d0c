// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "engine/data/embedded_file.h"
#include "engine/data/files.h"
#include "engine/data/readers.h"

namespace mantissa {
namespace {

constexpr std::int64_t kSide = 8, kDigits = 10, kTrainCount = 1437;
constexpr float kDarkest = 16;

/// A line: 64 pixels of 0..16 and the label, separated by commas.
Dataset parseDigits(const std::string& text) {
    Dataset data;
    data.credit = "E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI, 1998";
    data.features = kSide * kSide;
    data.image = {kSide, kSide, 1};
    data.classes = kDigits;
    const char* at = text.data();
    const char* end = at + text.size();
    for (std::int64_t sample = 0; at < end; ++sample) {
        const bool trains = sample < kTrainCount;
        std::vector<float>& inputs = trains ? data.trainInputs : data.validationInputs;
        for (std::int64_t column = 0; column <= data.features; ++column) {
            int value = 0;
            const auto [next, error] = std::from_chars(at, end, value);
            if (error != std::errc()) throw std::runtime_error("the embedded digits are damaged");
            at = next < end ? next + 1 : next;
            if (column < data.features) {
                inputs.push_back(static_cast<float>(value) / kDarkest);
            } else {
                (trains ? data.trainLabels : data.validationLabels).push_back(value);
            }
        }
        while (at < end && (*at == '\n' || *at == '\r')) ++at;
    }
    return data;
}

}  // namespace

ReadData readDigits(const DataSettings&) {
    constexpr const char* kFile = "data/digits.csv.gz";
    bool isWhole = false;
    return {parseDigits(gunzip(kFile, embeddedText(kFile), kMostDataBytes, isWhole)), {}};
}

}  // namespace mantissa
