// SPDX-License-Identifier: Apache-2.0
// The reader of experiments against text of any kind. An experiment that is read can be written, and is the same when it is read again.
#include <cstdint>
#include <optional>

#include "engine/experiment/experiment.h"
#include "tests/fuzz/refusal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::optional<Experiment> experiment;
    expectReadOrRefused<InputError>([&] { experiment = parseExperiment(text, "experiment.json"); });
    if (!experiment || size % 4 != 0) return 0;  // one in four is written: that takes three times as long as reading it
    const std::string written = writeExperiment(*experiment);
    require(writeExperiment(parseExperiment(written, "experiment.json")) == written);
    return 0;
}
