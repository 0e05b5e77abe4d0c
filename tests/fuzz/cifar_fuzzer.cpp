// SPDX-License-Identifier: Apache-2.0
// The reader of CIFAR-10's files against files of any kind. Six bytes of the input, one for each file, say how many records it has and how
// many bytes besides; the others, over and over again, are what the files hold.
#include <algorithm>

#include "engine/data/readers.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    constexpr std::size_t kRecord = 3073;
    static InputFolder folder;
    Cutter input(data, size);
    std::size_t sizes[6];
    for (std::size_t& bytes : sizes) {
        const std::size_t byte = input.byte();
        bytes = byte % 3 * kRecord + byte / 64;
    }
    std::string content(input.rest());
    if (content.empty()) content = "\1";
    while (content.size() < 5 * kRecord) content += content;
    for (std::size_t i = 0; i < 6; ++i)  // each begins at another place of the pattern
        folder.write(i < 5 ? "data_batch_" + std::to_string(i + 1) + ".bin" : "test_batch.bin",
                     std::string_view(content).substr(i * kRecord / 2, sizes[i]));
    expectReadOrRefused<DataError>([&] {
        const Dataset read = readCifar10({.name = "cifar10", .path = folder.path()}).data;
        require(read.trainInputs.size() == read.trainLabels.size() * (kRecord - 1));
        require(read.validationInputs.size() == read.validationLabels.size() * (kRecord - 1));
        for (const auto* labels : {&read.trainLabels, &read.validationLabels})
            require(std::all_of(labels->begin(), labels->end(), [](std::int32_t label) { return label >= 0 && label < 10; }));
    });
    return 0;
}
