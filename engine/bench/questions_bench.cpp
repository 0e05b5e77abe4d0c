// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <set>
#include <thread>

#include "engine/bench/bench.h"
#include "engine/session/session.h"

namespace mantissa {
namespace {

/// A session that trains, with or without a concurrent scaler race.
class Asked {
public:
    Asked() : m_session(createCpuBackend(), [this](Event&& event) { take(event); }) {
        m_session.post(
            {++m_id, LoadExperiment{"bench", R"({"title":"bench","data":{"batch_size":64},"model":{"kind":"mlp","hidden":[128,128]},
            "steps":1000000000,"validation_interval":1000000000,"runs":[{"name":"fp16","precision":"fp16"}]})"}});
        m_session.post({++m_id, Train{}});
        while (m_recorded < 100) m_session.advance();
    }

    std::int64_t steps() const { return m_recorded; }
    void trainOn(std::int64_t steps) {
        for (const std::int64_t until = m_recorded + steps; m_recorded < until;) m_session.advance();
    }
    /// Seconds from a command of another thread until it is acknowledged.
    double click() {
        using Clock = std::chrono::steady_clock;
        m_rate = m_rate > 0.01 ? 0.01 : 0.02;
        const std::uint64_t id = ++m_id;
        Clock::time_point clicked;
        const std::jthread hand([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(3 + id % 17));
            clicked = Clock::now();
            m_session.post({id, ChangeSetting{0, "/optimizer/lr", m_rate}});
        });
        m_awaited = id;
        while (!m_answered.contains(id)) m_session.advance();
        return std::chrono::duration<double>(m_acknowledged - clicked).count();
    }
    template <class Work>
    auto besideRace(Work work) {
        const std::uint64_t race = ++m_id;
        m_session.post({race, MeasureThresholds{0, 0, 1'000'000'000}});
        while (m_progressed != race) m_session.advance();
        auto found = work();
        await(StopQuestion{race});
        while (!m_answered.contains(race)) m_session.advance();
        return found;
    }

private:
    std::uint64_t m_id = 0, m_progressed = 0;
    std::set<std::uint64_t> m_answered;
    std::int64_t m_recorded = 0;
    double m_rate = 0.01;
    std::uint64_t m_awaited = 0;
    std::chrono::steady_clock::time_point m_acknowledged;
    Session m_session;

    void take(const Event& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) m_recorded += static_cast<std::int64_t>(steps->records.size());
        if (const auto* done = std::get_if<CommandDone>(&event)) {
            m_answered.insert(done->commandId);
            if (done->commandId == m_awaited) m_acknowledged = std::chrono::steady_clock::now();
        }
        if (const auto* progress = std::get_if<QuestionProgress>(&event)) m_progressed = progress->commandId;
    }
    void await(CommandBody body) {
        const std::uint64_t id = ++m_id;
        m_session.post({id, std::move(body)});
        while (!m_answered.contains(id)) m_session.advance();
    }
};

}  // namespace

std::vector<BenchResult> benchQuestions() {
    constexpr int kSteps = 300, kClicks = 40;
    Asked asked;
    const auto stepBlock = [&] {
        const std::int64_t before = asked.steps();
        const double seconds = timeUnits(1, [&] { asked.trainOn(kSteps); })[0];
        return std::vector<double>{seconds / static_cast<double>(asked.steps() - before)};
    };
    const auto clickBlock = [&] {
        std::vector<double> seconds;
        for (int i = 0; i < kClicks; ++i) seconds.push_back(asked.click());
        return seconds;
    };
    BenchResult steps = resultOf(runPaired([&] { return asked.besideRace(stepBlock); }, stepBlock), "questions",
                                 "64-128-128-10, batch 64, fp16: steps beside a scaler race", "the same without a race", 2);
    const PairedTimes clicks = runPaired([&] { return asked.besideRace(clickBlock); }, clickBlock, 5);
    BenchResult click =
        resultOf(clicks, "questions-click", "the same: from a change of the learning rate until it is made", "without a race", 50);
    click.ratio = clicks.oursP99 * 1e3;
    click.ratioName = "p99, ms";
    return {steps, click};
}

}  // namespace mantissa
