// SPDX-License-Identifier: Apache-2.0
// Engines that go wrong: `broken_engine HOW`.
//   garbage      bytes that are no frames          future   a protocol of a later version
//   no-hello     speaks before it has greeted      exit     last words on standard error, then exit code 3
//   leap         a hello, an experiment, and a record of step 10^12
//   fault FILE   on a card: a step, then the last words of an engine whose card has failed; where there is the file, which is then made: on
//                the CPU, as the card is gone, and waits
//   flood        a hello, an experiment, and many thousand frames of records at once, then waits
#include <cstdio>
#include <filesystem>
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

void sendExperiment(const mantissa::Hello& greeting = hello(mantissa::kProtocolVersion)) {
    send(greeting);
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

/// Whether the card fails.
bool meetsFault(const char* file) {
    mantissa::Hello greeting = hello(mantissa::kProtocolVersion);
    const bool isGone = std::filesystem::exists(file);
    greeting.devices = {{.name = "cpu", .description = "", .reason = ""},
                        {.name = "cuda:0", .description = "", .available = !isGone, .reason = isGone ? "the GPU does not answer" : ""}};
    greeting.device = isGone ? "cpu" : "cuda:0";
    sendExperiment(greeting);
    if (isGone) return false;
    sendStep(0);
    std::fclose(std::fopen(file, "w"));
    std::fprintf(stderr, "mantissa: %scudaGraphLaunch: unspecified launch failure\n", mantissa::kDeviceFailure);
    return true;
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
    if (how == "fault" && argc > 2 && meetsFault(argv[2])) return 3;
    if (how == "exit") {
        std::fputs("out of paper\n", stderr);
        return 3;
    }
    std::fflush(stdout);
    // Like the real one it goes when its input ends.
    while (std::getchar() != EOF) {
    }
}
