// SPDX-License-Identifier: GPL-3.0-or-later
// Restores a place's state: one command at a time, each after the answer to the previous one.
#include <algorithm>
#include <utility>

#include "gui/lessons/lesson_player.h"

namespace mantissa::gui {
namespace {

bool isReset(const LessonAction& action) {
    return std::holds_alternative<LessonReset>(action);
}
bool isOfTheView(const LessonAction& action) {
    return std::holds_alternative<LessonShow>(action) || std::holds_alternative<LessonPanels>(action) ||
           std::holds_alternative<LessonNumber>(action);
}

}  // namespace

void LessonPlayer::connectLab() {
    connect(m_engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (!isBusy() || commandId != m_command) return;
        m_command = 0;
        if (m_awaited != Awaited::Steps) return arrived();
        m_hasTrainingBegun = true;
        checkSteps();
    });
    connect(m_engine, &EngineClient::lost, this, [this] {
        m_isElsewhere = true;
        if (m_lesson) fail(tr("The engine has stopped. Restart it, then press Reset."));
    });
    connect(m_session, &SessionModel::refused, this, [this](int, const QString& pointer, const QString& sentence, quint64 commandId) {
        const bool isOurs = isBusy() && (commandId == m_command || (m_command == 0 && m_awaited == Awaited::Load));
        if (isOurs) fail(pointer.isEmpty() ? sentence : tr("At %1: %2").arg(pointer, sentence));
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        if (!m_lesson) return;
        if (m_awaited != Awaited::Load) return disturbed(tr("Another experiment was opened. Reset brings this step's runs back."));
        m_isElsewhere = false;
        noteOpenQuestion();
        applyView();
        // the engine had to be started first: the command's id is not known here
        if (m_command == 0)
            QMetaObject::invokeMethod(
                this,
                [this] {
                    if (m_awaited == Awaited::Load && m_command == 0) arrived();
                },
                Qt::QueuedConnection);
    });
    connect(m_session, &SessionModel::seriesReset, this,
            [this] { disturbed(tr("The runs were reset on the way. Reset restores this step.")); });
    connect(m_session, &SessionModel::runRewound, this, [this] {
        if (m_awaited != Awaited::Rewind) disturbed(tr("The runs were rewound on the way. Reset restores this step."));
    });
    connect(m_session, &SessionModel::runsChanged, this, &LessonPlayer::stateChanged);
    connect(m_session, &SessionModel::markersChanged, this, &LessonPlayer::stateChanged);
    connect(m_session, &SessionModel::stateChanged, this, &LessonPlayer::checkSteps);
    connect(m_session, &SessionModel::recordsAppended, this, &LessonPlayer::checkSteps);
}

// ---- Ways ----

int LessonPlayer::resetsUpTo(const LessonPlace& place) const {
    int count = 0;
    const auto countOf = [](const LessonPart& part) { return std::count_if(part.actions.begin(), part.actions.end(), isReset); };
    for (std::size_t i = 0; i <= place.step; ++i) {
        count += static_cast<int>(countOf(m_lesson->steps[i].shown));
        if (i < place.step || place.isRevealed) count += static_cast<int>(countOf(m_lesson->steps[i].reveal));
    }
    return count;
}

std::vector<const RunState*> LessonPlayer::trainingRuns() const {
    std::vector<const RunState*> runs;
    for (const auto& run : m_session->runs())
        if (run->isLive() && run->stopReason.isEmpty()) runs.push_back(run.get());
    return runs;
}

bool LessonPlayer::areAllBeyond(std::int64_t step) const {
    const auto runs = trainingRuns();
    return !runs.empty() && std::all_of(runs.begin(), runs.end(), [&](const RunState* run) { return run->canRewindTo(step); });
}

LessonPlayer::Standing LessonPlayer::standing() const {
    if (m_isElsewhere || m_session->runs().size() != m_left.size()) return Standing::Elsewhere;
    bool isAhead = false, isWaiting = false;
    for (const auto& run : m_session->runs()) {
        const auto left = m_left.find(run->id);
        if (left == m_left.end() || run->stepCount() < left->second) return Standing::Elsewhere;
        isAhead |= run->stepCount() > left->second;
        isWaiting |= !run->pending.empty();
    }
    // A change without a later step cannot be rewound.
    if (isWaiting || (m_session->markers().size() != m_leftMarkers && !isAhead)) return Standing::Elsewhere;
    return isAhead ? Standing::Ahead : Standing::AsLeft;
}

