// SPDX-License-Identifier: Apache-2.0
// The reader of safetensors against files of any kind, and the fitting of what it reads to a model. The first byte of the input says what
// the others are: 0, a file; 1, a header, which gets its length in front and the data behind it that its last offset asks for.
#include <algorithm>

#include "engine/experiment/checkpoint.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/safetensors.h"
#include "tests/fuzz/refusal.h"

namespace {

using namespace mantissa;

/// The largest number in the text, but no more than a file that a fuzzer would make.
std::size_t dataBytesOf(std::string_view header) {
    constexpr std::size_t kMost = 4096;
    std::size_t largest = 0, number = 0;
    for (const char c : header) {
        number = c >= '0' && c <= '9' ? std::min(10 * number + static_cast<std::size_t>(c - '0'), kMost + 1) : 0;
        if (number <= kMost) largest = std::max(largest, number);
    }
    return largest;
}

std::string fileWith(std::string_view header) {
    std::string file(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
    return file.append(header).append(dataBytesOf(header), '\x3f');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const std::vector<ParameterShape> kShapes =
        parameterShapes({.kind = "gpt", .nLayer = 1, .nHead = 1, .nEmbd = 2}, {.classes = 3, .context = 2});
    const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    expectReadOrRefused<InputError>([&] {
        std::vector<NamedTensor> tensors = parseSafetensors(data[0] % 2 == 0 ? std::string(rest) : fileWith(rest), "w.safetensors");
        for (const NamedTensor& tensor : tensors) {
            std::size_t count = 1;
            for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
            require(tensor.values.size() == count);
        }
        require(matchWeights(std::move(tensors), kShapes, "w.safetensors").size() == kShapes.size());
    });
    return 0;
}
