// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/bench.h"
#include "engine/bench/endless.h"
#include "engine/recording/temporary_folder.h"

namespace mantissa {
std::vector<BenchResult> benchRecording() {
    constexpr std::int64_t kSteps = 2000;  // about a second: several of the writer's transactions
    const TemporaryFolder folder;
    BenchResult result;
    {
        Endless recorded((folder.path() / "bench.mantissa").string()), bare("");
        result =
            resultOf(runPaired([&] { return recorded.block(kSteps); }, [&] { return bare.block(kSteps); }, 25), "recording",
                     std::string(kEndlessExperiment) + ": steps of a session that is recorded", "the same session, not recorded", 1.02);
    }
    return {result};
}

}  // namespace mantissa
