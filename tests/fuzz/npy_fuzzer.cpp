// SPDX-License-Identifier: Apache-2.0
// The reader of NumPy's files against files of any kind. The first byte of the input says how many there are: x.npy and y.npy, or two for
// validation as well. The others are these files, each but the last one behind its length of two bytes.
#include <algorithm>

#include "engine/data/readers.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    static InputFolder two, four;
    Cutter input(data, size);
    InputFolder& folder = input.byte() % 2 == 0 ? two : four;
    folder.write("x.npy", input.part());
    if (&folder == &four) {
        folder.write("x_val.npy", input.part());
        folder.write("y_val.npy", input.part());
    }
    folder.write("y.npy", input.rest());
    expectReadOrRefused<DataError>([&] {
        const Dataset read = readNpyPairs({.name = "npy", .path = folder.path()}).data;
        const auto features = static_cast<std::size_t>(read.features);
        require(read.trainInputs.size() == static_cast<std::size_t>(read.trainCount()) * features);
        require(read.validationInputs.size() == static_cast<std::size_t>(read.validationCount()) * features);
        for (const auto* labels : {&read.trainLabels, &read.validationLabels})
            require(std::all_of(labels->begin(), labels->end(), [&](std::int32_t label) { return label >= 0 && label < read.classes; }));
    });
    return 0;
}
