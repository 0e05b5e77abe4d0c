// SPDX-License-Identifier: Apache-2.0
// Compares the steps that an engine sent before it was killed with its recording. One thread.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/recording/recording.h"

namespace mantissa::test {

/// Maximum loss in ns: every step sent earlier than this before a kill is in the recording.
inline constexpr std::int64_t kMayLoseNs = 250'000'000;

/// Bundled experiments of every kind of model: multilayer perceptrons, GPT, ResNet, Llama, autoencoder, regressions; formats and scalers.
inline constexpr const char* kKilledExperiments[] = {"four-formats",
                                                     "a-small-gpt",
                                                     "fp16-without-a-scaler",
                                                     "a-small-resnet",
                                                     "too-hot",
                                                     "a-bf16-checkpoint",
                                                     "how-the-scaler-breathes",
                                                     "clip-order",
                                                     "scale-storm",
                                                     "scale-collapse",
                                                     "missing-zero-grad",
                                                     "deep-sigmoid",
                                                     "one-layer-in-fp32",
                                                     "norms-in-fp16",
                                                     "a-naive-softmax",
                                                     "switch-mid-run",
                                                     "swallowed-updates",
                                                     "eight-bits",
                                                     "lost-updates",
                                                     "pure-fp16",
                                                     "whose-sums",
                                                     "one-bad-pixel",
                                                     "heavy-tails",
                                                     "an-outlier-in-fp8"};

/// Returns CLOCK_MONOTONIC in ns, as in StepsRecorded::sentNs.
inline std::int64_t nowNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The steps that an engine has sent, in order.
class SentSteps {
public:
    struct Step {
        std::int64_t ns = 0;
        StepRecord record;
    };
    void take(const Event& event) {
        const auto* steps = std::get_if<StepsRecorded>(&event);
        if (steps == nullptr) return;
        for (const StepRecord& record : steps->records) m_steps[steps->run].push_back({steps->sentNs, record});
        m_count += steps->records.size();
    }
    std::size_t count() const { return m_count; }
    const std::map<RunId, std::vector<Step>>& byRun() const { return m_steps; }

private:
    std::map<RunId, std::vector<Step>> m_steps;
    std::size_t m_count = 0;
};

/// Returns the only recording in the folder, or below it.
inline std::string onlyRecordingIn(const std::filesystem::path& folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == kRecordingExtension) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1u) << folder;
    return found.empty() ? std::string() : found.front();
}

struct Loss {
    std::int64_t ns = 0;  // age, at the kill, of the oldest sent step that is not in the file; 0: none is missing
    std::int64_t recordedSteps = 0;
};

/// Expects that the recording starts with the sent steps of each run, value for value. Returns the loss.
inline Loss lossOf(const SentSteps& sent, std::int64_t killedNs, const std::string& path) {
    const Recording recording(path);
    std::map<RunId, std::vector<StepRecord>> recorded;
    Loss loss;
    recording.read({.steps =
                        [&](RunId run, std::span<const StepRecord> records) {
                            recorded[run].insert(recorded[run].end(), records.begin(), records.end());
                            loss.recordedSteps += static_cast<std::int64_t>(records.size());
                        },
                    .entry = [](const LogEntry&) {}});
    EXPECT_FALSE(recording.isIncomplete()) << recording.missing();
    for (const auto& [run, steps] : sent.byRun()) {
        const std::vector<StepRecord>& file = recorded[run];
        for (std::size_t i = 0; i < std::min(steps.size(), file.size()); ++i) {
            const StepRecord &was = steps[i].record, &is = file[i];
            const bool isSame = was.step == is.step && was.samples == is.samples && isSameValue(was.loss, is.loss) &&
                                isSameValue(was.gradNorm, is.gradNorm) && isSameValue(was.lossScale, is.lossScale) &&
                                was.flags == is.flags && isSameValue(was.wallSeconds, is.wallSeconds) &&
                                was.skippedTotal == is.skippedTotal;
            if (!isSame) {
                ADD_FAILURE() << "row " << i << " of run " << run << ": step " << was.step << " was sent, step " << is.step
                              << " was recorded";
                return loss;
            }
        }
        if (steps.size() > file.size()) loss.ns = std::max(loss.ns, killedNs - steps[file.size()].ns);
    }
    return loss;
}

}  // namespace mantissa::test
