// SPDX-License-Identifier: GPL-3.0-or-later
// Answers, claims and the view of a place. The ways to places and their commands are in lesson_player_work.cpp.
#include "gui/lessons/lesson_player.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mantissa::gui {

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
    const LessonPart& part = m_place.isRevealed ? step().reveal : step().shown;
    for (const Claim& claim : part.claims) checked.push_back({&claim, claim.check(m_facts, done)});
    return checked;
}

bool LessonPlayer::isQuestionOpen() const {
    return m_lesson && step().question && !m_place.isRevealed;
}

bool LessonPlayer::isTouched() const {
    return m_lesson && !isBusy() && standing() != Standing::AsLeft;
}

bool canGoBack(const LessonPlayer& player) {
    return player.isPlaying() && player.place() != LessonPlace{};
}

bool isAtEnd(const LessonPlayer& player) {
    return player.isPlaying() && player.place().step + 1 == player.lesson()->steps.size() &&
           (player.place().isRevealed || !player.step().question);
}

std::vector<const RunState*> hiddenRuns(const LessonPlayer& player, const SessionModel& session) {
    std::vector<const RunState*> runs;
    if (!player.isPlaying()) return runs;
    std::set<std::string> hidden;
    for (const LessonAction& action : actionsTo(*player.lesson(), player.place())) {
        const auto* show = std::get_if<LessonShow>(&action);
        if (!show) continue;
        for (const std::string& run : show->runs) show->isShown ? void(hidden.erase(run)) : void(hidden.insert(run));
    }
    for (const auto& run : session.runs())
        if (hidden.contains(run->info.settings.name)) runs.push_back(run.get());
    return runs;
}

std::vector<std::string> requestedPanels(const LessonPlayer& player) {
    std::vector<std::string> panels;
    if (!player.isPlaying()) return panels;
    for (const LessonAction& action : actionsTo(*player.lesson(), player.place()))
        if (const auto* requested = std::get_if<LessonPanels>(&action)) panels = requested->panels;
    if (panels.empty() && player.isQuestionOpen()) panels = {"loss"};  // another plot may show the answer
    return panels;
}

std::optional<LessonNumber> shownNumber(const LessonPlayer& player) {
    std::optional<LessonNumber> number;
    if (!player.isPlaying()) return number;
    for (const LessonAction& action : actionsTo(*player.lesson(), player.place())) {
        if (const auto* shown = std::get_if<LessonNumber>(&action)) number = *shown;
        if (std::holds_alternative<LessonPanels>(action)) number.reset();
    }
    return number;
}

}  // namespace mantissa::gui
