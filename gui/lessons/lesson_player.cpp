// SPDX-License-Identifier: GPL-3.0-or-later
// Places, answers and claims. The commands that make a place's state are in lesson_player_work.cpp.
#include "gui/lessons/lesson_player.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mantissa::gui {
namespace {

/// Runs that the view actions up to a place have hidden.
std::set<std::string> hiddenNames(const Lesson& lesson, const LessonPlace& place) {
    std::set<std::string> hidden;
    for (const LessonAction& action : actionsTo(lesson, place)) {
        const auto* show = std::get_if<LessonShow>(&action);
        if (!show) continue;
        for (const std::string& run : show->runs) show->isShown ? void(hidden.erase(run)) : void(hidden.insert(run));
    }
    return hidden;
}

}  // namespace

LessonPlayer::LessonPlayer(SessionModel* session, EngineClient* engine, QObject* parent)
    : QObject(parent), m_session(session), m_engine(engine), m_facts(session) {
    connectLab();
}

LessonPlayer::~LessonPlayer() = default;

void LessonPlayer::begin(std::shared_ptr<const Lesson> lesson) {
    if (m_lesson) leave();
    m_lesson = std::move(lesson);
    m_choices.clear();
    m_votes.clear();
    m_isCounting = false;
    m_isElsewhere = true;
    enter({}, wayFromReset({}));
}

void LessonPlayer::leave() {
    if (!m_lesson) return;
    stopWork();
    m_lesson.reset();
    m_problem.clear();
    m_session->endWithholding();
    m_session->setQuestionOpen(false);
    emit placeChanged();
    emit panelsChanged();
}

// ---- Places ----

LessonPlace LessonPlayer::placeBefore() const {
    if (m_place.isRevealed) return {m_place.step, false};
    const std::size_t step = m_place.step - 1;
    return {step, m_lesson->steps[step].question.has_value()};
}

LessonPlace LessonPlayer::placeAfter() const {
    if (step().question && !m_place.isRevealed) return {m_place.step, true};
    return {m_place.step + 1, false};
}

bool LessonPlayer::canGoBack() const {
    return m_lesson && (m_place.isRevealed || m_place.step > 0);
}

bool LessonPlayer::isAtEnd() const {
    return m_lesson && m_place.step + 1 == m_lesson->steps.size() && (m_place.isRevealed || !step().question);
}

void LessonPlayer::next() {
    if (!m_lesson || isAtEnd()) return;
    const LessonPlace place = placeAfter();
    if (!isBusy() || resetsUpTo(place) != resetsUpTo(m_place)) return enter(place, wayForward(place));
    // The new work starts from the state that the pending work leads to.
    for (const LessonAction& action : actionsAt(*m_lesson, place)) m_work.emplace_back(action);
    m_place = place;
    publishPlace();
}

void LessonPlayer::back() {
    if (!canGoBack()) return;
    const LessonPlace place = placeBefore();
    enter(place, wayBack(place));
}

void LessonPlayer::reset() {
    if (!m_lesson) return;
    const LessonPlace place{m_place.step, false};
    m_choices.erase(place.step);
    m_votes.erase(place.step);
    enter(place, wayBack(place));
}

// ---- Answers ----

std::optional<int> LessonPlayer::choice() const {
    const auto it = m_choices.find(m_place.step);
    return it == m_choices.end() ? std::nullopt : std::optional(it->second);
}

void LessonPlayer::choose(int answer) {
    if (!isQuestionOpen()) return;
    if (answer < 0 || answer >= static_cast<int>(step().question->choices.size()) || choice() == answer) return;
    m_choices[m_place.step] = answer;
    emit choiceChanged();
}

void LessonPlayer::setCounting(bool counting) {
    if (!m_lesson || std::exchange(m_isCounting, counting) == counting) return;
    if (isQuestionOpen()) m_choices.erase(m_place.step);  // the audience's answers replace it
    emit choiceChanged();
}

void LessonPlayer::vote(int answer, int by) {
    if (!isQuestionOpen() || answer < 0 || answer >= static_cast<int>(step().question->choices.size())) return;
    std::vector<int>& votes = m_votes[m_place.step];
    votes.resize(step().question->choices.size());
    int& count = votes[static_cast<std::size_t>(answer)];
    count = std::max(0, count + by);
    emit choiceChanged();
}

std::vector<int> LessonPlayer::votes() const {
    const auto it = m_votes.find(m_place.step);
    return it == m_votes.end() ? std::vector<int>() : it->second;
}

// ---- Claims and the view ----

std::vector<LessonPlayer::CheckedClaim> LessonPlayer::claims() const {
    std::vector<CheckedClaim> checked;
    if (!m_lesson || isBusy()) return checked;
    const std::int64_t done = stepsDoneAt(*m_lesson, m_place);
    for (const Claim& claim : part().claims) checked.push_back({&claim, claim.check(m_facts, done)});
    return checked;
}

std::vector<const RunState*> LessonPlayer::hiddenRuns() const {
    std::vector<const RunState*> runs;
    if (!m_lesson) return runs;
    const std::set<std::string> hidden = hiddenNames(*m_lesson, m_place);
    for (const auto& run : m_session->runs())
        if (hidden.contains(run->info.settings.name)) runs.push_back(run.get());
    return runs;
}

std::vector<std::string> LessonPlayer::panels() const {
    std::vector<std::string> panels;
    if (!m_lesson) return panels;
    for (const LessonAction& action : actionsTo(*m_lesson, m_place))
        if (const auto* requested = std::get_if<LessonPanels>(&action)) panels = requested->panels;
    if (panels.empty() && isQuestionOpen()) panels = {"loss"};  // another plot may show the answer
    return panels;
}

std::optional<LessonNumber> LessonPlayer::number() const {
    std::optional<LessonNumber> number;
    if (!m_lesson) return number;
    for (const LessonAction& action : actionsTo(*m_lesson, m_place)) {
        if (const auto* shown = std::get_if<LessonNumber>(&action)) number = *shown;
        if (std::holds_alternative<LessonPanels>(action)) number.reset();
    }
    return number;
}

bool LessonPlayer::isQuestionOpen() const {
    return m_lesson && step().question && !m_place.isRevealed;
}

void LessonPlayer::applyView() {
    const std::set<std::string> hidden = hiddenNames(*m_lesson, m_place);
    for (const auto& run : m_session->runs()) {
        m_session->setWithheld(run->id, hidden.contains(run->info.settings.name));
        m_session->setHidden(run->id, false, false);  // runs that the lesson mentions are shown
    }
    const auto& runs = m_session->runs();
    const RunState* chosen = m_session->run(m_session->selected());
    const auto seen = std::find_if(runs.begin(), runs.end(), [](const auto& run) { return !run->isWithheld; });
    if (chosen && chosen->isWithheld && seen != runs.end()) m_session->select((*seen)->id);
}

bool LessonPlayer::isTouched() const {
    return m_lesson && !isBusy() && standing() != Standing::AsLeft;
}

std::optional<LessonPlayer::Progress> LessonPlayer::progress() const {
    if (m_awaited != Awaited::Steps) return std::nullopt;
    Progress progress{m_until, m_until};
    for (const RunState* run : trainingRuns()) progress.done = std::min(progress.done, run->stepCount());
    return progress;
}

}  // namespace mantissa::gui
