// SPDX-License-Identifier: Apache-2.0
// The reader of MNIST's files against files of any kind. The first byte of the input says what the others are: 0, IDX files; 1, files of
// gzip; 2, IDX files that are packed here, with the check sum that a fuzzer would not find. Four files, each but the last one behind its
// length of two bytes.
#include <zlib.h>

#include <algorithm>

#include "engine/data/readers.h"
#include "tests/fuzz/input_folder.h"

namespace {

/// gzip with one stored block.
std::string packed(std::string_view bytes) {
    std::string file("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01", 11);
    const auto put = [&](std::uint64_t value, int count) {
        for (int i = 0; i < count; ++i) file += static_cast<char>(value >> (8 * i));
    };
    put(bytes.size(), 2);
    put(~bytes.size(), 2);
    file += bytes;
    put(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
    put(bytes.size(), 4);
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    static InputFolder plain, gzipped;
    Cutter input(data, size);
    const int kind = input.byte() % 3;
    const auto write = [&](const std::string& name, std::string_view bytes) {
        if (kind == 0) plain.write(name, bytes);
        if (kind == 1) gzipped.write(name + ".gz", bytes);
        if (kind == 2) gzipped.write(name + ".gz", packed(bytes));
    };
    write("train-images-idx3-ubyte", input.part());
    write("train-labels-idx1-ubyte", input.part());
    write("t10k-images-idx3-ubyte", input.part());
    write("t10k-labels-idx1-ubyte", input.rest());
    expectReadOrRefused<DataError>([&] {
        const Dataset read = readMnist({.name = "mnist", .path = (kind == 0 ? plain : gzipped).path()}).data;
        const auto features = static_cast<std::size_t>(read.features);
        require(read.trainInputs.size() == read.trainLabels.size() * features);
        require(read.validationInputs.size() == read.validationLabels.size() * features);
        for (const auto* inputs : {&read.trainInputs, &read.validationInputs})
            require(std::all_of(inputs->begin(), inputs->end(), [](float pixel) { return pixel >= 0 && pixel <= 1; }));
    });
    return 0;
}
