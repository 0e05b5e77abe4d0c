// SPDX-License-Identifier: Apache-2.0
// The reader of Hugging Face's trainer_state.json against text of any kind.
#include <sstream>

#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    mantissa::expectSoundOrRefused([&] {
        mantissa::RunBuilder builder("file", mantissa::RunBuilder::StepBack::Replaces);
        mantissa::readTrainerState(in, "file", builder);
        return builder.finish("run");
    });
    return 0;
}