std::deque<LessonPlayer::Work> LessonPlayer::wayFromReset(const LessonPlace& place) const {
    std::deque<Work> work;
    for (LessonAction& action : actionsTo(*m_lesson, place)) work.emplace_back(std::move(action));
    return work;
}

/// Rewinds to the place's last step, and repeats the actions after that step, which a rewind undoes.
std::deque<LessonPlayer::Work> LessonPlayer::rewindTo(const LessonPlace& place) const {
    std::deque<Work> work;
    for (LessonAction& action : actionsTo(*m_lesson, place)) {
        if (std::holds_alternative<LessonTrain>(action))
            work.clear();
        else if (!isReset(action))
            work.emplace_back(std::move(action));
    }
    work.emplace_front(Rewind{stepsDoneAt(*m_lesson, place)});
    return work;
}

std::deque<LessonPlayer::Work> LessonPlayer::wayForward(const LessonPlace& place) const {
    std::deque<Work> work;
    const Standing now = standing();
    const bool canRewind = now == Standing::Ahead && areAllBeyond(stepsDoneAt(*m_lesson, m_place));
    if (resetsUpTo(place) != resetsUpTo(m_place) || (now != Standing::AsLeft && !canRewind)) return wayFromReset(place);
    if (canRewind) work = rewindTo(m_place);
    for (const LessonAction& action : actionsAt(*m_lesson, place)) work.emplace_back(action);
    return work;
}

std::deque<LessonPlayer::Work> LessonPlayer::wayBack(const LessonPlace& place) const {
    if (m_isElsewhere || resetsUpTo(place) != resetsUpTo(m_place)) return wayFromReset(place);
    const std::int64_t steps = stepsDoneAt(*m_lesson, place);
    if (areAllBeyond(steps) && (isBusy() || standing() != Standing::Elsewhere)) return rewindTo(place);
    // If only view actions lie between, there is no work.
    const auto engineActions = [&](const LessonPlace& at) {
        const auto actions = actionsTo(*m_lesson, at);
        return std::count_if(actions.begin(), actions.end(), [](const LessonAction& action) { return !isOfTheView(action); });
    };
    if (!isBusy() && standing() == Standing::AsLeft && engineActions(place) == engineActions(m_place)) return {};
    return wayFromReset(place);
}

// ---- Work ----

void LessonPlayer::enter(const LessonPlace& place, std::deque<Work> work) {
    stopWork();
    m_problem.clear();
    m_place = place;
    m_work = std::move(work);
    const auto* first = m_work.empty() ? nullptr : std::get_if<LessonAction>(&m_work.front());
    if (first && isReset(*first)) m_isElsewhere = true;  // until it is loaded
    goFurther();
    publishPlace();
}

/// Views hide answers only for the lesson's own runs, not for another experiment opened meanwhile.
void LessonPlayer::noteOpenQuestion() {
    m_session->setQuestionOpen(isQuestionOpen() && (!m_isElsewhere || isBusy()));
}

void LessonPlayer::publishPlace() {
    noteOpenQuestion();
    if (!m_isElsewhere) applyView();
    emit placeChanged();
    emit panelsChanged();
    if (!isBusy() && m_problem.isEmpty()) emit settled();
}

void LessonPlayer::goFurther() {
    while (!isBusy() && !m_work.empty()) {
        const Work work = std::move(m_work.front());
        m_work.pop_front();
        carryOut(work);
    }
    if (!isBusy()) settle();
}

void LessonPlayer::carryOut(const Work& work) {
    if (const auto* rewind = std::get_if<Rewind>(&work)) return await(RewindRuns{-1, rewind->step}, Awaited::Rewind);
    const auto& action = std::get<LessonAction>(work);
    try {
        auto command = commandFor(action, *m_lesson, m_lesson->seeds.empty() ? 1 : m_lesson->seeds.front(), m_facts);
        if (!command) return;  // an action of the view, which already applies
        if (const auto* load = std::get_if<LoadExperiment>(&*command)) return await(*load);
        if (const auto* train = std::get_if<LessonTrain>(&action)) return trainTo(train->until);
        await(std::move(*command), Awaited::Answer);
    } catch (const InputError& error) {
        fail(QString::fromUtf8(error.what()));
    }
}

