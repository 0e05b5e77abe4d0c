// SPDX-License-Identifier: Apache-2.0
// Records `steps a second` synthetic steps into PATH until it is killed, and writes each one's number and time to standard output before
// it hands it on. Arguments: PATH STEPS_A_SECOND.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "recording_child.h"
#include "recordings.h"

int main(int count, char** arguments) {
    using namespace mantissa;
    if (count != 3) return 2;
    Recorder recorder(arguments[1], {}, {});
    const auto pause = std::chrono::nanoseconds(1'000'000'000 / std::atoi(arguments[2]));
    auto due = std::chrono::steady_clock::now();
    for (std::int64_t step = 0;; ++step, due += pause) {
        std::this_thread::sleep_until(due);
        const test::Stamp stamp{step, test::monotonicNs()};
        const StepRecord record = test::syntheticStep(step);
        recorder.append(0, std::span(&record, 1));
        if (write(STDOUT_FILENO, &stamp, sizeof stamp) != sizeof stamp) return 3;
        if (step % 40 == 39) {
            recorder.append({.kind = "note", .run = 0, .step = step, .body = {{"at", step}}});
            recorder.append({.run = 0, .step = step + 1, .head = Json::object(), .state = std::vector<std::byte>(200'000, std::byte{1})});
        }
    }
}
