// SPDX-License-Identifier: Apache-2.0
// Engines that go wrong: `broken_engine HOW`.
//   garbage      bytes that are no frames          future   a protocol of a later version
//   no-hello     speaks before it has greeted      exit     last words on standard error, then exit code 3
//   leap         a hello, an experiment, and a record of step 10^12
//   flood        a hello, an experiment, and many thousand frames of records at once, then waits
#include <cstdio>
#include <string>

#include "engine/wire/wire.h"

namespace {

void send(const mantissa::Event& event) {
    const auto frame = mantissa::encode(event);
    std::fwrite(frame.data(), 1, frame.size(), stdout);
}

mantissa::Hello hello(std::int32_t protocol) {
    mantissa::Hello event;
    event.protocol = protocol;
    return event;
}

void sendExperiment() {
    send(hello(mantissa::kProtocolVersion));
    mantissa::ExperimentLoaded loaded;
    loaded.runs.resize(1);
    loaded.runs[0].settings.name = "only";
    send(loaded);
}

void sendStep(std::int64_t step) {
    mantissa::StepsRecorded steps;
    steps.records.resize(1);
    steps.records[0].step = step;
    send(steps);
}

void flood() {
    sendExperiment();
    for (std::int64_t step = 0; step < 20000; ++step) sendStep(step);
}

void leap() {
    sendExperiment();
    sendStep(0);
    sendStep(1'000'000'000'000);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    if (how == "garbage") std::fputs("this is not the engine's language, and it is long enough to be taken for a frame", stdout);
    if (how == "future") send(hello(mantissa::kProtocolVersion + 1));
    if (how == "no-hello") send(mantissa::ExperimentReset{});
    if (how == "flood") flood();
    if (how == "leap") leap();
    if (how == "exit") {
        std::fputs("out of paper\n", stderr);
        return 3;
    }
    std::fflush(stdout);
    // Like the real one it goes when its input ends.
    while (std::getchar() != EOF) {
    }
}
