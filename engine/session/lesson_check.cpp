// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lesson_check.h"

#include <algorithm>
#include <map>

#include "engine/session/session.h"

namespace mantissa {
namespace {

/// Facts from the session's events.
class EventFacts : public LessonFacts {
public:
    void take(Event&& event) {
        if (auto* loaded = std::get_if<ExperimentLoaded>(&event)) {
            m_runs.clear();
            for (RunInfo& info : loaded->runs) m_runs[info.id].info = std::move(info);
        } else if (auto* changed = std::get_if<RunChanged>(&event)) {
            m_runs[changed->info.id].info = std::move(changed->info);
        } else if (auto* recorded = std::get_if<StepsRecorded>(&event)) {
            auto& records = m_runs[recorded->run].records;
            records.insert(records.end(), recorded->records.begin(), recorded->records.end());
            m_steps += static_cast<std::int64_t>(recorded->records.size());
        } else if (auto* measured = std::get_if<TensorsMeasured>(&event)) {
            m_runs[measured->run].stats[measured->stats.step] = std::move(measured->stats);
        } else if (auto* examined = std::get_if<StepExamined>(&event)) {
            m_runs[examined->run].examinations[examined->examination.step] = std::move(examined->examination);
        }
    }
    std::int64_t stepsOfAll() const { return m_steps; }

    std::optional<RunId> idOf(const std::string& run) const override {
        for (const auto& [id, facts] : m_runs) {
            if (facts.info.settings.name == run) return id;
        }
        return std::nullopt;
    }
    std::int64_t stepsOf(RunId run) const override { return static_cast<std::int64_t>(m_runs.at(run).records.size()); }
    std::optional<double> value(RunId run, Metric metric, std::int64_t step) const override {
        const StepRecord& record = recordOf(run, step);
        const bool isOfValidation = metric == Metric::ValidationLoss || metric == Metric::ValidationAccuracy;
        if (isOfValidation && !record.validated()) return std::nullopt;
        return metricValue(record, metric);
    }
    std::uint32_t flags(RunId run, std::int64_t step) const override { return recordOf(run, step).flags; }
    MemoryLedger memory(RunId run) const override { return m_runs.at(run).info.memory; }
    const StepStats* stats(RunId run, std::int64_t step) const override { return found(m_runs.at(run).stats, step); }
    const Examination* examination(RunId run, std::int64_t step) const override { return found(m_runs.at(run).examinations, step); }

private:
    struct RunFacts {
        RunInfo info;
        std::vector<StepRecord> records;
        std::map<std::int64_t, StepStats> stats;
        std::map<std::int64_t, Examination> examinations;
    };
    std::map<RunId, RunFacts> m_runs;
    std::int64_t m_steps = 0;

    const StepRecord& recordOf(RunId run, std::int64_t step) const { return m_runs.at(run).records.at(static_cast<std::size_t>(step)); }
    template <typename Value>
    static const Value* found(const std::map<std::int64_t, Value>& values, std::int64_t step) {
        const auto at = values.find(step);
        return at == values.end() ? nullptr : &at->second;
    }
};

class Player {
public:
    Player(const Lesson& lesson, std::uint64_t seed, std::shared_ptr<Backend> backend)
        : m_lesson(lesson), m_seed(seed), m_session(std::move(backend), [this](Event&& event) { take(std::move(event)); }) {}

    CheckedLesson play() {
        CheckedLesson checked{.seed = m_seed, .claims = {}, .steps = 0};
        act(LessonReset{}, m_lesson.steps.front());
        for (std::size_t i = 0; i < m_lesson.steps.size(); ++i) {
            const LessonStep& step = m_lesson.steps[i];
            for (const bool isRevealed : {false, true}) {
                for (const LessonAction& action : actionsAt(m_lesson, {i, isRevealed})) act(action, step);
                const std::int64_t done = stepsDoneAt(m_lesson, {i, isRevealed});
                for (const Claim& claim : (isRevealed ? step.reveal : step.shown).claims)
                    checked.claims.push_back({claim.place(), step.title, claim.text(), claim.check(m_facts, done)});
            }
        }
        checked.steps = m_facts.stepsOfAll();
        return checked;
    }

private:
    const Lesson& m_lesson;
    std::uint64_t m_seed;
    EventFacts m_facts;
    std::uint64_t m_commands = 0;
    bool m_isAnswered = false;
    std::string m_refusal;
    Session m_session;

    void take(Event&& event) {
        if (const auto* done = std::get_if<CommandDone>(&event)) {
            m_isAnswered = done->commandId == m_commands;
        } else if (const auto* refused = std::get_if<CommandRefused>(&event)) {
            m_isAnswered = refused->commandId == m_commands;
            m_refusal = refused->sentence;
        } else {
            m_facts.take(std::move(event));
        }
    }

    void act(const LessonAction& action, const LessonStep& step) {
        const std::string place = m_lesson.source + ":" + std::to_string(step.line);
        std::optional<CommandBody> command;
        try {
            command = commandFor(action, m_lesson, m_seed, m_facts);
        } catch (const InputError& error) {
            throw InputError(place, "", "step '" + step.title + "': " + error.what());
        }
        if (!command) return;
        m_isAnswered = false;
        m_session.post({++m_commands, std::move(*command)});
        while (!m_isAnswered || m_session.state() == LabState::Training) m_session.advance();
        if (!m_refusal.empty()) throw InputError(place, "", "step '" + step.title + "': " + m_refusal);
    }
};

}  // namespace

std::size_t CheckedLesson::failures() const {
    return static_cast<std::size_t>(
        std::count_if(claims.begin(), claims.end(), [](const CheckedClaim& claim) { return !claim.result.holds; }));
}

CheckedLesson checkLesson(const Lesson& lesson, std::uint64_t seed, std::shared_ptr<Backend> backend) {
    return Player(lesson, seed, std::move(backend)).play();
}

}  // namespace mantissa
