// SPDX-License-Identifier: Apache-2.0
// A session under test, with everything that it has said.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/session/session.h"

namespace mantissa::test {

/// A session with everything that it has said.
class SessionFixture {
public:
    std::vector<Event> events;
    std::map<RunId, std::vector<StepRecord>> records;
    std::map<RunId, std::int64_t> firstSteps;  // of forks
    Session session;
    std::uint64_t lastId = 0;
    int turns = 0;  // of the session, until the latest command was answered; it trains one step again in each

    explicit SessionFixture(std::shared_ptr<Backend> backend = createCpuBackend())
        : session(std::move(backend), [this](Event&& event) { take(std::move(event)); }) {}

    std::uint64_t post(CommandBody body) {
        session.post({++lastId, std::move(body)});
        return lastId;
    }
    /// Posts and lets the session apply it; returns the sentence of the refusal, empty when it was done.
    std::string command(CommandBody body) {
        const std::uint64_t id = post(std::move(body));
        const auto isAnswered = [&] {
            return std::any_of(events.rbegin(), events.rend(), [&](const Event& event) {
                const auto* done = std::get_if<CommandDone>(&event);
                const auto* refused = std::get_if<CommandRefused>(&event);
                return (done != nullptr && done->commandId == id) || (refused != nullptr && refused->commandId == id);
            });
        };
        turns = 0;
        do {
            session.advance(0, 0);
            ++turns;
        } while (!isAnswered());
        for (const Event& event : events) {
            if (const auto* refused = std::get_if<CommandRefused>(&event); refused != nullptr && refused->commandId == id)
                return refused->sentence;
        }
        EXPECT_EQ(count<CommandDone>([&](const CommandDone& done) { return done.commandId == id; }), 1) << "every command is answered once";
        return "";
    }
    void load(const std::string& text) { ASSERT_EQ(command(LoadExperiment{"test", text}), ""); }
    /// Trains until every run has done `steps`, or to the end. Runs that have done them wait, unless all `goOn`.
    void trainTo(std::int64_t steps, bool goOn = false) {
        ASSERT_EQ(command(Train{goOn ? 0 : steps}), "");
        const auto isThere = [&] {
            for (const RunInfo& run : runs()) {
                const Trainer* trainer = session.trainer(run.id);  // null: it is only looked at
                if (trainer != nullptr && trainer->nextStep() < steps) return false;
            }
            return true;
        };
        while (session.state() == LabState::Training && !isThere()) session.advance(0.01, 0);
        command(Pause{});
    }
    /// Goes on until a what-if has so many steps: it needs no command for that. Not for ever.
    void finish(RunId run, std::size_t steps) {
        for (int turn = 0; turn < 100'000 && records[run].size() < steps; ++turn) session.advance(1, 0);
    }

    template <class T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const Event& event : events) {
            if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
        }
        return found;
    }
    template <class T, class Predicate>
    int count(Predicate predicate) const {
        int number = 0;
        for (const T& one : all<T>()) number += predicate(one) ? 1 : 0;
        return number;
    }
    /// The runs as the window would know them.
    std::vector<RunInfo> runs() const {
        std::vector<RunInfo> known;
        const auto replace = [&](const RunInfo& info) {
            for (RunInfo& each : known) {
                if (each.id == info.id) each = info;
            }
        };
        for (const Event& event : events) {
            if (const auto* loaded = std::get_if<ExperimentLoaded>(&event)) known = loaded->runs;
            if (const auto* added = std::get_if<RunAdded>(&event)) known.push_back(added->info);
            if (const auto* changed = std::get_if<RunChanged>(&event)) replace(changed->info);
            if (const auto* removed = std::get_if<RunRemoved>(&event))
                std::erase_if(known, [&](const RunInfo& r) { return r.id == removed->run; });
            if (const auto* restored = std::get_if<RunRestored>(&event)) known.push_back(restored->info);
        }
        return known;
    }
    RunInfo run(const std::string& name) const {
        for (const RunInfo& info : runs()) {
            if (info.settings.name == name) return info;
        }
        ADD_FAILURE() << "no run " << name;
        return {};
    }
    const std::vector<StepRecord>& recordsOf(const std::string& name) { return records[run(name).id]; }

private:
    std::set<RunId> m_watched;

    void take(Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            EXPECT_LE(steps->records.size(), 256u);
            EXPECT_GT(steps->sentNs, 0);
            for (const StepRecord& record : steps->records) {
                const std::vector<StepRecord>& before = records[steps->run];
                if (m_watched.contains(steps->run)) {
                    EXPECT_TRUE(before.empty() || record.step > before.back().step) << "in order; steps that never came are left out";
                } else {
                    EXPECT_EQ(record.step, firstSteps[steps->run] + static_cast<std::int64_t>(before.size()))
                        << "one record a step, in order";
                }
                records[steps->run].push_back(record);
            }
        }
        if (const auto* added = std::get_if<RunAdded>(&event)) {
            firstSteps[added->info.id] = added->info.firstStep;
            if (added->info.kind == RunKind::Watched) m_watched.insert(added->info.id);
        }
        if (const auto* changed = std::get_if<RunChanged>(&event)) firstSteps[changed->info.id] = changed->info.firstStep;
        if (const auto* back = std::get_if<RunRewound>(&event)) {
            const auto left = static_cast<std::size_t>(back->step - firstSteps[back->run]);
            if (left < records[back->run].size()) records[back->run].resize(left);
        }
        if (std::holds_alternative<ExperimentReset>(event) || std::holds_alternative<ExperimentLoaded>(event)) records.clear();
        events.push_back(std::move(event));
    }
};

/// A small, quick task.
inline std::string task(const std::string& runs, const std::string& more = "") {
    return R"({"data":{"batch_size":16},"model":{"hidden":[16]},"steps":60,"validation_interval":1000,)" + more + R"("runs":[)" + runs +
           "]}";
}
inline const std::string kTwoRuns = R"({"name":"a"},{"name":"b","precision":"bf16"})";

}  // namespace mantissa::test
