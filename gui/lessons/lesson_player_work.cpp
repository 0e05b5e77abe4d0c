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

/// How many resets lead to a place.
std::ptrdiff_t resetsUpTo(const Lesson& lesson, const LessonPlace& place) {
    std::ptrdiff_t count = 0;
    const auto countOf = [](const LessonPart& part) { return std::ranges::count_if(part.actions, isReset); };
    for (std::size_t i = 0; i <= place.step; ++i) {
        count += countOf(lesson.steps[i].shown);
        if (i < place.step || place.isRevealed) count += countOf(lesson.steps[i].reveal);
    }
    return count;
}

/// The runs that are live and not stopped early.
std::vector<const RunState*> trainingRuns(const SessionModel& session) {
    std::vector<const RunState*> runs;
    for (const auto& run : session.runs())
        if (run->isLive() && run->stopReason.isEmpty()) runs.push_back(run.get());
    return runs;
}

bool areAllBeyond(const SessionModel& session, std::int64_t step) {
    const auto runs = trainingRuns(session);
    return !runs.empty() && std::ranges::all_of(runs, [&](const RunState* run) { return run->canRewindTo(step); });
}

LessonPlace placeBefore(const Lesson& lesson, const LessonPlace& place) {
    if (place.isRevealed) return {place.step, false};
    return {place.step - 1, lesson.steps[place.step - 1].question.has_value()};
}

LessonPlace placeAfter(const Lesson& lesson, const LessonPlace& place) {
    if (lesson.steps[place.step].question && !place.isRevealed) return {place.step, true};
    return {place.step + 1, false};
}

LessonWork wayFromReset(const Lesson& lesson, const LessonPlace& place) {
    LessonWork work;
    for (LessonAction& action : actionsTo(lesson, place)) work.emplace_back(std::move(action));
    return work;
}

/// Rewinds to the place's last step, and repeats the actions after that step, which a rewind undoes.
LessonWork rewindTo(const Lesson& lesson, const LessonPlace& place) {
    LessonWork work;
    for (LessonAction& action : actionsTo(lesson, place)) {
        if (std::holds_alternative<LessonTrain>(action))
            work.clear();
        else if (!isReset(action))
            work.emplace_back(std::move(action));
    }
    work.emplace_front(LessonRewind{stepsDoneAt(lesson, place)});
    return work;
}

/// Shows the session's runs as the lesson's place does.
void applyView(const LessonPlayer& player, SessionModel& session) {
    const auto hidden = hiddenRuns(player, session);
    const auto& runs = session.runs();
    for (const auto& run : runs) {
        session.setWithheld(run->id, std::ranges::find(hidden, run.get()) != hidden.end());
        session.setHidden(run->id, false, false);  // runs that the lesson mentions are shown
    }
    const RunState* chosen = session.run(session.selected());
    const auto seen = std::ranges::find_if(runs, [](const auto& run) { return !run->isWithheld; });
    if (chosen && chosen->isWithheld && seen != runs.end()) session.select((*seen)->id);
}

}  // namespace

