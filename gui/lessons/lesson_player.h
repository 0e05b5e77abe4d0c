// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a lesson: brings the runs into the state of its place, keeps what was answered, checks what it claims. No widget.
//
// A place's state is made by its actions, in order; each waits for the engine's answer to the one before. The user may touch anything in
// between. Going on from untouched runs sends only what is new. Going back rewinds to the steps that the earlier place had; where runs
// were changed, reset or replaced, everything since the latest reset of the lesson is done again. Both give the same bits. GUI thread only.
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

class LessonPlayer : public QObject {
    Q_OBJECT
public:
    LessonPlayer(Lab* lab, EngineClient* engine, QObject* parent = nullptr);
    ~LessonPlayer() override;

    /// Begins a lesson at its first step.
    void begin(std::shared_ptr<const Lesson> lesson);
    /// Ends it. The experiment stays as it is, with all of its runs shown.
    void leave();
    bool isPlaying() const { return m_lesson != nullptr; }
    const Lesson* lesson() const { return m_lesson.get(); }

    const LessonPlace& place() const { return m_place; }
    const LessonStep& step() const { return m_lesson->steps[m_place.step]; }
    const LessonPart& part() const { return m_place.isRevealed ? step().reveal : step().shown; }
    bool canGoBack() const;
    /// Whether a question is open.
    bool isQuestionOpen() const;
    /// Whether this place is the last one.
    bool isAtEnd() const;
    /// The reveal, or the next step.
    void next();
    void back();
    /// This step again, as the lesson has it, and nothing answered.
    void reset();
    /// Trains on where somebody has paused on the way.
    void goOn();

    /// The chosen answer of the present step; nothing: none yet.
    std::optional<int> choice() const;
    /// Not after the reveal.
    void choose(int answer);
    /// Whether answers are counted as votes of a room instead of being chosen.
    bool isCounting() const { return m_isCounting; }
    void setCounting(bool counting);
    /// One more vote for an answer, or one fewer (`by` -1). Not after the reveal.
    void vote(int answer, int by);
    /// The votes for each answer of the present step; empty: none were counted.
    std::vector<int> votes() const;

    /// Whether the state of the place is still on its way.
    bool isBusy() const { return m_awaited != Awaited::Nothing; }
    bool isLoading() const { return m_awaited == Awaited::Load; }
    bool isPausedOnTheWay() const { return m_isPausedOnTheWay; }
    /// While it trains: how far.
    struct Progress {
        std::int64_t done = 0, until = 0;
    };
    std::optional<Progress> progress() const;
    /// Why the state of the place could not be reached, in a sentence; empty: it can be.
    const QString& problem() const { return m_problem; }
    /// Whether something else than the lesson has moved or changed the runs since.
    bool isTouched() const;

    struct CheckedClaim {
        const Claim* claim;
        ClaimResult result;
    };
    /// What the present place claims, as it is in these runs now.
    std::vector<CheckedClaim> claims() const;
    /// Runs that the lesson hides at this place and that are there, in the order of the screen.
    std::vector<const RunState*> hiddenRuns() const;
    /// The plots that the place asks for, of lessonPanels(); empty: all.
    std::vector<std::string> panels() const;

signals:
    void loading();        // an experiment, which must not train by itself
    void placeChanged();   // and with every begin and leave
    void choiceChanged();  // or votes, or whether they are counted
    void stateChanged();   // busy, paused, problem
    void settled();        // the state of the place is there
    void panelsChanged();

private:
    /// Runs back to before a step, or all of it from the lesson's latest reset on.
    struct Rewind {
        std::int64_t step = 0;
    };
    using Work = std::variant<LessonAction, Rewind>;
    enum class Awaited { Nothing, Answer, Load, Rewind, Steps };
    /// How the runs stand against how the lesson left them.
    enum class Standing { AsLeft, Ahead, Elsewhere };

    void connectLab();
    void enter(const LessonPlace& place, std::deque<Work> work);
    void tellPlace();
    void noteOpenQuestion();
    std::deque<Work> wayForward(const LessonPlace& place) const;
    std::deque<Work> wayBack(const LessonPlace& place) const;
    std::deque<Work> wayFromReset(const LessonPlace& place) const;
    std::deque<Work> rewindTo(const LessonPlace& place) const;
    void goFurther();
    void carryOut(const Work& work);
    void await(CommandBody command, Awaited what);
    void await(const LoadExperiment& load);
    void trainTo(std::int64_t until);
    void checkSteps();
    void arrived();
    void disturbed(const QString& sentence);
    void stopWork();
    void fail(const QString& sentence);
    void settle();
    void applyView();
    Standing standing() const;
    int resetsUpTo(const LessonPlace& place) const;
    std::vector<const RunState*> trainingRuns() const;  // live, and not ended before their time
    bool areAllBeyond(std::int64_t step) const;
    LessonPlace placeBefore() const;
    LessonPlace placeAfter() const;

    Lab* m_lab;
    EngineClient* m_engine;
    LabFacts m_facts;
    std::shared_ptr<const Lesson> m_lesson;
    LessonPlace m_place;
    std::map<std::size_t, int> m_choices;             // by step
    std::map<std::size_t, std::vector<int>> m_votes;  // by step, for each answer
    bool m_isCounting = false;
    std::deque<Work> m_work;
    Awaited m_awaited = Awaited::Nothing;
    std::uint64_t m_command = 0;      // whose answer is awaited
    std::int64_t m_until = 0;         // that it trains to
    bool m_hasTrainingBegun = false;  // the engine has said so
    bool m_isPausedOnTheWay = false;
    bool m_isElsewhere = true;             // runs are not those that the lesson has made, or went another way
    std::map<RunId, std::int64_t> m_left;  // the steps of each run when the place was reached
    std::size_t m_leftMarkers = 0;
    QString m_problem;
    std::optional<double> m_paceBefore;  // of training, while a lesson trains at full speed
};

}  // namespace mantissa::gui
