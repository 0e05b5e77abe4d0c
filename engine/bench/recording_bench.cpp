// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>

#include "engine/bench/bench.h"
#include "engine/bench/endless.h"

namespace mantissa {
std::vector<BenchResult> benchRecording() {
    constexpr std::int64_t kSteps = 2000;  // a second or so: several of the writer's transactions
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mantissa-bench-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    BenchResult result;
    {
        Endless recorded((folder / "bench.mantissa").string()), bare("");
        result =
            resultOf(runPaired([&] { return recorded.block(kSteps); }, [&] { return bare.block(kSteps); }, 25), "recording",
                     std::string(kEndlessExperiment) + ": steps of a session that is recorded", "the same session, not recorded", 1.02);
    }
    std::filesystem::remove_all(folder);
    return {result};
}

}  // namespace mantissa
