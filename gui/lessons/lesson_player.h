// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a lesson: brings the runs into the state of the current place, stores answers, checks claims. Contains no widgets.
//
// A place's state is made by its actions, in order; each waits for the engine's answer to the previous one. The user may change anything in
// between. Going forward from unchanged runs sends only the new actions. Going back rewinds to the steps of the earlier place; if runs were
// changed, reset or replaced, everything since the lesson's latest reset is repeated. Both give the same bits. GUI thread only.
#pragma once

#include <QObject>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "engine/lessons/lesson.h"
#include "gui/lessons/lab_facts.h"
#include "gui/link/engine_client.h"

namespace mantissa::gui {

/// Rewinds a lesson's runs to before a step.
struct LessonRewind {
    std::int64_t step = 0;
};
/// What a player has yet to do, in order.
using LessonWork = std::deque<std::variant<LessonAction, LessonRewind>>;

class LessonPlayer : public QObject {
    Q_OBJECT
public:
    LessonPlayer(SessionModel* session, EngineClient* engine, QObject* parent = nullptr);

    /// Starts a lesson at its first step.
    void begin(std::shared_ptr<const Lesson> lesson);
    /// Ends the lesson. The experiment stays as it is, with all of its runs shown.
    void leave();
    bool isPlaying() const { return m_lesson != nullptr; }
    const Lesson* lesson() const { return m_lesson.get(); }

    const LessonPlace& place() const { return m_place; }
    const LessonStep& step() const { return m_lesson->steps[m_place.step]; }
    /// Returns whether a question is open.
    bool isQuestionOpen() const;
    /// Goes to the reveal, or to the next step.
    void next();
    void back();
    /// Restores the initial state of this step, without an answer.
    void reset();
    /// Continues training that the user has paused before the place's state was reached.
    void goOn();

    /// Returns the chosen answer of the current step; nothing: none yet.
    std::optional<int> choice() const;
    /// Chooses an answer; ignored after the reveal.
    void choose(int answer);
    /// Returns whether answers are counted as votes of an audience instead of being chosen.
    bool isCounting() const { return m_isCounting; }
    void setCounting(bool counting);
    /// Adds a vote for an answer, or removes one (`by` -1); ignored after the reveal.
    void vote(int answer, int by);
    /// Returns the votes for each answer of the current step; empty: none were counted.
    std::vector<int> votes() const;

    /// Returns whether the state of the place is not reached yet.
    bool isBusy() const { return m_awaited != Awaited::Nothing; }
    bool isLoading() const { return m_awaited == Awaited::Load; }
    /// The progress of training.
    struct Progress {
        std::int64_t done = 0, until = 0;
        bool isPaused = false;  // by the user
    };
    std::optional<Progress> progress() const;
    /// Returns a sentence with the reason why the state of the place cannot be reached; empty: it can.
    const QString& problem() const { return m_problem; }
    /// Returns whether the runs were moved or changed by anything else than the lesson since the place was reached.
    bool isTouched() const;

    struct CheckedClaim {
        const Claim* claim;
        ClaimResult result;
    };
    /// Returns the current place's claims, checked on the current runs.
    std::vector<CheckedClaim> claims() const;

signals:
    void loading();        // an experiment, which must not start training by itself
    void placeChanged();   // also with every begin and leave
    void choiceChanged();  // also the votes, or whether they are counted
    void stateChanged();   // busy, paused, problem
    void settled();        // the state of the place is reached
    void panelsChanged();

private:
    enum class Awaited { Nothing, Answer, Load, Rewind, Steps };
    /// The state of the runs compared to how the lesson left them.
    enum class Standing { AsLeft, Ahead, Elsewhere };

    void enter(const LessonPlace& place, LessonWork work);
    void publishPlace();
    void noteOpenQuestion();
    LessonWork wayForward(const LessonPlace& place) const;
    LessonWork wayBack(const LessonPlace& place) const;
    void goFurther();
    void carryOut(const LessonWork::value_type& work);
    void await(CommandBody command, Awaited what);
    void trainTo(std::int64_t until);
    void checkSteps();
    void arrived();
    void disturbed(const QString& sentence);
    void stopWork();
    void fail(const QString& sentence);
    void settle();
    Standing standing() const;

    SessionModel* m_session;
    EngineClient* m_engine;
    LabFacts m_facts;
    std::shared_ptr<const Lesson> m_lesson;
    LessonPlace m_place;
    std::map<std::size_t, int> m_choices;             // by step
    std::map<std::size_t, std::vector<int>> m_votes;  // by step, for each answer
    bool m_isCounting = false;
    LessonWork m_work;
    Awaited m_awaited = Awaited::Nothing;
    std::uint64_t m_command = 0;      // the pending command
    std::int64_t m_until = 0;         // the target step of training
    bool m_hasTrainingBegun = false;  // the engine has reported it
    bool m_isPausedOnTheWay = false;
    bool m_isElsewhere = true;             // the runs were replaced, or changed in a way that cannot be rewound
    std::map<RunId, std::int64_t> m_left;  // the steps of each run when the place was reached
    std::size_t m_leftMarkers = 0;
    QString m_problem;
    std::optional<double> m_paceBefore;  // of training, while a lesson trains at full speed
};

/// Returns whether there is a place before the player's.
bool canGoBack(const LessonPlayer& player);
/// Returns whether the player's place is the last one.
bool isAtEnd(const LessonPlayer& player);
/// Returns the session's runs that the lesson hides at its place, in display order.
std::vector<const RunState*> hiddenRuns(const LessonPlayer& player, const SessionModel& session);
/// Returns the plots that the place requests, of lessonPanels(); empty: all.
std::vector<std::string> requestedPanels(const LessonPlayer& player);
/// Returns the number that the place shows in place of the plots, if any.
std::optional<LessonNumber> shownNumber(const LessonPlayer& player);

}  // namespace mantissa::gui