LessonPlayer::LessonPlayer(SessionModel* session, EngineClient* engine, QObject* parent)
    : QObject(parent), m_session(session), m_engine(engine), m_facts(session) {
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
        applyView(*this, *m_session);
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

// ---- Places ----

void LessonPlayer::begin(std::shared_ptr<const Lesson> lesson) {
    if (m_lesson) leave();
    m_lesson = std::move(lesson);
    m_choices.clear();
    m_votes.clear();
    m_isCounting = false;
    m_isElsewhere = true;
    enter({}, wayFromReset(*m_lesson, {}));
}

void LessonPlayer::next() {
    if (!m_lesson || isAtEnd(*this)) return;
    const LessonPlace place = placeAfter(*m_lesson, m_place);
    if (!isBusy() || resetsUpTo(*m_lesson, place) != resetsUpTo(*m_lesson, m_place)) return enter(place, wayForward(place));
    // The new work starts from the state that the pending work leads to.
    for (const LessonAction& action : actionsAt(*m_lesson, place)) m_work.emplace_back(action);
    m_place = place;
    publishPlace();
}

void LessonPlayer::back() {
    if (!canGoBack(*this)) return;
    const LessonPlace place = placeBefore(*m_lesson, m_place);
    enter(place, wayBack(place));
}

void LessonPlayer::reset() {
    if (!m_lesson) return;
    const LessonPlace place{m_place.step, false};
    m_choices.erase(place.step);
    m_votes.erase(place.step);
    enter(place, wayBack(place));
}

// ---- Ways ----

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

LessonWork LessonPlayer::wayForward(const LessonPlace& place) const {
    LessonWork work;
    const Standing now = standing();
    const bool canRewind = now == Standing::Ahead && areAllBeyond(*m_session, stepsDoneAt(*m_lesson, m_place));
    if (resetsUpTo(*m_lesson, place) != resetsUpTo(*m_lesson, m_place) || (now != Standing::AsLeft && !canRewind))
        return wayFromReset(*m_lesson, place);
    if (canRewind) work = rewindTo(*m_lesson, m_place);
    for (const LessonAction& action : actionsAt(*m_lesson, place)) work.emplace_back(action);
    return work;
}

LessonWork LessonPlayer::wayBack(const LessonPlace& place) const {
    if (m_isElsewhere || resetsUpTo(*m_lesson, place) != resetsUpTo(*m_lesson, m_place)) return wayFromReset(*m_lesson, place);
    const std::int64_t steps = stepsDoneAt(*m_lesson, place);
    if (areAllBeyond(*m_session, steps) && (isBusy() || standing() != Standing::Elsewhere)) return rewindTo(*m_lesson, place);
    // If only view actions lie between, there is no work.
    const auto engineActions = [&](const LessonPlace& at) {
        const auto actions = actionsTo(*m_lesson, at);
        return std::count_if(actions.begin(), actions.end(), [](const LessonAction& action) { return !isOfTheView(action); });
    };
    if (!isBusy() && standing() == Standing::AsLeft && engineActions(place) == engineActions(m_place)) return {};
    return wayFromReset(*m_lesson, place);
}

// ---- Work ----

void LessonPlayer::enter(const LessonPlace& place, LessonWork work) {
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
    if (!m_isElsewhere) applyView(*this, *m_session);
    emit placeChanged();
    emit panelsChanged();
    if (!isBusy() && m_problem.isEmpty()) emit settled();
}

void LessonPlayer::goFurther() {
    while (!isBusy() && !m_work.empty()) {
        const auto work = std::move(m_work.front());
        m_work.pop_front();
        carryOut(work);
    }
    if (!isBusy()) settle();
}

void LessonPlayer::carryOut(const LessonWork::value_type& work) {
    if (const auto* rewind = std::get_if<LessonRewind>(&work)) return await(RewindRuns{-1, rewind->step}, Awaited::Rewind);
    const auto& action = std::get<LessonAction>(work);
    try {
        auto command = commandFor(action, *m_lesson, m_lesson->seeds.empty() ? 1 : m_lesson->seeds.front(), m_facts);
        if (!command) return;  // an action of the view, which already applies
        if (auto* load = std::get_if<LoadExperiment>(&*command)) {
            emit loading();
            m_awaited = Awaited::Load;
            m_command = m_engine->ask(*load);
            if (m_command == 0) m_engine->start(QString::fromStdString(load->nameOrPath), QString::fromStdString(load->text));
            return;
        }
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
    const auto runs = trainingRuns(*m_session);
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
            m_work.emplace_front(LessonRewind{m_until});
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

std::optional<LessonPlayer::Progress> LessonPlayer::progress() const {
    if (m_awaited != Awaited::Steps) return std::nullopt;
    Progress progress{m_until, m_until, m_isPausedOnTheWay};
    for (const RunState* run : trainingRuns(*m_session)) progress.done = std::min(progress.done, run->stepCount());
    return progress;
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
