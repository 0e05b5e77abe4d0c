// SPDX-License-Identifier: Apache-2.0
// What the lab makes of a probe's stream against bytes of any kind: frames, messages, and a watched run that takes them.
#include <memory>

#include "engine/attach/probe_decode.h"
#include "engine/attach/watched_run.h"
#include "engine/wire/wire.h"
#include "tests/fuzz/refusal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mantissa;
    FrameReader frames;
    std::unique_ptr<WatchedRun> run;
    expectReadOrRefused<WireError>([&] {
        frames.append({data, size});
        while (const auto payload = frames.next()) {
            std::optional<ProbeMessage> message = decodeProbeMessage(*payload);
            if (!message) continue;
            if (const auto* hello = std::get_if<ProbeHello>(&*message); hello != nullptr && !run)
                run = std::make_unique<WatchedRun>(0, "run", *hello, "FILE.mprobe", [](Event&& event) { (void)messageOf(event); });
            if (run) run->take(std::move(*message));
        }
    });
    if (!run) return 0;
    run->flush();
    for (const StepThreshold& each : run->thresholds(0, 1000)) require(each.highest <= each.overflowFrom);
    return 0;
}