void LessonPlayer::await(CommandBody command, Awaited what) {
    m_awaited = what;
    m_command = m_engine->ask(std::move(command));
    if (m_command == 0) fail(tr("The engine has stopped. Restart it, then press Reset."));
}

void LessonPlayer::await(const LoadExperiment& load) {
    emit loading();
    m_awaited = Awaited::Load;
    m_command = m_engine->ask(load);
    if (m_command == 0) m_engine->start(QString::fromStdString(load.nameOrPath), QString::fromStdString(load.text));
}

void LessonPlayer::trainTo(std::int64_t until) {
    if (m_session->state().pace != 0 && !m_paceBefore) {
        m_paceBefore = m_session->state().pace;
        m_engine->ask(SetPace{0});
    }
    m_until = until;
    m_hasTrainingBegun = m_isPausedOnTheWay = false;
    await(Train{until}, Awaited::Steps);
    emit stateChanged();
}

void LessonPlayer::goOn() {
    if (m_isPausedOnTheWay) trainTo(m_until);
}

void LessonPlayer::checkSteps() {
    if (m_awaited != Awaited::Steps || !m_hasTrainingBegun) return;
    const auto runs = trainingRuns();
    const auto count = [](const RunState* a, const RunState* b) { return a->stepCount() < b->stepCount(); };
    const auto least = std::min_element(runs.begin(), runs.end(), count);
    const bool isThere = least == runs.end() || (*least)->stepCount() >= m_until;
    const LabState state = m_session->state().state;
    if (state == LabState::Training) {
        // Training was started without an end step.
        const auto most = std::max_element(runs.begin(), runs.end(), count);
        if (isThere && most != runs.end() && (*most)->stepCount() > m_until && m_command == 0) m_command = m_engine->ask(Pause{});
        if (std::exchange(m_isPausedOnTheWay, false)) emit stateChanged();
        return;
    }
    if (isThere || state == LabState::Finished) {
        if (std::any_of(runs.begin(), runs.end(), [this](const RunState* run) { return run->stepCount() > m_until; }))
            m_work.emplace_front(Rewind{m_until});
        return arrived();
    }
    if (!std::exchange(m_isPausedOnTheWay, true)) emit stateChanged();
}

void LessonPlayer::arrived() {
    if (!isBusy()) return;
    m_awaited = Awaited::Nothing;
    m_isPausedOnTheWay = false;
    goFurther();
    emit stateChanged();
    if (!isBusy() && m_problem.isEmpty()) emit settled();
}

/// Records the reached state, so that later changes are noticed.
void LessonPlayer::settle() {
    if (m_paceBefore) m_engine->ask(SetPace{*std::exchange(m_paceBefore, std::nullopt)});
    m_left.clear();
    for (const auto& run : m_session->runs()) m_left[run->id] = run->stepCount();
    m_leftMarkers = m_session->markers().size();
}

/// The runs' state differs from the lesson's.
void LessonPlayer::disturbed(const QString& sentence) {
    if (!m_lesson) return;
    m_isElsewhere = true;
    if (isBusy() && m_awaited != Awaited::Load) return fail(sentence);
    noteOpenQuestion();
    emit stateChanged();
}

void LessonPlayer::stopWork() {
    if (isBusy()) m_engine->ask(Pause{});
    m_work.clear();
    m_awaited = Awaited::Nothing;
    m_command = 0;
    m_isPausedOnTheWay = false;
    if (m_paceBefore) m_engine->ask(SetPace{*std::exchange(m_paceBefore, std::nullopt)});
}

void LessonPlayer::fail(const QString& sentence) {
    stopWork();
    m_problem = sentence;
    m_isElsewhere = true;
    noteOpenQuestion();
    emit stateChanged();
}

}  // namespace mantissa::gui
